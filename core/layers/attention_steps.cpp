// SPDX-License-Identifier: Apache-2.0
#include "core/layers/attention_steps.h"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/parts.h"

namespace strata {

FieldSchema attentionDropoutField() {
  return {
      .name = "dropout",
      .type = FieldType::Number,
      .defaultJson = "0.0",
      .minimum = 0.0,
      .maximum = 1.0,
      .isMaximumExclusive = true,
      .isLive = true,
      .help = STRATA_TEXT("layers", "Fraction of the attention weights to drop during training"),
      .title = STRATA_TEXT("layers", "Dropout")};
}

FieldSchema causalField() {
  return switchField("use_causal_mask", "false",
                     STRATA_TEXT("layers", "Prevent each time step from attending to later ones"),
                     STRATA_TEXT("layers", "Use causal mask"));
}

FieldSchema slidingWindowField() {
  return {.name = "sliding_window",
          .type = FieldType::Integer,
          .defaultJson = "null",
          .minimum = 1.0,
          .maximum = 1e9,
          .isNullable = true,
          .help = STRATA_TEXT(
              "layers",
              "Each time step attends only to time steps closer than this; by default to all"),
          .title = STRATA_TEXT("layers", "Sliding window")};
}

FieldSchema gateField() {
  return switchField(
      "use_gate", "false",
      STRATA_TEXT("layers", "Multiply each head by a gate between 0 and 1 computed from the query"),
      STRATA_TEXT("layers", "Use gate"));
}

AttentionInputs attentionInputs(LayerContext& context, bool hasMoreDimensions) {
  const int count = static_cast<int>(context.inputs.size()), rank = context.inputShape().rank();
  for (int i = 0; i < count; ++i)
    if (!hasMoreDimensions || rank < 3 || context.inputShape(i).rank() != rank ||
        rank + 1 > kMaxRank)
      context.requireRank(3, i);
  for (int i = 2; i < count; ++i)
    if (context.inputShape(i).without(-1) != context.inputShape(1).without(-1))
      context.fail(
          "shape_mismatch", "inputs",
          STRATA_TEXT("problem",
                      "the key %1 has %2 steps, but the value has %3 (expected the same number). "
                      "Make both the same length."),
          {context.inputNames[static_cast<size_t>(i)], std::to_string(context.inputShape(i)[1]),
           std::to_string(context.inputShape(1)[1])});
  const ValueId value = context.floatInput(1);
  return {context.floatInput(0), value, count > 2 ? context.floatInput(2) : value};
}

/// Returns `shape` with `last` instead of its last `count` dimensions.
static Shape endingIn(const Shape& shape, int count, const std::vector<int64_t>& last) {
  std::vector<int64_t> dims(shape.dims().begin(), shape.dims().end() - count);
  dims.insert(dims.end(), last.begin(), last.end());
  return Shape(dims);
}

ValueId toHeads(LayerContext& context, ValueId x, const char* path, int64_t heads, int64_t size) {
  Graph& g = context.graph;
  const Shape in = g.shape(x);
  const int64_t features = in.dim(-1);
  const std::string name = path;
  const ValueId kernel = context.variable(name + "/kernel", {features, heads, size},
                                          "kernel_initializer", true, 0, 0, "kernel_regularizer");
  ValueId y = matmul(g, reshape(g, x, {in.numElements() / features, features}),
                     reshape(g, kernel, {features, heads * size}));
  if (context.boolean("use_bias")) {
    const ValueId bias = context.variable(name + "/bias", {heads, size}, "bias_initializer", true,
                                          0, 0, "bias_regularizer");
    y = add(g, y, reshape(g, bias, {heads * size}));
  }
  return reshape(g, y, endingIn(in, 1, {heads, size}));
}

ValueId gatedHeads(LayerContext& context, ValueId x, ValueId query) {
  if (!context.boolean("use_gate")) return x;
  const Shape heads = context.graph.shape(x);
  return multiply(
      context.graph, x,
      activation(context.graph, toHeads(context, query, "gate", heads.dim(-2), heads.dim(-1)),
                 "sigmoid"));
}

ValueId fromHeads(LayerContext& context, ValueId x, const std::vector<int64_t>& features) {
  Graph& g = context.graph;
  const Shape in = g.shape(x);
  const int64_t width = in.dim(-2) * in.dim(-1), rows = in.numElements() / width,
                wanted = Shape(features).numElements();
  const Shape kernelShape = endingIn(Shape{in.dim(-2), in.dim(-1)}, 0, features);
  const ValueId kernel = context.variable("attention_output/kernel", kernelShape,
                                          "kernel_initializer", true, 0, 0, "kernel_regularizer");
  ValueId y = matmul(g, reshape(g, x, {rows, width}), reshape(g, kernel, {width, wanted}));
  if (context.boolean("use_bias"))
    y = add(g, y,
            reshape(g,
                    context.variable("attention_output/bias", Shape(features), "bias_initializer",
                                     true, 0, 0, "bias_regularizer"),
                    {wanted}));
  return reshape(g, y, endingIn(in, 2, features));
}

/// Returns the indices 0, 1, 2, ... as f32 in the given shape.
static ValueId places(Graph& g, const Shape& shape) {
  Tensor result(DType::F32, shape);
  std::iota(result.as<float>().begin(), result.as<float>().end(), 0.0f);
  return g.addConstant(std::move(result));
}

/// Returns the causal mask [1,T,S], which is 0 for value steps after the query step, otherwise 1.
static ValueId causalMask(Graph& g, int64_t querySteps, int64_t valueSteps) {
  return lessEqual(g, places(g, {1, 1, valueSteps}), places(g, {1, querySteps, 1}));
}

/// Combines the masks of the inputs and the sliding window to one mask [N or 1,1 or T,S]. It is 1
/// for the steps that a query step may attend to. Returns an invalid value if there is no mask.
/// Without `hasQueryMask`, also includes the causal mask if there is another mask. In all other
/// cases, the caller applies the causal mask.
static ValueId visibleSteps(LayerContext& context, bool hasQueryMask, int64_t querySteps,
                            int64_t valueSteps) {
  Graph& g = context.graph;
  ValueId visible;
  const auto take = [&](ValueId wide) {
    visible = visible.isValid() ? multiply(g, visible, wide) : wide;
  };
  const auto takeMask = [&](int input, bool isQuery) {
    const ValueId mask = context.mask(input);
    if (!mask.isValid() || g.shape(mask).rank() != 2) return;
    const Shape shape = g.shape(mask);
    take(reshape(g, mask, isQuery ? Shape{shape[0], shape[1], 1} : Shape{shape[0], 1, shape[1]}));
  };
  if (hasQueryMask) takeMask(0, true);
  takeMask(1, false);
  // Attention and AdditiveAttention (hasQueryMask is false) ignore the mask of the key.
  if (hasQueryMask) takeMask(2, false);
  if (const auto window = context.fields.find("sliding_window");
      window != context.fields.end() && !window->is_null()) {
    const ValueId apart =
        abs(g, subtract(g, places(g, {1, querySteps, 1}), places(g, {1, 1, valueSteps})));
    take(less(g, apart, constantScalar(g, DType::F32, window->get<double>())));
  }
  if (hasQueryMask || !visible.isValid()) return visible;
  // In Keras, Attention and AdditiveAttention subtract 1e9 from the scores of hidden steps. If all
  // steps are hidden, the weights therefore equal the weights without a mask. So a query step
  // without visible steps gets a mask of ones here.
  if (context.boolean("use_causal_mask")) take(causalMask(g, querySteps, valueSteps));
  return maximum(g, visible, affine(g, reduceMax(g, visible, {2}, true), -1, 1));
}

static bool leavesOutWeights(const LayerContext& context) {
  return context.mode == StepMode::Train && context.number("dropout") > 0;
}

ValueId attended(LayerContext& context, const AttentionInputs& heads, double scale,
                 bool hasQueryMask) {
  Graph& g = context.graph;
  AttentionOptions options;
  options.scale = scale;
  options.mask =
      visibleSteps(context, hasQueryMask, g.shape(heads.query)[1], g.shape(heads.key)[1]);
  options.isCausal =
      context.boolean("use_causal_mask") && (hasQueryMask || !options.mask.isValid());
  if (options.mask.isValid()) {
    const Shape mask = g.shape(options.mask);
    const Shape wanted{g.shape(heads.query)[0], mask[1], g.shape(heads.key)[1]};
    if (mask != wanted) options.mask = broadcastTo(g, options.mask, wanted);
  }
  // As in Keras, if all value steps are hidden from a query step, its result is the mean of all
  // value steps. If the layer has dropout, the result is zero.
  options.dropsHidden = options.mask.isValid() && hasQueryMask && context.number("dropout") > 0;
  if (leavesOutWeights(context)) {
    const RandomKey key = randomKey(context, g.shape(heads.query)[0] / context.inputShape()[0]);
    options.rate = context.number("dropout");
    options.seed = key.seed;
    options.step = key.step;
    options.firstSample = key.firstRow;
    options.stream = context.name;
  }
  return attention(g, heads.query, heads.key, heads.value, options);
}

ValueId attendedAlong(LayerContext& context, const AttentionInputs& heads,
                      std::vector<int64_t> axes, double scale) {
  Graph& g = context.graph;
  const int rank = context.inputShape().rank();
  for (int64_t& axis : axes) {
    const int64_t given = axis;
    if (axis < 0) axis += rank;
    if (axis < 1 || axis > rank - 2)
      context.fail("out_of_range", "attention_axes",
                   STRATA_TEXT("problem",
                               "attention_axes contains %1 (expected 1 to %2, without the batch "
                               "and the features). Change it."),
                   {std::to_string(given), std::to_string(rank - 2)});
    if (std::count(axes.begin(), axes.end(), axis) > 1)
      context.fail(
          "out_of_range", "attention_axes",
          STRATA_TEXT(
              "problem",
              "attention_axes lists %1 twice (expected each dimension once). Remove one of them."),
          {std::to_string(given)});
  }
  const bool isCausal = context.boolean("use_causal_mask");
  if (axes.size() != 1 && (isCausal || !context.fields.at("sliding_window").is_null()))
    context.fail("out_of_range", "attention_axes",
                 STRATA_TEXT("problem",
                             "%1 is set, but attention_axes has %2 dimensions (expected one). Set "
                             "attention_axes to one dimension."),
                 {isCausal ? "use_causal_mask" : "sliding_window", std::to_string(axes.size())});
  std::vector<int64_t> order{0}, back(static_cast<size_t>(rank) + 1);
  for (int64_t i = 1; i <= rank - 2; ++i)
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) order.push_back(i);
  // Number of dimensions, including the batch, along which elements do not attend to each other
  const size_t apart = order.size();
  for (const int64_t axis : axes)
    order.push_back(axis);
  order.insert(order.end(), {rank - 1, rank});
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const auto flattened = [&](ValueId x) {
    const ValueId moved = transpose(g, x, order);
    const Shape shape = g.shape(moved);
    int64_t batch = 1, steps = 1;
    for (size_t i = 0; i < order.size() - 2; ++i)
      (i < apart ? batch : steps) *= shape[static_cast<int>(i)];
    return reshape(g, moved, {batch, steps, shape.dim(-2), shape.dim(-1)});
  };
  const ValueId query = flattened(heads.query), value = flattened(heads.value);
  if (g.shape(query)[0] != g.shape(value)[0])
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the input %1 has the shape %2 (expected %3, the shape of %4). Make "
                             "the two shapes equal."),
                 {context.inputNames[1], shapeWithoutBatch(context.inputShape(1)).toString(),
                  shapeWithoutBatch(context.inputShape()).toString(), context.inputNames[0]});
  const ValueId y = attended(context, {query, value, flattened(heads.key)}, scale, true);
  Shape wide;
  for (size_t i = 0; i < order.size() - 1; ++i)
    wide.append(g.shape(heads.query)[static_cast<int>(order[i])]);
  wide.append(g.shape(y).dim(-1));
  return transpose(g, reshape(g, y, wide), back);
}

ValueId attentionWeights(LayerContext& context, ValueId scores) {
  Graph& g = context.graph;
  const Shape shape = g.shape(scores);
  ValueId visible = visibleSteps(context, false, shape[1], shape[2]);
  if (!visible.isValid() && context.boolean("use_causal_mask"))
    visible = causalMask(g, shape[1], shape[2]);
  if (visible.isValid()) scores = select(g, visible, scores, constantScalar(g, DType::F32, -1e9));
  const ValueId weights = softmax(g, scores);
  if (!leavesOutWeights(context)) return weights;
  const RandomKey key = randomKey(context);
  return dropout(g, weights, key.seed, key.step, key.firstRow, context.number("dropout"),
                 context.name);
}

ValueId withoutMaskedQuery(LayerContext& context, ValueId x) {
  const ValueId mask = context.mask();
  if (!mask.isValid()) return x;
  const Shape shape = context.graph.shape(mask);
  return multiply(context.graph, x, reshape(context.graph, mask, {shape[0], shape[1], 1}));
}

}  // namespace strata
