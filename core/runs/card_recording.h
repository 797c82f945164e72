// SPDX-License-Identifier: Apache-2.0
// Recordings in a folder that `./dev gpu-test --out` wrote: the events of a training
// (recording-mnist-cnn.jsonl) and a profile (recording-profile.json). They become a run directory,
// so that everything that reads runs can read them. Not here: writing the folder
// (tests/card/card_report.py), showing it (ui/run/replay.h).
// Thread: the functions only access the file system.
#pragma once

#include <string>

#include "core/project/project.h"

namespace strata {

/// Whether the folder has a recording of a card.
bool hasCardRecording(const std::string& folder);
/// Writes the files of a run to the empty directory `target`: project.json, events.jsonl,
/// history.bin, and profile.json if there is a profile. `project` is the one that the card trained.
/// Lines that are damaged are left out. Fails: InvalidFile if the folder has no recording;
/// IoFailure.
void makeRunOfCardRecording(const std::string& folder, const Project& project,
                            const std::string& target);

}  // namespace strata
