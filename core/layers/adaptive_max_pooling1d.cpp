// SPDX-License-Identifier: Apache-2.0
// AdaptiveMaxPooling1D takes the maximum of a fixed number of windows, whatever the length of the
// input.
// Formula: window i covers the steps floor(i T / P) to ceil((i + 1) T / P) - 1.
// Input: [N,T,C].
// Output: [N,P,C]; P is `output_size`.
// Gradient: derived from its ops.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3.
// Source: Keras 3, keras.layers.AdaptiveMaxPooling1D; PyTorch, torch.nn.AdaptiveMaxPool1d.
#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

const LayerDef& adaptiveMaxPooling1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AdaptiveMaxPooling1D",
                 .group = "Pooling",
                 .help = STRATA_TEXT(
                     "layers",
                     "Max pooling to a fixed output size, independent of the size of the input"),
                 .formula =
                     "y_i = max of x from floor(i * n / size) to ceil((i + 1) * n / size) - 1",
                 .source = "Keras 3, keras.layers.AdaptiveMaxPooling1D",
                 .fields = {{.name = "output_size",
                             .type = FieldType::IntegerOrList,
                             .exampleJson = "4",
                             .minimum = 1.0,
                             .maximum = 65536.0,
                             .count = 1,
                             .help = STRATA_TEXT("layers", "Number of time steps of the output"),
                             .title = STRATA_TEXT("layers", "Output size")}}},
      .lower = [](LayerContext& context) { return pooledTo(context, 1, PoolKind::Max); },
  };
  return definition;
}

}  // namespace strata
