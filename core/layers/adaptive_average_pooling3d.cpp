// SPDX-License-Identifier: Apache-2.0
// AdaptiveAveragePooling3D averages a fixed number of windows, whatever the size of the input.
// Formula: along the depth, window i covers floor(i D / P) to ceil((i + 1) D / P) - 1. The
//   windows along height and width are computed in the same way.
// Input: [N,D,H,W,C].
// Output: [N,P,Q,R,C]; P, Q and R are `output_size`.
// Gradient: derived from its ops.
// Numerics: float32 sums.
// Errors: shape_mismatch unless the input has rank 5.
// Source: Keras 3, keras.layers.AdaptiveAveragePooling3D; PyTorch, torch.nn.AdaptiveAvgPool3d.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& adaptiveAveragePooling3dLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "AdaptiveAveragePooling3D",
           .group = "Pooling",
           .help = STRATA_TEXT(
               "layers",
               "Average pooling to a fixed output size, independent of the size of the input"),
           .formula = "y_i = mean of x from floor(i * n / size) to ceil((i + 1) * n / size) - 1",
           .source = "Keras 3, keras.layers.AdaptiveAveragePooling3D",
           .fields = {{.name = "output_size",
                       .type = FieldType::IntegerOrList,
                       .exampleJson = "[4, 4, 4]",
                       .minimum = 1.0,
                       .maximum = 65536.0,
                       .count = 3,
                       .help = STRATA_TEXT("layers", "Depth, height and width of the output"),
                       .title = STRATA_TEXT("layers", "Output size")}}},
      .lower = [](LayerContext& context) { return pooledTo(context, 3, PoolKind::Average); },
  };
  return definition;
}

}  // namespace strata
