// SPDX-License-Identifier: Apache-2.0
// Which runs started from the weights of others. Not here: the table (run_table.h).
// Thread: the functions only access the file system.
#pragma once

#include <string>
#include <vector>

#include "core/runs/run_directory.h"

namespace strata {

/// Returns a path without links, "." and "..", so that equal places have equal texts.
std::string canonicalPlace(const std::string& path);
/// Returns the directory of the run with these weights, which are a file in it or the directory
/// itself. The result is a canonicalPlace(), and may be no run.
std::string runOfWeights(const std::string& path);
/// Returns the weights with which a run started, as an absolute path, or "". `projectPath` is the
/// file from which relative paths in the project start.
std::string weightsBefore(const RunInfo& info, const Project* project,
                          const std::string& projectPath);
/// Returns the path of the project of a run directory: the one in environment.json if its runs are
/// in this folder, or else the one by the name of the folder, "mnist.json" for "mnist.runs/001".
/// The file may not exist.
std::string likelyProjectOf(const std::string& runDirectory);

/// A run that starts from another one.
struct Descent {
  // The directory of the run among those of its project
  std::string run;
  // The canonicalPlace() of the run from which it starts
  std::string from;
};
/// Returns the runs in these folders that start from weights. Each folder contains runs, such as
/// one of runFolders().
std::vector<Descent> descentsIn(const std::vector<std::string>& folders);
/// Returns the folders whose runs may start from this run: those of its project, and those of the
/// other projects in the same folder.
std::vector<std::string> foldersNear(const std::string& runDirectory);

}  // namespace strata
