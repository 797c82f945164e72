// SPDX-License-Identifier: Apache-2.0
// CategoryEncoding encodes indices as vectors.
// Formula: "one_hot" sets y[..,c] to 1 if x = c; "multi_hot" takes the maximum of these vectors
//   over dimension 1, "count" their sum.
// Input: [N,K,...], integers from 0 to num_tokens - 1.
// Output: [N,...,num_tokens]; "one_hot" returns one vector per index.
// Gradient: none.
// Numerics: exact; an index out of range gives zeros.
// Errors: too_large.
// Source: Keras 3, keras.layers.CategoryEncoding.
#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

const LayerDef& categoryEncodingLayer() {
  static const LayerDef definition = {
      .schema = {.type = "CategoryEncoding",
                 .group = "Preprocessing",
                 .help = STRATA_TEXT("layers",
                                     "Encodes indices as one-hot, multi-hot or count vectors"),
                 .formula = "y_c = (x == c); maximum or sum over a sample",
                 .source = "Keras 3, keras.layers.CategoryEncoding",
                 .fields = {{.name = "num_tokens",
                             .type = FieldType::Integer,
                             .exampleJson = "10",
                             .minimum = 1.0,
                             .maximum = 1e8,
                             .help = STRATA_TEXT("layers", "Number of different indices"),
                             .title = STRATA_TEXT("layers", "Number of indices")},
                            {.name = "output_mode",
                             .type = FieldType::Choice,
                             .defaultJson = "\"multi_hot\"",
                             .choices = {"multi_hot", "one_hot", "count"},
                             .help = STRATA_TEXT("layers",
                                                 "one_hot: one vector per index; multi_hot: which "
                                                 "indices occur; count: how often each occurs"),
                             .title = STRATA_TEXT("layers", "Output mode")}}},
      .lower =
          [](LayerContext& context) {
            return encodedIndices(context, context.inputs[0], context.integer("num_tokens"),
                                  context.string("output_mode"));
          },
  };
  return definition;
}

}  // namespace strata
