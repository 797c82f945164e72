// SPDX-License-Identifier: Apache-2.0
// Computes variables that layers take from the training data before the first step: means and
// variances (Normalization), bin boundaries (Discretization). Not here: the layers' requests for
// them (core/layers/adapted.h). Thread: any; only reads the data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/layers/layer.h"

namespace strata {

/// The values for the variables that request them, from the training samples, in double. Means and
/// variances are NumPy's, boundaries Keras's over all values. inputs: names of the Input layers, in
/// the order of the arrays of the data.
std::map<std::string, Tensor> adaptedValues(const std::vector<VariableRequest>& variables,
                                            const std::vector<std::string>& inputs,
                                            const Dataset& dataset);

}  // namespace strata
