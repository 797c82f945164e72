// SPDX-License-Identifier: Apache-2.0
// Reads which outputs of a network are trained, and the loss, loss weight and metrics of each. The
// fields are /training/loss, /training/loss_weights and /training/metrics. Each field is one value
// for a single output, a list, or an object with a key for each output.
// Not here: the other options of training (options.h).
// Thread: the functions have no side effects, so any thread may call them.
#pragma once

#include <vector>

#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

/// Returns all outputs, of which at least one is trained. Problems are added to `diagnostics`.
std::vector<OutputOptions> readOutputs(const Project& project, const Model& model,
                                       Diagnostics& diagnostics);

/// Name of the field of a data source that contains sample weights. The field has one value for all
/// outputs, or an object with a key for each output. It is null if all weights are equal.
constexpr const char* kSampleWeights = "weights";
/// Returns whether the project's data source has sample weights for this output.
bool weighsSamples(const Project& project, const std::string& output);

}  // namespace strata
