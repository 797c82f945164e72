// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written to a temporary beside the target, fsync, rename,
// fsync of the folder. Destroyed without commit() it leaves nothing behind and the old file
// untouched. Thread: one thread at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// What happens to a symbolic link that has the target's name: what it points to is replaced (a
/// person's own file), or the link itself (a file of a run, whose directory may come from
/// elsewhere).
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
  /// isDurable: survives a power cut (fsync of file and folder); without it only the death of the
  /// process. Fails: IoFailure; the old file is untouched then.
  void commit(bool isDurable = true);

 private:
  [[noreturn]] void fail(const char* what, int number);
  // As named by the caller, for messages
  std::string m_path;
  std::string m_target, m_temporary;
  int m_descriptor = -1;
};

/// Is this the name of a temporary that an AtomicFile of this target makes? One that was left
/// behind by a killed process.
bool isTemporaryOf(std::string_view name, std::string_view target);

/// fsync of a folder, so that a rename or a new file in it survives a power cut. Fails: IoFailure.
void syncFolder(const std::string& folder);

}  // namespace strata
