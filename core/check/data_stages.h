// SPDX-License-Identifier: Apache-2.0
// The path of a sample from its file into a step as a list of stages, with their sizes in a
// project. Only describes what core/data and core/train/feeder.h do.
// Thread: pure functions.
#pragma once

#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/diagnostic.h"

namespace strata {

struct DataStage {
  // "source", "slice", "split", "cache", "shuffle", "batch", "map" or "prefetch"
  std::string type;
  // What the stage does in this project
  Phrase phrase;
  // Its values by name: "train", "bytes", ...
  std::vector<std::pair<std::string, double>> values = {};
};

/// The stages in the order in which a sample passes them. Requires: project.data().isKnown.
std::vector<DataStage> dataStages(const CheckedProject& project);
/// A schema for each stage except the source: its help and the fields of the project that control
/// it.
std::vector<Schema> dataStageSchemas();

}  // namespace strata
