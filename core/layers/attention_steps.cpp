// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention_steps.h"

#include <numeric>

#include <nlohmann/json.hpp>

#include "core/layers/parts.h"

namespace strata {

FieldSchema attentionDropoutField() {
  return {.name = "dropout",
          .type = FieldType::Number,
          .defaultJson = "0.0",
          .minimum = 0.0,
          .maximum = 1.0,
          .isMaximumExclusive = true,
          .isLive = true,
          .help = STRATA_TEXT("layers", "Share of the attention that is left out while training"),
          .title = STRATA_TEXT("layers", "Dropout")};
}

FieldSchema causalField() {
  return {.name = "use_causal_mask",
          .type = FieldType::Boolean,
          .defaultJson = "false",
          .help = STRATA_TEXT("layers", "No step sees a later one"),
          .title = STRATA_TEXT("layers", "Causal")};
}

AttentionInputs attentionInputs(LayerContext& context) {
  const int count = static_cast<int>(context.inputs.size());
  for (int i = 0; i < count; ++i) context.requireRank(3, i);
  for (int i = 2; i < count; ++i)
    if (context.inputShape(i)[1] != context.inputShape(1)[1])
      context.fail(
          "shape_mismatch", "inputs",
          STRATA_TEXT("problem", "the key %1 has %2 steps and the value %3 (expected the same count). Make both the same length."),
          {context.inputNames[static_cast<size_t>(i)], std::to_string(context.inputShape(i)[1]), std::to_string(context.inputShape(1)[1])});
  const ValueId value = context.floatInput(1);
  return {context.floatInput(0), value, count > 2 ? context.floatInput(2) : value};
}

ValueId toHeads(LayerContext& context, ValueId x, const char* path, int64_t heads, int64_t size) {
  Graph& g = context.graph;
  const Shape in = g.shape(x);
  const std::string name = path;
  const ValueId kernel = context.variable(name + "/kernel", {in[2], heads, size}, "kernel_initializer", true, 0, 0, "kernel_regularizer");
  ValueId y = matmul(g, reshape(g, x, {in[0] * in[1], in[2]}), reshape(g, kernel, {in[2], heads * size}));
  if (context.boolean("use_bias")) {
    const ValueId bias = context.variable(name + "/bias", {heads, size}, "bias_initializer", true, 0, 0, "bias_regularizer");
    y = add(g, y, reshape(g, bias, {heads * size}));
  }
  return reshape(g, y, {in[0], in[1], heads, size});
}

ValueId fromHeads(LayerContext& context, ValueId x, int64_t features) {
  Graph& g = context.graph;
  const Shape in = g.shape(x);
  const int64_t rows = in[0] * in[1], width = in[2] * in[3];
  const ValueId kernel =
      context.variable("attention_output/kernel", {in[2], in[3], features}, "kernel_initializer", true, 0, 0, "kernel_regularizer");
  ValueId y = matmul(g, reshape(g, x, {rows, width}), reshape(g, kernel, {width, features}));
  if (context.boolean("use_bias"))
    y = add(g, y, context.variable("attention_output/bias", {features}, "bias_initializer", true, 0, 0, "bias_regularizer"));
  return reshape(g, y, {in[0], in[1], features});
}

/// 0, 1, 2, ... in a shape.
static ValueId places(Graph& g, const Shape& shape) {
  Tensor result(DType::F32, shape);
  std::iota(result.as<float>().begin(), result.as<float>().end(), 0.0f);
  return g.addConstant(std::move(result));
}

/// 1 where a step of the query may look: [N,1 or T,S], or invalid where no mask is given.
static ValueId visibleSteps(LayerContext& context, bool hasQueryMask) {
  Graph& g = context.graph;
  ValueId visible;
  const auto take = [&](int input, bool isQuery) {
    const ValueId mask = context.mask(input);
    if (!mask.isValid()) return;
    const Shape shape = g.shape(mask);
    const ValueId wide = reshape(g, mask, isQuery ? Shape{shape[0], shape[1], 1} : Shape{shape[0], 1, shape[1]});
    visible = visible.isValid() ? multiply(g, visible, wide) : wide;
  };
  if (hasQueryMask) take(0, true);
  take(1, false);
  if (hasQueryMask) take(2, false);  // Attention and AdditiveAttention have no mask of the key
  return visible;
}

static bool leavesOutWeights(const LayerContext& context) { return context.mode == StepMode::Train && context.number("dropout") > 0; }

ValueId attended(LayerContext& context, const AttentionInputs& heads, double scale, bool hasQueryMask) {
  Graph& g = context.graph;
  AttentionOptions options;
  options.scale = scale;
  options.isCausal = context.boolean("use_causal_mask");
  options.mask = visibleSteps(context, hasQueryMask);
  if (options.mask.isValid()) {
    const Shape mask = g.shape(options.mask);
    const int64_t keySteps = g.shape(heads.key)[1];
    if (mask[2] != keySteps) options.mask = broadcastTo(g, options.mask, {mask[0], mask[1], keySteps});
  }
  // A step that sees nothing takes the mean of all, and with dropout nothing: as Keras, which has two ways.
  options.dropsHidden = options.mask.isValid() && hasQueryMask && context.number("dropout") > 0;
  if (leavesOutWeights(context)) {
    const RandomKey key = randomKey(context);
    options.rate = context.number("dropout");
    options.seed = key.seed;
    options.step = key.step;
    options.firstSample = key.firstSample;
    options.stream = context.name;
  }
  return attention(g, heads.query, heads.key, heads.value, options);
}

ValueId attentionWeights(LayerContext& context, ValueId scores) {
  Graph& g = context.graph;
  const Shape shape = g.shape(scores);
  constexpr double kHidden = -1e9;
  if (context.boolean("use_causal_mask")) {
    const ValueId isLater = greater(g, places(g, {1, 1, shape[2]}), places(g, {1, shape[1], 1}));
    scores = add(g, scores, multiplyScalar(g, isLater, kHidden));
  }
  const ValueId visible = visibleSteps(context, false);
  if (visible.isValid()) scores = select(g, visible, scores, constantScalar(g, DType::F32, kHidden));
  const ValueId weights = softmax(g, scores);
  if (!leavesOutWeights(context)) return weights;
  const RandomKey key = randomKey(context);
  return dropout(g, weights, key.seed, key.step, key.firstSample, context.number("dropout"), context.name);
}

ValueId withoutMaskedQuery(LayerContext& context, ValueId x) {
  const ValueId mask = context.mask();
  if (!mask.isValid()) return x;
  const Shape shape = context.graph.shape(mask);
  return multiply(context.graph, x, reshape(context.graph, mask, {shape[0], shape[1], 1}));
}

}  // namespace strata
