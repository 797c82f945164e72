// SPDX-License-Identifier: Apache-2.0
// The way of a sample from its file into a step as one list of stages, with the sizes they have in
// a project. It describes what core/data and batches.h do and does nothing itself. Thread: pure
// functions.
#pragma once

#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/diagnostic.h"

namespace strata {

struct DataStage {
  // "source", "slice", "split", "cache", "shuffle", "batch", "map" or "prefetch"
  std::string type;
  // What it does here
  Phrase phrase;
  // Its numbers: "train", "bytes", ...
  std::vector<std::pair<std::string, double>> values = {};
};

/// In the order a sample passes them. Requires: project.data().isKnown.
std::vector<DataStage> dataStages(const CheckedProject& project);
/// A schema for each stage but the source: what it is, and the fields of the project that set it.
std::vector<Schema> dataStageSchemas();

}  // namespace strata
