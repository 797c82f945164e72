// SPDX-License-Identifier: Apache-2.0
// Proposes fixes for problems with shapes and inputs that have no fix yet. The fixes insert layers,
// add inputs, or change the size or padding of earlier layers. Not here: fixes of a wrong field
// (core/layers). Thread: the functions are pure, so any thread may call them.
#pragma once

#include "core/model/model.h"

namespace strata {

/// Adds fixes to `diagnostics`. Each fix was tried, and removes the errors of its layer.
void proposeShapeFixes(const Project& project, const Model& model, const ModelSummary& summary,
                       int64_t batchSize, Diagnostics& diagnostics);

/// Returns fixes for an output with more than one dimension. They insert a Flatten before `dense`,
/// the layer that sets the size of the output. If `dense` is null, they append a Flatten and a
/// Dense with `activation` ("" means the default). The result is empty if neither is possible.
std::vector<Fix> flattenFixes(const Json& document, const Model& model, const ModelSummary& summary,
                              const Layer& output, const Layer* dense, int64_t units,
                              const char* activation);

}  // namespace strata
