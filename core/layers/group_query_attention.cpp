// SPDX-License-Identifier: Apache-2.0
// GroupQueryAttention is attention in which several query heads share one key head and one value
// head.
// Formula: softmax(Q K^T / sqrt(head_dim)) V for each head, then a projection of all heads.
// Inputs: query [N,T,E], value [N,S,F] and optionally key [N,S,G]; the default key is the value.
// Output: [N,T,E].
// Variables: query/ `kernel` [E,num_query_heads,head_dim], key/ and value/ `kernel`
//   [in,num_key_value_heads,head_dim], attention_output/ `kernel` [num_query_heads,head_dim,E];
//   each also has a `bias` if `use_bias` is set.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch if query, value and key do not fit together; out_of_range unless
//   num_query_heads is a multiple of num_key_value_heads.
// Source: Ainslie et al., 2023; Keras 3, keras.layers.GroupQueryAttention.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/attention_steps.h"
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGroupQueryAttention(LayerContext& context) {
  const AttentionInputs in = attentionInputs(context);
  const int64_t heads = context.integer("num_query_heads"),
                shared = context.integer("num_key_value_heads"), size = context.integer("head_dim");
  if (heads % shared != 0)
    context.fail(
        "out_of_range", "num_query_heads",
        STRATA_TEXT("problem",
                    "num_query_heads is %1 (expected a multiple of %2, the value of "
                    "num_key_value_heads). Change one of them."),
        {std::to_string(heads), std::to_string(shared)},
        {context.setFieldFix("num_query_heads", std::to_string((heads / shared + 1) * shared))});
  const ValueId query = toHeads(context, in.query, "query", heads, size),
                key = toHeads(context, in.key, "key", shared, size),
                value = toHeads(context, in.value, "value", shared, size);
  const ValueId y =
      attended(context, {query, value, key}, 1 / std::sqrt(static_cast<double>(size)), true);
  return fromHeads(context, gatedHeads(context, y, in.query), {context.inputShape()[2]});
}

}  // namespace

const LayerDef& groupQueryAttentionLayer() {
  static const LayerDef definition = {
      .schema = {.type = "GroupQueryAttention",
                 .group = "Attention",
                 .help = STRATA_TEXT(
                     "layers",
                     "Grouped-query attention: several query heads share one key and value head"),
                 .formula = "softmax(Q K^T / sqrt(head_dim)) V for each head",
                 .source = "Ainslie et al., 2023; Keras 3, keras.layers.GroupQueryAttention",
                 .fields = {{.name = "head_dim",
                             .type = FieldType::Integer,
                             .exampleJson = "32",
                             .minimum = 1.0,
                             .maximum = 1e6,
                             .help = STRATA_TEXT("layers", "Size of each attention head"),
                             .title = STRATA_TEXT("layers", "Head size")},
                            {.name = "num_query_heads",
                             .type = FieldType::Integer,
                             .exampleJson = "4",
                             .minimum = 1.0,
                             .maximum = 4096,
                             .help = STRATA_TEXT("layers", "Number of query heads"),
                             .title = STRATA_TEXT("layers", "Query heads")},
                            {.name = "num_key_value_heads",
                             .type = FieldType::Integer,
                             .exampleJson = "2",
                             .minimum = 1.0,
                             .maximum = 4096,
                             .help = STRATA_TEXT("layers", "Number of key and value heads"),
                             .title = STRATA_TEXT("layers", "Key and value heads")},
                            attentionDropoutField(),
                            useBiasField(),
                            slidingWindowField(),
                            gateField(),
                            ignoredSwitch("flash_attention", "null"),
                            causalField(),
                            seedField(),
                            initializerField("kernel_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("kernel_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .minInputs = 2,
      .maxInputs = 3,
      .ports = {"query", "value", "key"},
      .lower = lowerGroupQueryAttention,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
