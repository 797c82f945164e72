// SPDX-License-Identifier: Apache-2.0
#include "core/runs/moved_run.h"

#include <algorithm>
#include <filesystem>
#include <random>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

namespace fs = std::filesystem;

constexpr const char* kNote = "moved.json";
// Identifies the directory to which a note refers
constexpr const char* kIdentity = "identity.json";
constexpr size_t kMaxBytes = size_t{1} << 20;

/// Returns a text of a JSON file, or "" if it has none.
std::string textIn(const fs::path& file, const char* name) {
  try {
    const Json json = parseJson(readFile(file.string(), kMaxBytes), file.string());
    const Json& value = memberOf(json, name);
    return value.is_string() ? value.get<std::string>() : std::string();
  }
  catch (const Error&) {
    return {};
  }
}

void write(const fs::path& file, const Json& json) {
  AtomicFile written(file.string(), Links::Replace);
  written.write(printJson(json));
  written.commit();
}

/// Returns the identity of a directory, which it gets if it has none, together with the directory
/// of the note that leads to it. Fails: IoFailure.
std::string identityOf(const fs::path& directory, const fs::path& from) {
  std::string identity = textIn(directory / kIdentity, "id");
  if (!identity.empty()) return identity;
  std::random_device random;
  for (int word = 0; word < 4; ++word)
    identity += std::to_string(random()) + (word < 3 ? "-" : "");
  write(directory / kIdentity, Json{{"id", identity}, {"from", fs::absolute(from).string()}});
  return identity;
}

}  // namespace

std::optional<MoveNote> readMoveNote(const std::string& directory) {
  const fs::path file = fs::path(directory) / kNote;
  MoveNote note{textIn(file, "to"), textIn(file, "id")};
  if (!fs::path(note.to).is_absolute() || note.id.empty()) return std::nullopt;
  return note;
}

bool isPlaceOfNote(const std::string& directory, const MoveNote& note) {
  return textIn(fs::path(directory) / kIdentity, "id") == note.id;
}

bool noteMove(const std::string& from, const std::string& to) {
  for (const bool isRetry : {false, true}) {
    std::error_code ignored;
    if (isRetry) fs::remove(fs::path(from) / "history.bin", ignored);
    try {
      write(fs::path(from) / kNote, Json{{"to", to}, {"id", identityOf(to, from)}});
      return true;
    }
    catch (const Error&) {
      // The second try has the space of the history
    }
  }
  return false;
}

std::vector<std::string> partsOfRun(const std::string& directory) {
  constexpr size_t kMaxParts = 11;
  std::vector<std::string> parts{directory};
  while (parts.size() < kMaxParts) {
    const std::optional<MoveNote> note = readMoveNote(parts.back());
    if (!note || !isPlaceOfNote(note->to, *note)) break;
    if (std::find(parts.begin(), parts.end(), note->to) != parts.end()) break;
    parts.push_back(note->to);
  }
  return parts;
}

bool isPlaceOfOther(const std::string& place, const std::string& from) {
  const std::string first = textIn(fs::path(place) / kIdentity, "from");
  std::error_code error;
  if (first.empty() || fs::equivalent(first, from, error)) return false;
  // The first directory may have been moved or deleted since, so that this one is the only one
  const std::optional<MoveNote> note = readMoveNote(first);
  return note && isPlaceOfNote(place, *note);
}

std::vector<std::string> ownPartsOfRun(const std::string& directory) {
  std::vector<std::string> parts = partsOfRun(directory);
  for (size_t i = 1; i < parts.size(); ++i)
    if (isPlaceOfOther(parts[i], parts[i - 1])) parts.resize(i);
  return parts;
}

std::string placeOfRun(const std::string& directory) { return partsOfRun(directory).back(); }

}  // namespace strata
