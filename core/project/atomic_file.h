// SPDX-License-Identifier: Apache-2.0
// A file that is replaced completely or not at all. Data goes to a temporary file in the same
// folder, which commit() syncs and renames. Without commit() the old file stays unchanged.
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace strata {

/// How to treat a symbolic link at the path. Follow replaces the target of the link, and is meant
/// for files of the user. Links of other users in folders that everybody may write are refused, as
/// the kernel refuses to open them. Replace replaces the link itself, and is meant for files of a
/// run: in a copied run directory, links may lead to the files of the original run.
enum class Links : uint8_t { Follow, Replace };

class AtomicFile {
 public:
  /// Creates the temporary file, whose name is random. Fails: IoFailure naming the file and the
  /// system's reason, such as a missing folder or permission; InvalidFile for a link that is not
  /// followed.
  explicit AtomicFile(std::string path, Links links = Links::Follow);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Appends bytes to the temporary file. Fails: IoFailure, for example if the disk is full.
  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  /// Replaces the old file by the temporary file. With `isDurable`, the new file survives a power
  /// failure (fsync of file and folder). Otherwise it survives only a crash of the process. Fails:
  /// IoFailure. The old file then stays unchanged, unless only the fsync of the folder failed.
  void commit(bool isDurable = true);

 private:
  [[noreturn]] void fail(const char* what, int number);
  // The path that the caller gave, for messages
  std::string m_path;
  std::string m_target, m_temporary;
  int m_descriptor = -1;
};

/// Checks the links at a path that is opened as it is. Fails: InvalidFile for a link that
/// Links::Follow does not follow.
void requireFollowable(const std::string& path);

/// Whether `name` is the name of a temporary file of an AtomicFile for `target`. A killed process
/// may have left the file.
bool isTemporaryOf(std::string_view name, std::string_view target);

/// Calls fsync on a folder, so that a rename or a new file in it survives a power failure. Fails:
/// IoFailure.
void syncFolder(const std::string& folder);

}  // namespace strata
