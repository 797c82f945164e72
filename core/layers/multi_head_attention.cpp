// SPDX-License-Identifier: Apache-2.0
// MultiHeadAttention computes a weighted mean of the values for each query step and head. The
// weights come from the dot product of query and key.
// Formula: softmax(Q K^T / sqrt(key_dim)) V for each head, then a projection of all heads.
// Inputs: query [N,T,E], value [N,S,F] and optionally key [N,S,G]; the default key is the value.
//   All may have more dimensions (`attention_axes`).
// Output: [N,T,output_shape], or [N,T,E] without `output_shape`.
// Variables: query/, key/, value/ and, with `use_gate`, gate/: `kernel` [in,heads,size], `bias`
//   [heads,size]; attention_output/: `kernel` [heads,size,out], `bias` [out]. The biases exist only
//   if `use_bias` is set.
// Gradient: derived from its ops.
// Numerics: float32.
// Errors: shape_mismatch if query, value and key do not fit together; out_of_range for wrong
//   `attention_axes`, or too many dimensions in `output_shape`.
// Source: Vaswani et al., 2017; Keras 3, keras.layers.MultiHeadAttention.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/attention_steps.h"
#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerMultiHeadAttention(LayerContext& context) {
  const AttentionInputs in = attentionInputs(context, true);
  const int rank = context.inputShape().rank();
  const int64_t heads = context.integer("num_heads"), size = context.integer("key_dim");
  const int64_t valueSize =
      context.fields.at("value_dim").is_null() ? size : context.integer("value_dim");
  const Json& wanted = context.fields.at("output_shape");
  const std::vector<int64_t> features = wanted.is_null() || wanted.empty()
                                            ? std::vector<int64_t>{context.inputShape().dim(-1)}
                                            : severalOf(context, "output_shape", 1);
  if (rank - 1 + static_cast<int>(features.size()) > kMaxRank)
    context.fail(
        "out_of_range", "output_shape",
        STRATA_TEXT("problem",
                    "output_shape has %1 dimensions (expected at most %2). Use fewer dimensions."),
        {std::to_string(features.size()), std::to_string(kMaxRank - rank + 1)});
  const AttentionInputs projected{toHeads(context, in.query, "query", heads, size),
                                  toHeads(context, in.value, "value", heads, valueSize),
                                  toHeads(context, in.key, "key", heads, size)};
  const double scale = 1 / std::sqrt(static_cast<double>(size));
  std::vector<int64_t> axes;
  if (!context.fields.at("attention_axes").is_null())
    axes = severalOf(context, "attention_axes", 1);
  for (int64_t axis = 1; context.fields.at("attention_axes").is_null() && axis <= rank - 2; ++axis)
    axes.push_back(axis);
  const bool isPlain = rank == 3 && (axes.empty() || axes == std::vector<int64_t>{1});
  const ValueId y = isPlain ? attended(context, projected, scale, true)
                            : attendedAlong(context, projected, axes, scale);
  return fromHeads(context, gatedHeads(context, y, in.query), features);
}

}  // namespace

const LayerDef& multiHeadAttentionLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "MultiHeadAttention",
           .group = "Attention",
           .help = STRATA_TEXT("layers",
                               "Multi-head attention to another sequence, or to the same sequence "
                               "(self-attention)"),
           .formula = "softmax(Q K^T / sqrt(key_dim)) V for each head",
           .source = "Vaswani et al., 2017; Keras 3, keras.layers.MultiHeadAttention",
           .fields =
               {{.name = "num_heads",
                 .type = FieldType::Integer,
                 .exampleJson = "4",
                 .minimum = 1.0,
                 .maximum = 4096,
                 .help = STRATA_TEXT("layers", "Number of attention heads"),
                 .title = STRATA_TEXT("layers", "Number of heads")},
                {.name = "key_dim",
                 .type = FieldType::Integer,
                 .exampleJson = "32",
                 .minimum = 1.0,
                 .maximum = 1e6,
                 .help = STRATA_TEXT("layers", "Size of each attention head for query and key"),
                 .title = STRATA_TEXT("layers", "Key dimension")},
                {.name = "value_dim",
                 .type = FieldType::Integer,
                 .defaultJson = "null",
                 .minimum = 1.0,
                 .maximum = 1e6,
                 .isNullable = true,
                 .help = STRATA_TEXT(
                     "layers", "Size of each attention head for the value; by default key_dim"),
                 .title = STRATA_TEXT("layers", "Value dimension")},
                attentionDropoutField(),
                useBiasField(),
                {.name = "output_shape",
                 .type = FieldType::IntegerOrList,
                 .defaultJson = "null",
                 .minimum = 1.0,
                 .maximum = 1e6,
                 .isNullable = true,
                 .help = STRATA_TEXT("layers",
                                     "Shape of the output features; by default that of the query"),
                 .title = STRATA_TEXT("layers", "Output shape")},
                {.name = "attention_axes",
                 .type = FieldType::IntegerOrList,
                 .defaultJson = "null",
                 .minimum = -7.0,
                 .maximum = 7.0,
                 .isNullable = true,
                 .help = STRATA_TEXT("layers",
                                     "Dimensions that attention is applied over; by default all "
                                     "except batch and features"),
                 .title = STRATA_TEXT("layers", "Attention axes")},
                slidingWindowField(),
                gateField(),
                ignoredSwitch("flash_attention", "null"),
                causalField(),
                seedField(),
                initializerField("kernel_initializer", "\"glorot_uniform\"",
                                 STRATA_TEXT("layers", "Kernel initializer")),
                initializerField("bias_initializer", "\"zeros\"",
                                 STRATA_TEXT("layers", "Bias initializer")),
                regularizerField("kernel_regularizer", STRATA_TEXT("layers", "Kernel regularizer")),
                regularizerField("bias_regularizer", STRATA_TEXT("layers", "Bias regularizer"))}},
      .minInputs = 2,
      .maxInputs = 3,
      .ports = {"query", "value", "key"},
      .lower = lowerMultiHeadAttention,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
