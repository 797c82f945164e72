// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/run_notes.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/project/atomic_file.h"
#include "core/project/project.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "strata-run-notes";
constexpr int kVersion = 1;
constexpr size_t kMaxFileBytes = size_t{1} << 20;

std::string pathIn(const std::string& runDirectory) {
  return (fs::path(runDirectory) / "notes.json").string();
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw Error(ErrorCode::InvalidFile, path,
              what + " Move the file away; the run has no notes without it.");
}

/// Returns the document of the file, or null if there is no file.
Json readDocument(const std::string& path) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return nullptr;
  if (fs::is_symlink(status)) fail(path, "is a link (expected a file of Strata).");
  Json json;
  try {
    json = parseJson(readFile(path, kMaxFileBytes), path);
  }
  catch (const Error& failure) {
    if (failure.code() == ErrorCode::IoFailure) throw;
    fail(path, std::string("is damaged: ") + failure.what());
  }
  if (memberOf(json, "format") != kFormat)
    fail(path, std::string("is not a file of notes (expected the format \"") + kFormat + "\").");
  const Json& version = memberOf(json, "version");
  if (!version.is_number_integer() || version != kVersion)
    fail(path, "has an unknown version (expected " + std::to_string(kVersion) + ", got " +
                   excerpt(version.dump(), 40) + ").");
  return json;
}

/// Returns what is wrong with a text, or "".
std::string problemOf(std::string_view text, size_t mostBytes, bool mayHaveLines) {
  if (text.size() > mostBytes)
    return "is too long (expected at most " + std::to_string(mostBytes) + " bytes, got " +
           std::to_string(text.size()) + ").";
  for (size_t at = 0; at < text.size();) {
    const size_t length = utf8Length(text, at);
    if (length == 0) return "is not UTF-8.";
    const auto first = static_cast<unsigned char>(text[at]);
    const bool isLine = mayHaveLines && (first == '\n' || first == '\t');
    if ((first < 0x20 || first == 0x7F) && !isLine) return "contains a control character.";
    at += length;
  }
  return "";
}

/// Returns the name of the first wrong value and what is wrong with it, or "".
std::string problemOf(const RunNotes& notes) {
  if (const std::string problem = problemOf(notes.title, kMaxTitleBytes, false); !problem.empty())
    return "title: " + problem;
  if (const std::string problem = problemOf(notes.text, kMaxNoteBytes, true); !problem.empty())
    return "text: " + problem;
  if (notes.tags.size() > kMaxTags)
    return "tags: are too many (expected at most " + std::to_string(kMaxTags) + ", got " +
           std::to_string(notes.tags.size()) + ").";
  for (const std::string& tag : notes.tags) {
    if (tag.empty()) return "tags: one is empty.";
    if (const std::string problem = problemOf(tag, kMaxTagBytes, false); !problem.empty())
      return "tag " + excerpt(tag, 40) + ": " + problem;
  }
  return "";
}

bool flagIn(const Json& json, const char* name, const std::string& path) {
  const Json& value = memberOf(json, name);
  if (value.is_null()) return false;
  if (!value.is_boolean())
    fail(path, std::string(name) + " has the wrong type (expected true or false).");
  return value.get<bool>();
}

std::string textIn(const Json& json, const char* name, const std::string& path) {
  const Json& value = memberOf(json, name);
  if (value.is_null()) return {};
  if (!value.is_string()) fail(path, std::string(name) + " has the wrong type (expected a text).");
  return value.get<std::string>();
}

RunNotes notesOf(const Json& json, const std::string& path) {
  RunNotes notes;
  notes.title = textIn(json, "title", path);
  notes.text = textIn(json, "text", path);
  notes.isArchived = flagIn(json, "archived", path);
  notes.isKept = flagIn(json, "keep", path);
  if (const Json& tags = memberOf(json, "tags"); !tags.is_null()) {
    if (!tags.is_array()) fail(path, "tags has the wrong type (expected a list of texts).");
    for (const Json& tag : tags) {
      if (!tag.is_string()) fail(path, "tags has the wrong type (expected a list of texts).");
      std::string text = tag.get<std::string>();
      if (std::ranges::find(notes.tags, text) == notes.tags.end())
        notes.tags.push_back(std::move(text));
    }
  }
  if (const std::string problem = problemOf(notes); !problem.empty()) fail(path, problem);
  return notes;
}

void replace(const std::string& path, const std::string& bytes) {
  try {
    writeFileAtomically(path, bytes, Links::Replace);
  }
  catch (const Error&) {
    // A run that is continued at this moment removes temporary files, also this one
    writeFileAtomically(path, bytes, Links::Replace);
  }
}

}  // namespace

Json RunNotes::toJson() const {
  return {
      {"title", title}, {"text", text}, {"tags", tags}, {"archived", isArchived}, {"keep", isKept}};
}

RunNotes readRunNotes(const std::string& runDirectory) {
  const std::string path = pathIn(runDirectory);
  const Json json = readDocument(path);
  return json.is_null() ? RunNotes() : notesOf(json, path);
}

void writeRunNotes(const std::string& runDirectory, const RunNotes& notes) {
  const std::string path = pathIn(runDirectory);
  if (const std::string problem = problemOf(notes); !problem.empty())
    throw Error(ErrorCode::InvalidArgument, runDirectory, problem + " Shorten or correct it.");
  Json json = readDocument(path);
  if (json.is_null())
    json = Json{{"format", kFormat}, {"version", kVersion}};
  else
    (void)notesOf(json, path);
  const Json values = notes.toJson();
  for (const auto& [name, value] : values.items())
    json[name] = value;
  std::string bytes = printJson(json);
  if (bytes.size() > kMaxFileBytes)
    throw Error(ErrorCode::InvalidArgument, path,
                "would be too large. Shorten the notes, or remove unknown keys from the file.");
  replace(path, bytes);
}

}  // namespace strata
