// SPDX-License-Identifier: Apache-2.0
// The trash folder beside runs: its lock, the names in it, the records of deleted runs, and the
// moves between it and the runs. trash.h describes the rules. Not here: which runs may be deleted
// (trash.cpp).
// Thread: only one thread at a time may use an object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "gpu/base/own_folder.h"

namespace strata {

/// Returns the name of the trash in a folder.
std::string trashNameIn(const std::filesystem::path& folder);
/// Whether the path leads to a folder that is not a link.
bool isRealFolder(const std::filesystem::path& path);
/// Returns an absolute path without a slash at its end.
std::filesystem::path absolutePlace(const std::filesystem::path& path);
/// Returns the name of a run from its name in the trash, or nullopt for another name.
std::optional<std::string> nameOfSlot(const std::string& slot);

/// What is noted about a run in the trash. All values may be missing, because a run can be restored
/// without them.
struct TrashRecord {
  std::string title, deletedAt;
  uint64_t bytes = 0;
  // Number of directories of the run; 0 if unknown
  uint64_t parts = 0;
  // Whether its note leads to a directory of another run (isPlaceOfOther)
  bool isCopy = false;
};
TrashRecord readTrashRecord(const OwnFolder& bin, const std::string& slot);
/// Fails: IoFailure.
void writeTrashRecord(const OwnFolder& bin, const std::string& slot, const TrashRecord& record);
void removeTrashRecord(const OwnFolder& bin, const std::string& slot);

enum class Wait : uint8_t { None, Long };

/// The trash of a folder, and the folder itself. Only one object of all processes exists for a
/// folder at a time.
class Trash {
 public:
  /// Returns nullopt if there is no trash, or if another process has it and `wait` is None. Fails:
  /// InvalidFile and IoFailure as OwnFolder; IoFailure if another process has it for long.
  static std::optional<Trash> find(const std::filesystem::path& folder, Wait wait);
  /// Makes the trash if it is missing. Fails as find().
  static Trash make(const std::filesystem::path& folder);
  ~Trash();
  Trash(Trash&& other) noexcept;
  Trash(const Trash&) = delete;
  Trash& operator=(const Trash&) = delete;

  const OwnFolder& home() const { return m_home; }
  const OwnFolder& bin() const { return m_bin; }
  bool has(const std::string& name) const { return isRealFolder(m_bin.path() / name); }
  /// Completes what a killed process left half-done. Leaves what cannot be changed.
  void finish() const;
  /// Removes a run for good. Fails: IoFailure. The next finish() tries again.
  void remove(const std::string& slot) const;
  /// Makes renames survive a power failure, where the file system can.
  void sync() const;

 private:
  Trash(OwnFolder home, OwnFolder bin) : m_home(std::move(home)), m_bin(std::move(bin)) {}
  bool lock(Wait wait);
  void finish(const std::string& name) const;
  void purge(const std::string& slot) const;

  OwnFolder m_home, m_bin;
  int m_lock = -1;
};

/// Holds the lock of a run directory, so that no process trains there. A directory without a lock
/// file stays as it is: a process that begins there fails when the directory is gone.
class RunHold {
 public:
  explicit RunHold(const std::filesystem::path& directory);
  ~RunHold();
  RunHold(RunHold&& other) noexcept;
  RunHold(const RunHold&) = delete;
  RunHold& operator=(const RunHold&) = delete;
  bool isHeldByOther() const { return m_isHeldByOther; }

 private:
  int m_descriptor = -1;
  bool m_isHeldByOther = false;
};

/// A directory of a run after its first one: its place, its name in the trash next to it, and where
/// it is now.
struct OtherPart {
  std::filesystem::path folder;
  std::string name, slot;
  bool isInTrash = false;
  std::filesystem::path place() const;
};
/// Returns the other directories of a run whose first one is now at `first`. Directories of another
/// run (isPlaceOfOther) are left out.
std::vector<OtherPart> otherParts(const std::filesystem::path& first, const std::string& slot);
/// Moves all directories into the trash next to them, or back, or none. Returns why it failed, or
/// "".
std::string moveParts(std::vector<OtherPart>& parts, bool toTrash);

}  // namespace strata
