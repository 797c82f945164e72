// SPDX-License-Identifier: Apache-2.0
// Opens files of a run that grow while it trains (events, history). Some backup programs create
// symbolic or hard links, and a run must never write through a link. Therefore a link is first
// replaced by a copy of its target. Not here: files that are written as a whole (AtomicFile).
// Thread: the functions only access the file system.
#pragma once

#include <cstdint>
#include <streambuf>
#include <string>
#include <string_view>

namespace strata {

/// Whether runs write a file or folder of this name in their directory.
bool isNameOfRun(std::string_view name);

/// Opens or creates the file, shortens it to at most `keptBytes` and seeks to its end. A reader
/// that has opened a longer file keeps it whole, unless the disk has no room for a copy. The caller
/// closes the returned descriptor. Fails: IoFailure; InvalidFile if the path exists and is not a
/// regular file.
int openOwnFile(const std::string& path, uint64_t keptBytes);
/// Checks that the path is a folder of this user and not a link. Returns false if it does not
/// exist. Fails: InvalidFile; IoFailure if the path cannot be read.
bool requireOwnFolder(const std::string& path);

/// Writes text to the end of a file. What cannot be written, for example because the disk is full,
/// stays in memory, and every flush tries again. Only a flush reports a failure.
class OwnFileBuffer : public std::streambuf {
 public:
  /// Takes over a descriptor of openOwnFile().
  explicit OwnFileBuffer(int descriptor);
  ~OwnFileBuffer() override;
  int descriptor() const { return m_descriptor; }
  /// The number of bytes in the file
  uint64_t written() const { return m_written; }
  /// Goes on in another file, which has the same content. Takes over its descriptor.
  void moveTo(int descriptor);

 protected:
  int_type overflow(int_type character) override;
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int sync() override;
  pos_type seekoff(off_type offset, std::ios_base::seekdir from,
                   std::ios_base::openmode mode) override;

 private:
  bool writeAll();
  int m_descriptor;
  uint64_t m_written;
  std::string m_waiting;
};

}  // namespace strata
