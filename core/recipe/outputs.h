// SPDX-License-Identifier: Apache-2.0
// Which outputs of a network are trained, with the loss, loss weight and metrics of each. Reads
// /training/loss, /training/loss_weights and /training/metrics, each given as one value for a
// single output, a list, or an object by output.
// Thread: pure functions.
#pragma once

#include <vector>

#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

/// All outputs, also those that are not trained; at least one is trained. Problems are added to
/// `diagnostics`.
std::vector<OutputOptions> readOutputs(const Project& project, const Model& model,
                                       Diagnostics& diagnostics);

/// The field of a data source with the weights of its samples: one value for all outputs, or an
/// object by output; null if all weights are equal.
constexpr const char* kSampleWeights = "weights";
/// Whether the project's data source has sample weights for this output.
bool weighsSamples(const Project& project, const std::string& output);

}  // namespace strata
