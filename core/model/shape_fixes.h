// SPDX-License-Identifier: Apache-2.0
// Fixes that change connections, for problems with shapes and inputs that have no fix yet. Not
// here: fixes of fields (core/layers). Thread: pure functions.
#pragma once

#include "core/model/model.h"

namespace strata {

/// Adds fixes to `diagnostics`. Each one is tried first and removes the errors of the layer.
void proposeShapeFixes(const Project& project, const Model& model, const ModelSummary& summary,
                       int64_t batchSize, Diagnostics& diagnostics);

/// For an output with more than one dimension: inserts a Flatten before `dense`, the layer that
/// sets its size, or appends a Flatten and a Dense where `dense` is null. Empty where neither is
/// possible. `activation` of the new Dense; "" means its default.
std::vector<Fix> flattenFixes(const Json& document, const Model& model, const ModelSummary& summary,
                              const Layer& output, const Layer* dense, int64_t units,
                              const char* activation);

}  // namespace strata
