// SPDX-License-Identifier: Apache-2.0
// The filters of convolutions as images.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <map>
#include <string>

#include "core/model/model.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// Returns whether a layer is a convolution with filters. A layer in a Block has the number of the
/// repeat: "block/0/conv".
bool hasFilters(const Model& model, const std::string& layer);

/// Returns the kernel of a convolution as one image for each filter: [filters, sizes..., channels].
/// The filters of a depthwise convolution have one channel. Without the number of a repeat, the
/// layer in a Block is that of the last repeat. Fails: InvalidArgument if there is no such layer,
/// or it is no convolution.
Tensor filterImages(const Model& model, const std::map<std::string, Tensor>& weights,
                    const std::string& layer);

}  // namespace strata
