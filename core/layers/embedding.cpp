// SPDX-License-Identifier: Apache-2.0
// Embedding looks up a learned vector for each index.
// Formula: y[n,t] = embeddings[x[n,t]].
// Input: [N, ...], integers from 0 to input_dim - 1.
// Output: [N, ..., output_dim].
// Variables: `embeddings` [input_dim,output_dim].
// Gradient: summed into the rows that were looked up. Optimizers square each contribution
//   separately, like Keras on TensorFlow (core/recipe/optimizers.h).
// Numerics: exact. An index out of range gives NaN, which stops training with an error that names
//   the layer.
// Errors: none.
// Source: Keras 3, keras.layers.Embedding.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerEmbedding(LayerContext& context) {
  Graph& g = context.graph;
  const ValueId x = context.inputs[0];
  const ValueId table =
      context.variable("embeddings", {context.integer("input_dim"), context.integer("output_dim")},
                       "embeddings_initializer", true, 0, 0, "embeddings_regularizer");
  if (context.boolean("mask_zero"))
    context.outputMask = notEqual(g, context.floatInput(), constantScalar(g, DType::F32, 0));
  return gather(
      g, table,
      isFloating(g.type(x).dtype) || g.type(x).dtype == DType::U8 ? cast(g, x, DType::I32) : x);
}

}  // namespace

const LayerDef& embeddingLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Embedding",
                 .group = "Embedding",
                 .help = STRATA_TEXT("layers",
                                     "Turns each index, such as a word, into a learned vector"),
                 .formula = "y = embeddings[x]",
                 .source = "Keras 3, keras.layers.Embedding",
                 .fields = {{.name = "input_dim",
                             .type = FieldType::Integer,
                             .exampleJson = "1000",
                             .minimum = 1.0,
                             .maximum = 1e8,
                             .help = STRATA_TEXT(
                                 "layers", "Size of the vocabulary: the largest index plus 1"),
                             .title = STRATA_TEXT("layers", "Input dimension")},
                            {.name = "output_dim",
                             .type = FieldType::Integer,
                             .exampleJson = "32",
                             .minimum = 1.0,
                             .maximum = 1e6,
                             .help = STRATA_TEXT("layers", "Size of each vector"),
                             .title = STRATA_TEXT("layers", "Output size")},
                            switchField(
                                "mask_zero", "false",
                                STRATA_TEXT("layers",
                                            "Treat index 0 as padding, which later layers skip"),
                                STRATA_TEXT("layers", "Mask zero")),
                            initializerField("embeddings_initializer", "\"random_uniform\"",
                                             STRATA_TEXT("layers", "Embeddings initializer")),
                            regularizerField("embeddings_regularizer",
                                             STRATA_TEXT("layers", "Embeddings regularizer"))}},
      .lower = lowerEmbedding,
  };
  return definition;
}

}  // namespace strata
