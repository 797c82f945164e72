// SPDX-License-Identifier: Apache-2.0
// Dot computes dot products of two inputs along one dimension of each.
// Formula: y[n,..a,..b] = sum over k of x1[n,..k,..a] x2[n,..k,..b].
// Inputs: [N, ...], rank 2 or more.
// Output: the other dimensions of the first input, then those of the second; at most 8 dimensions.
//   Two vectors give [N,1].
// Gradient: derived from its ops.
// Numerics: float32 products; `normalize` first scales each vector to length 1.
// Errors: out_of_range for a wrong axis; shape_mismatch if the sizes along the axes differ or the
//   output has too many dimensions.
// Source: Keras 3, keras.layers.Dot.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// An input of Dot, reshaped to [N, others, k], where k is the summed axis. `others` contains the
/// sizes of the other axes.
struct Side {
  ValueId value;
  std::vector<int64_t> others;
};

Side sideOf(LayerContext& context, int input, int64_t axis) {
  Graph& g = context.graph;
  const Shape shape = context.inputShape(input);
  if (shape.rank() < 2) context.requireRank(2, input);
  if (axis < 0) axis += shape.rank();
  if (axis < 1 || axis >= shape.rank())
    context.fail(
        "out_of_range", "axes",
        STRATA_TEXT("problem",
                    "%1 is %2 (expected 1 to %3, or -1 for the last dimension). Set it to -1."),
        {"axes", context.fields.at("axes").dump(), std::to_string(shape.rank() - 1)},
        {context.setFieldFix("axes", "-1")});
  Side side{context.floatInput(input), {}};
  if (context.boolean("normalize")) side.value = unitLength(g, side.value, {axis}, 1e-7);
  std::vector<int64_t> order{0};
  int64_t count = 1;
  for (int64_t i = 1; i < shape.rank(); ++i) {
    if (i == axis) continue;
    order.push_back(i);
    side.others.push_back(shape[static_cast<int>(i)]);
    count *= shape[static_cast<int>(i)];
  }
  order.push_back(axis);
  if (axis != shape.rank() - 1) side.value = transpose(g, side.value, order);
  side.value = reshape(g, side.value, {shape[0], count, shape[static_cast<int>(axis)]});
  return side;
}

ValueId lowerDot(LayerContext& context) {
  Graph& g = context.graph;
  const std::vector<int64_t> axes = severalOf(context, "axes", 2);
  const Side a = sideOf(context, 0, axes[0]), b = sideOf(context, 1, axes[1]);
  if (g.shape(a.value)[2] != g.shape(b.value)[2])
    context.fail("shape_mismatch", "axes",
                 STRATA_TEXT("problem",
                             "the inputs have %1 and %2 values along axes (expected the same "
                             "number). Choose other axes."),
                 {std::to_string(g.shape(a.value)[2]), std::to_string(g.shape(b.value)[2])});
  const auto dims = static_cast<int>(1 + a.others.size() + b.others.size());
  if (dims > kMaxRank)
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the output would have %1 dimensions (expected at most %2). Insert a "
                             "Reshape or Flatten before this layer."),
                 {std::to_string(dims), std::to_string(kMaxRank)});
  Shape out{context.inputShape()[0]};
  for (const Side* side : {&a, &b})
    for (const int64_t size : side->others)
      out.append(size);
  if (out.rank() == 1) out.append(1);
  return reshape(g, matmul(g, a.value, b.value, false, true), out);
}

}  // namespace

const LayerDef& dotLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Dot",
                 .group = "Merge",
                 .help = STRATA_TEXT("layers", "Dot product of two inputs along a dimension"),
                 .formula = "y = sum over k of x1_k x2_k",
                 .source = "Keras 3, keras.layers.Dot",
                 .fields = {{.name = "axes",
                             .type = FieldType::IntegerOrList,
                             .exampleJson = "-1",
                             .minimum = -7.0,
                             .maximum = 7.0,
                             .count = 2,
                             .help =
                                 STRATA_TEXT("layers",
                                             "Dimension to sum over: one for both inputs, or one "
                                             "for each; 0 is the batch, -1 the last dimension"),
                             .title = STRATA_TEXT("layers", "Axes")},
                            switchField("normalize", "false",
                                        STRATA_TEXT("layers",
                                                    "Scale both vectors to length 1 first, so that "
                                                    "the result is their cosine similarity"),
                                        STRATA_TEXT("layers", "Normalize"))}},
      .minInputs = 2,
      .maxInputs = 2,
      .ports = {"x1", "x2"},
      .lower = lowerDot,
  };
  return definition;
}

}  // namespace strata
