// SPDX-License-Identifier: Apache-2.0
// A file that is replaced completely or not at all: written to a temporary file in the same folder,
// fsync, rename, fsync of the folder. Without commit() the old file stays untouched. Thread: one
// thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// How to treat a symbolic link at the path: replace the file it points to (a user's own file), or
/// the link itself (a file of a run, whose directory may come from elsewhere).
enum class Links : uint8_t { Follow, Replace };

class AtomicFile {
 public:
  /// Fails: IoFailure naming the file and the system's reason (no such folder, no permission).
  explicit AtomicFile(std::string path, Links links = Links::Follow);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Fails: IoFailure (disk full).
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// isDurable: the file survives a power failure (fsync of file and folder), not only a crash of
  /// the process. Fails: IoFailure; the old file stays untouched.
  void commit(bool isDurable = true);

 private:
  [[noreturn]] void fail(const char* what, int number);
  // The path as given, for messages
  std::string m_path;
  std::string m_target, m_temporary;
  int m_descriptor = -1;
};

/// Whether this is the name of a temporary file of an AtomicFile for this target, such as one that
/// a killed process left.
bool isTemporaryOf(std::string_view name, std::string_view target);

/// fsync of a folder, so that a rename or a new file in it survives a power failure. Fails:
/// IoFailure.
void syncFolder(const std::string& folder);

}  // namespace strata
