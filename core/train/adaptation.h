// SPDX-License-Identifier: Apache-2.0
// Values of variables that layers take from the training data before the first step: means and
// variances (Normalization), bin boundaries (Discretization). Not here: asking for them
// (core/layers/adapted.h). Thread: any one; reads the data only.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/layers/layer.h"

namespace strata {

/// Of the samples that train, in double; means and variances as NumPy's, boundaries as Keras's of
/// all values. Empty where no variable asks for one. inputs: names of the Input layers, whose
/// arrays the data has in this order.
std::map<std::string, Tensor> adaptedValues(const std::vector<VariableRequest>& variables,
                                            const std::vector<std::string>& inputs,
                                            const Dataset& dataset);

}  // namespace strata
