// SPDX-License-Identifier: Apache-2.0
// What a user notes about a run: title, text, tags, and whether it is archived or kept, in
// `notes.json` of its directory. Notes may be edited while the run trains. They need no lock,
// because training never reads or writes them. Not here: notes of a project (its own file).
// Thread: value types, and functions that only access the file system.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/project/json.h"

namespace strata {

inline constexpr size_t kMaxTitleBytes = 400, kMaxNoteBytes = 65536, kMaxTagBytes = 80,
                        kMaxTags = 50;

struct RunNotes {
  std::string title;
  // Any number of lines
  std::string text;
  // In the order of the user, without duplicates
  std::vector<std::string> tags;
  // Archived runs are hidden from lists unless the user asks for them
  bool isArchived = false;
  // Kept runs are never proposed for deletion (retention.h)
  bool isKept = false;
  bool operator==(const RunNotes&) const = default;
  Json toJson() const;
};

/// Returns the notes of a run, which are empty if there is no file. Fails: InvalidFile if the file
/// is damaged, too large, of a later version or not of Strata; IoFailure.
RunNotes readRunNotes(const std::string& runDirectory);
/// Replaces the notes of a run completely or not at all. Keeps keys that this version does not
/// know. Fails: InvalidArgument if a value is too long, has control characters or is not UTF-8;
/// InvalidFile as readRunNotes(), so that no other file is replaced; IoFailure.
void writeRunNotes(const std::string& runDirectory, const RunNotes& notes);

}  // namespace strata
