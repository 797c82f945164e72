// SPDX-License-Identifier: Apache-2.0
// Transforms whose numbers are statistics of the training samples. Not here: the list of transforms
// (transforms.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/data/transforms.h"

namespace strata {

/// Returns a step with a shift and a scale for each element of a sample.
MapStep affineStep(const std::vector<double>& shifts, const std::vector<double>& scales,
                   bool isExact);
/// Returns a step in which element i has the shift and the scale at index places[i].
MapStep affineStep(const std::vector<size_t>& places, const std::vector<double>& shifts,
                   const std::vector<double>& scales, bool isExact);

/// These functions return the step of a transform. They use the first `trainCount` samples of the
/// array with index `place`, which has samples of this shape. `soFar` are the steps before it.
/// Fails with the errors of Samples::decode.
MapStep fitStandardize(const TransformList::Entry& entry, const Samples& train, size_t place,
                       int64_t trainCount, const Shape& shape, const InputTransform& soFar);
MapStep fitMinMax(const TransformList::Entry& entry, const Samples& train, size_t place,
                  int64_t trainCount, const Shape& shape, const InputTransform& soFar);

}  // namespace strata
