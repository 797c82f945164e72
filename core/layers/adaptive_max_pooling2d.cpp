// SPDX-License-Identifier: Apache-2.0
// AdaptiveMaxPooling2D: max pooling to a fixed number of windows, for any size of the input.
// Formula: window i runs from floor(i n / size) to ceil((i + 1) n / size) - 1. Input: [N,H,W,C].
// Output: [N,P,Q,C]. Gradient: from its ops. Numerics: exact. Errors: shape_mismatch for more
// windows than cells. Source: Keras 3, keras.layers.AdaptiveMaxPooling2D; PyTorch.
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
