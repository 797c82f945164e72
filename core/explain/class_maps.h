// SPDX-License-Identifier: Apache-2.0
// The arithmetic of saliency and Grad-CAM maps. Not here: the gradients (score_graph.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Returns the largest absolute value over the channels, which are the last axis of a gradient with
/// at least two axes. Requires: type f32, without a batch dimension.
Tensor largestOverChannels(const Tensor& gradient);

/// Returns the sum of the channels, each weighted by the mean of its gradient, without its negative
/// part. Requires: both have the same shape [axes..., channels] and type f32.
Tensor weightedChannels(const Tensor& values, const Tensor& gradient);

/// Returns a map in another size, interpolated linearly along each axis, with pixel centers at half
/// coordinates (align_corners=False). Requires: `sizes` has one size for each axis; type f32.
Tensor resizedMap(const Tensor& map, std::span<const int64_t> sizes);

}  // namespace strata
