// SPDX-License-Identifier: Apache-2.0
// Computes variables that layers derive from the training data before the first step: means and
// variances (Normalization) and bin boundaries (Discretization). Not here: the requests of the
// layers (core/layers/adapted.h).
// Thread: any thread may call the function, which only reads the data.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/layers/layer.h"

namespace strata {

/// Returns the values of the variables that adapt to the training samples, computed in double
/// precision. Means and variances match NumPy. Boundaries match those that Keras computes from all
/// values at once. `inputs` are the names of the Input layers in the order of the data's arrays.
std::map<std::string, Tensor> adaptedValues(const std::vector<VariableRequest>& variables,
                                            const std::vector<std::string>& inputs,
                                            const Dataset& dataset);

}  // namespace strata
