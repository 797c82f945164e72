// SPDX-License-Identifier: Apache-2.0
// Describes the path of a sample from its file into a step as a list of stages with their sizes.
// The stages themselves are implemented in core/data and core/train/feeder.h.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/diagnostic.h"

namespace strata {

struct DataStage {
  // Name of the stage: "source", "slice", "split", "cache", "shuffle", "batch", "map" or "prefetch"
  std::string type;
  // What the stage does in this project
  Phrase phrase;
  // Values of the stage by name: "train", "bytes", ...
  std::vector<std::pair<std::string, double>> values = {};
};

/// Returns the stages in the order in which a sample passes them. Requires: project.data().isKnown.
std::vector<DataStage> dataStages(const CheckedProject& project);
/// Returns a schema for each stage except the source. A schema contains the help of the stage and
/// the project's fields that control it.
std::vector<Schema> dataStageSchemas();

}  // namespace strata
