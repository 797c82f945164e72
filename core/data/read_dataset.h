// SPDX-License-Identifier: Apache-2.0
// Reads the samples of a source and assembles them into a data set: selection, target transforms
// and fitted input transforms. Not here: the policy for damaged samples, and descriptions
// (dataset.cpp).
// Thread: any thread may call the function. If the source has a state, calls wait for each other.
#pragma once

#include <memory>

#include "core/data/dataset.h"
#include "core/data/parsed_data.h"
#include "core/project/project.h"

namespace strata {

/// Reads the samples of data.source, which must not be null. If the source has a state, keeps the
/// last data set until the state or the project's `data` changes, so that check, run and evaluation
/// of a project read it only once. Fails: InvalidFile and IoFailure naming file and byte;
/// InvalidProject.
std::shared_ptr<const Dataset> readDataset(const ParsedData& data, const Project& project);

}  // namespace strata
