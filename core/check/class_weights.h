// SPDX-License-Identifier: Apache-2.0
// Class weights that depend on the data: by the name of a class, or "balanced".
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <vector>

#include "core/data/dataset.h"
#include "core/recipe/options.h"

namespace strata {

/// Returns the weight of each class if the project gives names of classes or "balanced"; otherwise
/// an empty list. A balanced weight is samples / (classes * samples of the class), counted in the
/// training set, as in scikit-learn. Fails: InvalidProject for a name that no class has, if the
/// targets are not classes, or if a class number is too high.
std::vector<double> classWeightsOf(const TrainingOptions& training, const Dataset& dataset);

/// Appends a problem for each weight that belongs to no class of the target, and a problem if the
/// targets are not one class for each sample. `dataset` may be null if samples were not read.
void checkClassWeights(const TrainingOptions& training, const DataTarget& target,
                       const Dataset* dataset, Diagnostics& diagnostics);

}  // namespace strata
