// SPDX-License-Identifier: Apache-2.0
// Finds the weights that a user names: a file, or a run directory that contains one. Not here:
// reading them (core/interchange). Thread: pure functions on the file system.
#pragma once

#include <string>

#include "core/project/project.h"

namespace strata {

/// Paths in a project are relative to its file. A path given on the command line may be relative to
/// the current folder.
std::string pathInProject(const Project& project, const std::string& path);
/// The weights file (.safetensors, .npz): the file itself, or that of a run directory. Fails:
/// InvalidFile where there is none.
std::string weightsFile(const std::string& fileOrRun);

}  // namespace strata
