// SPDX-License-Identifier: Apache-2.0
// Runs in another folder: their disk was full, or their project had no file when they began. A
// directory with a note among the runs of the project keeps them in its list. Not here: copying the
// files (core/train/run_files.cpp).
// Thread: any thread, as long as no other process writes to the directories.
#pragma once

#include <string>

namespace strata {

/// Notes in the directory `from` that its run went on in `to`, an absolute path. If the disk has no
/// space even for this, removes the history in `from`, which `to` contains. Returns false if the
/// note could not be written.
bool noteMove(const std::string& from, const std::string& to);

/// Returns the directory in which the run of this directory went on, or the same directory if it
/// did not move, or if the other one does not contain the same run.
std::string placeOfRun(const std::string& directory);

}  // namespace strata
