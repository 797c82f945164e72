// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/trash_folder.h"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/runs/moved_run.h"
#include "core/runs/run_directory.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

// The trash beside a directory that is not among the runs of a project
constexpr const char* kTrashElsewhere = ".strata-trash";
// Ends of names in the trash: a run that is being removed for good, another directory of a run, and
// the record of a run
constexpr const char *kGone = ".gone", *kPart = ".part", *kRecord = ".json";
constexpr const char* kRecordFormat = "strata-deleted-run";
constexpr size_t kMaxRecordBytes = 65536;

OwnFolder openHome(const fs::path& folder) {
  std::optional<OwnFolder> home =
      folder.extension() == ".runs"
          ? OwnFolder::find(folder.parent_path(), {folder.filename().string()}, OthersMay::Read)
          : OwnFolder::find(folder, {}, OthersMay::Read);
  if (!home)
    throw Error(ErrorCode::IoFailure, folder.string(),
                "does not exist (expected the folder of the run). Mount its disk, or restore the "
                "folder.");
  return std::move(*home);
}

std::vector<std::string> namesIn(const fs::path& folder) {
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    found.push_back(it->path().filename().string());
  std::ranges::sort(found);
  return found;
}

/// Moves a directory into the trash next to it, or back. Returns 0, or the system's error number.
/// Fails as OwnFolder.
int movePart(OtherPart& part, bool toTrash) {
  if (part.isInTrash == toTrash) return 0;
  const OwnFolder home = openHome(part.folder);
  const OwnFolder bin =
      OwnFolder::make(part.folder, {trashNameIn(part.folder)}, OthersMay::Nothing);
  const int failed =
      toTrash ? home.move(part.name, bin, part.slot) : bin.move(part.slot, home, part.name);
  if (failed == 0) part.isInTrash = toTrash;
  // Leaves no empty folder behind
  if (!toTrash && trashNameIn(part.folder) == kTrashElsewhere) ::rmdir(bin.path().c_str());
  return failed;
}

}  // namespace

std::string trashNameIn(const fs::path& folder) {
  return folder.extension() == ".runs" ? kTrashFolder : kTrashElsewhere;
}

bool isRealFolder(const fs::path& path) {
  struct stat status {};
  return ::lstat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

fs::path absolutePlace(const fs::path& path) {
  const fs::path whole = fs::absolute(path).lexically_normal();
  return whole.filename().empty() ? whole.parent_path() : whole;
}

std::optional<std::string> nameOfSlot(const std::string& slot) {
  // As randomNamePart() makes them: 8 digits, a dash, 4 digits
  constexpr size_t kRandom = 13, kDash = 8;
  if (slot.size() < kRandom + 2) return std::nullopt;
  const std::string random = slot.substr(slot.size() - kRandom);
  if (slot[slot.size() - kRandom - 1] != '.' || random[kDash] != '-') return std::nullopt;
  for (size_t i = 0; i < kRandom; ++i)
    if (i != kDash && !std::isxdigit(static_cast<unsigned char>(random[i]))) return std::nullopt;
  std::string name = slot.substr(0, slot.size() - kRandom - 1);
  if (name == "." || name == "..") return std::nullopt;
  return name;
}

TrashRecord readTrashRecord(const OwnFolder& bin, const std::string& slot) {
  constexpr size_t kMaxTextBytes = 400;
  TrashRecord record;
  try {
    const std::optional<OwnFile> file = bin.read(slot + kRecord, kMaxRecordBytes);
    if (!file) return record;
    const Json json = parseJson(file->bytes, slot);
    if (memberOf(json, "format") != kRecordFormat || sealOf(json) != Seal::Whole) return record;
    const auto text = [&](const char* name) {
      const Json& value = memberOf(json, name);
      return value.is_string() ? excerpt(value.get<std::string>(), kMaxTextBytes) : std::string();
    };
    const auto count = [&](const char* name) {
      const Json& value = memberOf(json, name);
      return value.is_number_unsigned() ? value.get<uint64_t>() : 0;
    };
    return {text("title"), text("deleted"), count("bytes"), count("parts"),
            memberOf(json, "copy") == true};
  }
  catch (const Error&) {
    // A damaged record only loses the title and the time
    return record;
  }
}

void writeTrashRecord(const OwnFolder& bin, const std::string& slot, const TrashRecord& record) {
  bin.write(slot + kRecord, printSealed({{"format", kRecordFormat},
                                         {"version", 1},
                                         {"title", record.title},
                                         {"deleted", record.deletedAt},
                                         {"bytes", record.bytes},
                                         {"parts", record.parts},
                                         {"copy", record.isCopy}}));
}

void removeTrashRecord(const OwnFolder& bin, const std::string& slot) {
  bin.remove(slot + kRecord);
}

std::optional<Trash> Trash::find(const fs::path& folder, Wait wait) {
  if (!isRealFolder(folder / trashNameIn(folder))) return std::nullopt;
  OwnFolder home = openHome(folder);
  std::optional<OwnFolder> bin = OwnFolder::find(folder, {trashNameIn(folder)}, OthersMay::Nothing);
  if (!bin) return std::nullopt;
  Trash trash(std::move(home), std::move(*bin));
  if (!trash.lock(wait)) return std::nullopt;
  return trash;
}

Trash Trash::make(const fs::path& folder) {
  OwnFolder home = openHome(folder);
  Trash trash(std::move(home), OwnFolder::make(folder, {trashNameIn(folder)}, OthersMay::Nothing));
  trash.lock(Wait::Long);
  return trash;
}

Trash::~Trash() {
  if (m_lock >= 0) ::close(m_lock);
}

Trash::Trash(Trash&& other) noexcept
    : m_home(std::move(other.m_home)),
      m_bin(std::move(other.m_bin)),
      m_lock(std::exchange(other.m_lock, -1)) {}

bool Trash::lock(Wait wait) {
  const auto open = [&](const fs::path& path, int flags) {
    m_lock = ::open(path.c_str(), flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (m_lock < 0)
      throw Error(
          ErrorCode::IoFailure, path.string(),
          "cannot be opened (" + std::generic_category().message(errno) + "). Check the folder.");
  };
  // Locking the folder itself needs no space on a full disk
  open(m_bin.path(), O_RDONLY | O_DIRECTORY);
  if (::flock(m_lock, LOCK_EX | LOCK_NB) == 0) return true;
  if (errno != EWOULDBLOCK) {
    // Network file systems lock only files that are open for writing
    ::close(std::exchange(m_lock, -1));
    open(m_bin.path() / "lock", O_RDWR | O_CREAT);
  }
  constexpr int kMaxTries = 2000;
  for (int i = 0; i < kMaxTries; ++i) {
    if (::flock(m_lock, LOCK_EX | LOCK_NB) == 0) return true;
    if (wait == Wait::None) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  throw Error(ErrorCode::IoFailure, m_bin.path().string(),
              "is in use by another process, which deletes or restores runs. Try again.");
}

void Trash::finish() const {
  for (const std::string& name : namesIn(m_bin.path())) {
    try {
      finish(name);
    }
    catch (const Error&) {
      // The next call tries again
    }
  }
}

void Trash::finish(const std::string& name) const {
  const std::string stem = fs::path(name).stem().string();
  if (name.ends_with(kGone)) {
    if (nameOfSlot(stem) && has(name)) purge(stem);
  }
  else if (name.ends_with(kRecord)) {
    if (nameOfSlot(stem) && !has(stem) && !has(stem + kGone)) m_bin.remove(name);
  }
  else if (name.ends_with(".tmp")) {
    const size_t end = name.find(kRecord);
    if (end != std::string::npos && isTemporaryOf(name, name.substr(0, end) + kRecord))
      m_bin.remove(name);
  }
  else if (nameOfSlot(name) && has(name)) {
    // Its note leads to a directory of another run, which may have been moved since
    if (readTrashRecord(m_bin, name).isCopy) return;
    for (OtherPart& part : otherParts(m_bin.path() / name, name))
      if (!part.isInTrash && !RunHold(part.place()).isHeldByOther()) movePart(part, true);
  }
}

void Trash::remove(const std::string& slot) const {
  if (const int failed = m_bin.move(slot, m_bin, slot + kGone))
    throw Error(
        ErrorCode::IoFailure, (m_bin.path() / slot).string(),
        "cannot be removed (" + std::generic_category().message(failed) + "). Check the folder.");
  purge(slot);
}

/// Removes a run whose first directory has the end kGone. Its last directory goes first, so that a
/// killed process leaves the notes that lead to the others.
void Trash::purge(const std::string& slot) const {
  const fs::path first = m_bin.path() / (slot + kGone);
  std::vector<OtherPart> parts = otherParts(first, slot);
  std::error_code error;
  for (auto part = parts.rbegin(); !error && part != parts.rend(); ++part) {
    if (!part->isInTrash) continue;
    fs::remove_all(part->place(), error);
    if (!error && trashNameIn(part->folder) == kTrashElsewhere)
      ::rmdir(part->place().parent_path().c_str());
  }
  if (!error) fs::remove_all(first, error);
  if (error)
    throw Error(ErrorCode::IoFailure, first.string(),
                "cannot be removed (" + error.message() + "). Check that you may write to it.");
  m_bin.remove(slot + kRecord);
}

void Trash::sync() const {
  for (const OwnFolder* const folder : {&m_home, &m_bin}) {
    try {
      syncFolder(folder->path().string());
    }
    catch (const Error&) {
      // The rename itself has succeeded
    }
  }
}

RunHold::RunHold(const fs::path& directory) {
  const std::string path = (directory / "lock").string();
  // Network file systems lock only files that are open for writing
  for (const int mode : {O_RDWR, O_RDONLY}) {
    m_descriptor = ::open(path.c_str(), mode | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (m_descriptor >= 0) break;
  }
  // A process that lists runs takes the lock briefly
  constexpr int kMaxTries = 20;
  for (int i = 0; m_descriptor >= 0 && i < kMaxTries; ++i) {
    if (::flock(m_descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  m_isHeldByOther = m_descriptor >= 0;
}

RunHold::~RunHold() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

RunHold::RunHold(RunHold&& other) noexcept
    : m_descriptor(std::exchange(other.m_descriptor, -1)), m_isHeldByOther(other.m_isHeldByOther) {}

fs::path OtherPart::place() const {
  return isInTrash ? folder / trashNameIn(folder) / slot : folder / name;
}

std::vector<OtherPart> otherParts(const fs::path& first, const std::string& slot) {
  constexpr size_t kMaxParts = 10;
  std::vector<OtherPart> parts;
  fs::path place = first;
  while (parts.size() < kMaxParts) {
    const std::optional<MoveNote> note = readMoveNote(place.string());
    if (!note) break;
    const fs::path home = absolutePlace(note->to);
    OtherPart part{home.parent_path(), home.filename().string(),
                   slot + kPart + std::to_string(parts.size() + 1), true};
    if (!isRealFolder(part.place())) part.isInTrash = false;
    if (!part.isInTrash && !isPlaceOfNote(home.string(), *note)) break;
    if (!part.isInTrash && isPlaceOfOther(home.string(), place.string())) break;
    const bool isKnown = home == first || std::ranges::any_of(parts, [&](const OtherPart& each) {
                           return each.folder == part.folder && each.name == part.name;
                         });
    if (isKnown) break;
    place = part.place();
    parts.push_back(std::move(part));
  }
  return parts;
}

std::string moveParts(std::vector<OtherPart>& parts, bool toTrash) {
  std::vector<OtherPart*> moved;
  std::string problem;
  for (OtherPart& part : parts) {
    try {
      if (const int failed = movePart(part, toTrash))
        problem = part.place().string() + ": " + std::generic_category().message(failed);
    }
    catch (const Error& error) {
      problem = error.line();
    }
    if (!problem.empty()) break;
    moved.push_back(&part);
  }
  if (problem.empty()) return problem;
  for (OtherPart* const part : moved) {
    try {
      movePart(*part, !toTrash);
    }
    catch (const Error&) {
      // The next call moves it (finish())
    }
  }
  return problem;
}

}  // namespace strata
