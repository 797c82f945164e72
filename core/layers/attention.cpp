// SPDX-License-Identifier: Apache-2.0
// Attention computes a weighted mean of the values for each query step. The weights come from the
// dot product of query and key.
// Formula: y = softmax(scale Q K^T) V; with score_mode "concat", the scores are concat_score_weight
//   * sum of tanh(scale (q + k)).
// Inputs: query [N,T,D], value [N,S,F] and optionally key [N,S,D]; the default key is the value.
// Output: [N,T,F].
// Variables: `scale` [] if `use_scale` is set, `concat_score_weight` [] for "concat".
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch if the shapes of query, value and key do not fit together.
// Source: Luong et al., 2015; Keras 3, keras.layers.Attention.
#include <nlohmann/json.hpp>

#include "core/layers/attention_steps.h"
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Returns the scores of all pairs of steps, [N,T,S]: tanh(scale * (q + k)), summed over the
/// features.
ValueId concatScores(LayerContext& context, const AttentionInputs& in, ValueId scale) {
  Graph& g = context.graph;
  const Shape q = g.shape(in.query), k = g.shape(in.key);
  const ValueId sum = add(g, reshape(g, in.query, {q[0], q[1], 1, q[2]}),
                          reshape(g, in.key, {k[0], 1, k[1], k[2]}));
  const ValueId cells = activation(g, scale.isValid() ? multiply(g, sum, scale) : sum, "tanh");
  return reduceSum(g, cells, {-1});
}
ValueId lowerAttention(LayerContext& context) {
  Graph& g = context.graph;
  const AttentionInputs in = attentionInputs(context);
  if (g.shape(in.query)[2] != g.shape(in.key)[2])
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the query has %1 features, but the key has %2 (expected the same "
                             "number). Insert a Dense before one of them."),
                 {std::to_string(g.shape(in.query)[2]), std::to_string(g.shape(in.key)[2])});
  const ValueId scale =
      context.boolean("use_scale") ? context.variable("scale", {}, "ones") : ValueId{};
  if (context.string("score_mode") == "concat") {
    const ValueId scores = multiply(g, concatScores(context, in, scale),
                                    context.variable("concat_score_weight", {}, "ones"));
    return withoutMaskedQuery(context, matmul(g, attentionWeights(context, scores), in.value));
  }
  const auto oneHead = [&](ValueId x) {
    return reshape(g, x, {g.shape(x)[0], g.shape(x)[1], 1, g.shape(x)[2]});
  };
  const ValueId query = scale.isValid() ? multiply(g, in.query, scale) : in.query;
  const ValueId mean =
      attended(context, {oneHead(query), oneHead(in.value), oneHead(in.key)}, 1, false);
  const Shape shape = g.shape(mean);
  return withoutMaskedQuery(context, reshape(g, mean, {shape[0], shape[1], shape[3]}));
}

}  // namespace

const LayerDef& attentionLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Attention",
                 .group = "Attention",
                 .help = STRATA_TEXT("layers",
                                     "Dot-product attention: each query step attends to all time "
                                     "steps of another sequence"),
                 .formula = "softmax(Q K^T) V",
                 .source = "Luong et al., 2015; Keras 3, keras.layers.Attention",
                 .fields = {switchField(
                                "use_scale", "false",
                                STRATA_TEXT("layers", "Multiply the scores by a learned factor"),
                                STRATA_TEXT("layers", "Scale")),
                            {.name = "score_mode",
                             .type = FieldType::Choice,
                             .defaultJson = "\"dot\"",
                             .choices = {"dot", "concat"},
                             .help = STRATA_TEXT(
                                 "layers",
                                 "dot: dot product of query and key; concat: tanh of their sum"),
                             .title = STRATA_TEXT("layers", "Score mode")},
                            attentionDropoutField(),
                            seedField(),
                            causalField()}},
      .minInputs = 2,
      .maxInputs = 3,
      .ports = {"query", "value", "key"},
      .lower = lowerAttention,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
