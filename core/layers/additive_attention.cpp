// SPDX-License-Identifier: Apache-2.0
// AdditiveAttention computes a weighted mean of the values for each query step. The weights come
// from tanh(query + key).
// Formula: y = softmax(sum of scale * tanh(q + k)) V.
// Inputs: query [N,T,D], value [N,S,F] and optionally key [N,S,D]; the default key is the value.
// Output: [N,T,F].
// Variables: `scale` [D] if `use_scale` is set.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch if the shapes of query, value and key do not fit together.
// Source: Bahdanau et al., 2014; Keras 3, keras.layers.AdditiveAttention.
#include <nlohmann/json.hpp>

#include "core/layers/attention_steps.h"
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Returns the scores of all pairs of steps, [N,T,S]: scale * tanh(q + k), summed over the
/// features.
ValueId additiveScores(LayerContext& context, const AttentionInputs& in, ValueId scale) {
  Graph& g = context.graph;
  const Shape q = g.shape(in.query), k = g.shape(in.key);
  const ValueId sum = add(g, reshape(g, in.query, {q[0], q[1], 1, q[2]}),
                          reshape(g, in.key, {k[0], 1, k[1], k[2]}));
  const ValueId cells = activation(g, sum, "tanh");
  return reduceSum(g, scale.isValid() ? multiply(g, cells, scale) : cells, {-1});
}
ValueId lowerAdditiveAttention(LayerContext& context) {
  const AttentionInputs in = attentionInputs(context);
  if (context.graph.shape(in.query)[2] != context.graph.shape(in.key)[2])
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the query has %1 features, but the key has %2 (expected the same "
                             "number). Insert a Dense before one of them."),
                 {std::to_string(context.graph.shape(in.query)[2]),
                  std::to_string(context.graph.shape(in.key)[2])});
  ValueId scale;
  if (context.boolean("use_scale"))
    scale = context.variable("scale", {context.graph.shape(in.key)[2]}, "glorot_uniform");
  return withoutMaskedQuery(
      context, matmul(context.graph, attentionWeights(context, additiveScores(context, in, scale)),
                      in.value));
}

}  // namespace

const LayerDef& additiveAttentionLayer() {
  static const LayerDef definition = {
      .schema = {.type = "AdditiveAttention",
                 .group = "Attention",
                 .help = STRATA_TEXT(
                     "layers",
                     "Additive (Bahdanau) attention to all time steps of another sequence"),
                 .formula = "softmax(sum scale * tanh(q + k)) V",
                 .source = "Bahdanau et al., 2014; Keras 3, keras.layers.AdditiveAttention",
                 .fields = {switchField(
                                "use_scale", "true",
                                STRATA_TEXT("layers", "Multiply the features by learned factors"),
                                STRATA_TEXT("layers", "Scale")),
                            attentionDropoutField(), seedField(), causalField()}},
      .minInputs = 2,
      .maxInputs = 3,
      .ports = {"query", "value", "key"},
      .lower = lowerAdditiveAttention,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
