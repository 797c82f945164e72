// SPDX-License-Identifier: Apache-2.0
// Finds the weights that a user names: a file, or a run directory with weights. Not here: reading
// them (core/interchange). Thread: the functions only access the file system.
#pragma once

#include <string>

#include "core/project/project.h"

namespace strata {

/// Returns `path`, which is relative to the project file, as a path that can be opened. If the file
/// exists only relative to the current folder, as on the command line, returns `path` unchanged.
std::string pathInProject(const Project& project, const std::string& path);
/// Returns the path of the weights file (.safetensors, .npz): the given file, or the weights in the
/// given run directory, or where this run went on (moved_run.h). Fails: InvalidFile if there is
/// none.
std::string weightsFile(const std::string& given);

}  // namespace strata
