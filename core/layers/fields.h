// SPDX-License-Identifier: Apache-2.0
// Fields that several layers share, so that each is described once. Thread: pure.
#pragma once

#include "core/layers/schema.h"
#include "gpu/ops/build.h"

namespace strata {

/// Fields of every layer: trainable, learning_rate_factor, device. The registry appends them.
std::vector<FieldSchema> commonLayerFields();

FieldSchema activationField(const char* defaultJson = "\"linear\"");
FieldSchema useBiasField();
FieldSchema initializerField(const char* name, const char* defaultJson, Text title);
FieldSchema regularizerField(const char* name, Text title);
FieldSchema kernelSizeField();
FieldSchema poolSizeField();
/// defaultJson "null": as pool_size.
FieldSchema stridesField(const char* defaultJson);
FieldSchema paddingField();
FieldSchema dilationField();

class LayerContext;
/// Strides, dilation and Keras's padding for an image [N,H,W,C]: "same" pads to ceil(size / stride), the odd cell after.
/// Fails: shape_mismatch where the window is larger than the image, out_of_range where strides and dilation are both above 1 for a convolution.
Window2D imageWindow(const LayerContext& context, const std::vector<int64_t>& window, const std::vector<int64_t>& strides,
                     const std::vector<int64_t>& dilation);

}  // namespace strata
