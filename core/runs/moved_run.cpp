// SPDX-License-Identifier: Apache-2.0
#include "core/runs/moved_run.h"

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

/// Returns the identity of a directory, which it gets if it has none. Fails: IoFailure.
std::string identityOf(const fs::path& directory) {
  std::string identity = textIn(directory / kIdentity, "id");
  if (!identity.empty()) return identity;
  std::random_device random;
  for (int word = 0; word < 4; ++word)
    identity += std::to_string(random()) + (word < 3 ? "-" : "");
  write(directory / kIdentity, Json{{"id", identity}});
  return identity;
}

/// Returns the directory in the note of this directory, or "" if it has no note, or if the other
/// directory is not the one of the note.
std::string noted(const fs::path& directory) {
  const std::string to = textIn(directory / kNote, "to"), id = textIn(directory / kNote, "id");
  return !to.empty() && !id.empty() && textIn(fs::path(to) / kIdentity, "id") == id ? to
                                                                                    : std::string();
}

}  // namespace

bool noteMove(const std::string& from, const std::string& to) {
  for (const bool isRetry : {false, true}) {
    std::error_code ignored;
    if (isRetry) fs::remove(fs::path(from) / "history.bin", ignored);
    try {
      write(fs::path(from) / kNote, Json{{"to", to}, {"id", identityOf(to)}});
      return true;
    }
    catch (const Error&) {
      // The second try has the space of the history
    }
  }
  return false;
}

std::string placeOfRun(const std::string& directory) {
  constexpr int kMaxMoves = 10;
  std::string place = directory;
  for (int move = 0; move < kMaxMoves; ++move) {
    const std::string next = noted(place);
    if (next.empty()) break;
    place = next;
  }
  return place;
}

}  // namespace strata
