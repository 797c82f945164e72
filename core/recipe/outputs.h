// SPDX-License-Identifier: Apache-2.0
// Which outputs of a network are trained, with the loss, its weight and the metrics of each:
// /training/loss, /training/loss_weights and /training/metrics, as one for the only output, a list,
// or an object by output. Thread: pure functions.
#pragma once

#include <vector>

#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

/// Also those that are not trained. At least one is; where something is wrong the problem goes to
/// `diagnostics`.
std::vector<OutputOptions> readOutputs(const Project& project, const Model& model,
                                       Diagnostics& diagnostics);

/// The field of a data source with weights of its samples: one for all outputs, or an object by
/// output; null where all count the same.
constexpr const char* kSampleWeights = "weights";
/// Does the project's data source name weights of its samples for this output?
bool weighsSamples(const Project& project, const std::string& output);

}  // namespace strata
