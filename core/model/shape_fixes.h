// SPDX-License-Identifier: Apache-2.0
// Fixes that change how layers are connected, for problems of shapes and inputs that have no fix
// yet. Thread: pure functions.
#pragma once

#include "core/model/model.h"

namespace strata {

/// Adds fixes to `diagnostics`. Each was tried: afterwards the layer has no error.
void proposeShapeFixes(const Project& project, const Model& model, const ModelSummary& summary,
                       int64_t batchSize, Diagnostics& diagnostics);

/// Of an output with more than one row of numbers: a Flatten before `dense`, the layer that sizes
/// it, or a Flatten and a Dense behind it where that is null. None where neither is possible.
/// `activation`: of the new Dense; "": its default.
std::vector<Fix> flattenFixes(const Json& document, const Model& model, const ModelSummary& summary,
                              const Layer& output, const Layer* dense, int64_t units,
                              const char* activation);

}  // namespace strata
