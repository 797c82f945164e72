// SPDX-License-Identifier: Apache-2.0
// AdaptiveMaxPooling2D takes the maximum of a fixed number of windows, whatever the size of the
// input.
// Formula: along the height, window i covers floor(i H / P) to ceil((i + 1) H / P) - 1. The
//   windows along the width are computed in the same way.
// Input: [N,H,W,C].
// Output: [N,P,Q,C]; P and Q are `output_size`.
// Gradient: derived from its ops.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 4.
// Source: Keras 3, keras.layers.AdaptiveMaxPooling2D; PyTorch, torch.nn.AdaptiveMaxPool2d.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& adaptiveMaxPooling2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AdaptiveMaxPooling2D",
                 .group = "Pooling",
                 .help = STRATA_TEXT(
                     "layers",
                     "Max pooling to a fixed output size, independent of the size of the input"),
                 .formula =
                     "y_i = max of x from floor(i * n / size) to ceil((i + 1) * n / size) - 1",
                 .source = "Keras 3, keras.layers.AdaptiveMaxPooling2D",
                 .fields = {{.name = "output_size",
                             .type = FieldType::IntegerOrList,
                             .exampleJson = "[4, 4]",
                             .minimum = 1.0,
                             .maximum = 65536.0,
                             .count = 2,
                             .help = STRATA_TEXT("layers", "Height and width of the output"),
                             .title = STRATA_TEXT("layers", "Output size")}}},
      .lower = [](LayerContext& context) { return pooledTo(context, 2, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata
