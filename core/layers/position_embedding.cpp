// SPDX-License-Identifier: Apache-2.0
// PositionEmbedding returns a learned vector for each step, whatever the values of the input. An
// Add layer usually adds it to the input.
// Formula: y[n,t] = embeddings[t].
// Input: [N,T,F]; T is at most `sequence_length`.
// Output: the same shape.
// Variables: `embeddings` [sequence_length,F].
// Gradient: summed over the samples.
// Numerics: exact.
// Errors: shape_mismatch unless the input has rank 3 and at most `sequence_length` steps.
// Source: Devlin et al., 2018; KerasHub, keras_hub.layers.PositionEmbedding.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerPositionEmbedding(LayerContext& context) {
  context.requireRank(3);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int64_t length = context.integer("sequence_length");
  if (in[1] > length)
    context.fail("shape_mismatch", "sequence_length",
                 STRATA_TEXT("problem",
                             "the input has %1 steps (expected at most %2, the value of "
                             "sequence_length). Set sequence_length to %1 or more."),
                 {std::to_string(in[1]), std::to_string(length)},
                 {context.setFieldFix("sequence_length", std::to_string(in[1]))});
  const ValueId table = context.variable("embeddings", {length, in[2]}, "initializer");
  return broadcastTo(g, reshape(g, slice(g, table, {0, 0}, {in[1], in[2]}), {1, in[1], in[2]}), in);
}

}  // namespace

const LayerDef& positionEmbeddingLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "PositionEmbedding",
           .group = "Embedding",
           .help = STRATA_TEXT(
               "layers",
               "A learned vector for each position of a sequence, to be added to the features"),
           .formula = "y_t = embeddings_t",
           .source = "Devlin et al., 2018; KerasHub, keras_hub.layers.PositionEmbedding",
           .fields = {{.name = "sequence_length",
                       .type = FieldType::Integer,
                       .exampleJson = "128",
                       .minimum = 1.0,
                       .maximum = 1e7,
                       .help = STRATA_TEXT("layers", "Maximum length of a sequence"),
                       .title = STRATA_TEXT("layers", "Sequence length")},
                      initializerField("initializer", "\"glorot_uniform\"",
                                       STRATA_TEXT("layers", "Embeddings initializer"))}},
      .lower = lowerPositionEmbedding,
  };
  return definition;
}

}  // namespace strata
