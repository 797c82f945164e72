// SPDX-License-Identifier: Apache-2.0
// The weights that a person names: a file, or a run directory that holds one. Not here: reading
// them (core/interchange). Thread: pure functions on the file system.
#pragma once

#include <string>

#include "core/project/project.h"

namespace strata {

/// Paths in a project start at its file; one given on the command line may start where the person
/// is.
std::string pathInProject(const Project& project, const std::string& path);
/// The file of weights (.safetensors, .npz) that a person means: itself, or that of a run
/// directory. Fails: InvalidFile where there is none.
std::string weightsFile(const std::string& fileOrRun);

}  // namespace strata
