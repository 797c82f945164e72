// SPDX-License-Identifier: Apache-2.0
#include "core/layers/parts.h"

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "gpu/graph/op.h"

namespace strata {

FieldSchema outputPaddingField(int count) {
  FieldSchema field{.name = "output_padding",
                    .type = FieldType::IntegerOrList,
                    .defaultJson = "null",
                    .minimum = 0.0,
                    .maximum = 1024.0};
  field.isNullable = true;
  field.count = count;
  field.help =
      STRATA_TEXT("layers", "Extra size at the end of the output; must be less than strides");
  field.title = STRATA_TEXT("layers", "Output padding");
  return field;
}

static int largestRank(const LayerContext& context) {
  int rank = 0;
  for (size_t i = 0; i < context.inputs.size(); ++i)
    rank = std::max(rank, context.inputShape(static_cast<int>(i)).rank());
  return rank;
}

std::vector<ValueId> mergeInputs(LayerContext& context) {
  Graph& g = context.graph;
  const int rank = largestRank(context);
  std::vector<ValueId> parts;
  Shape all;
  for (int i = 0; i < static_cast<int>(context.inputs.size()); ++i) {
    const Shape shape = context.inputShape(i);
    Shape wide{shape[0]};
    while (wide.rank() + shape.rank() - 1 < rank)
      wide.append(1);
    for (int d = 1; d < shape.rank(); ++d)
      wide.append(shape[d]);
    const std::optional<Shape> both = i == 0 ? wide : broadcastShapes(all, wide);
    if (!both)
      context.fail("shape_mismatch", "inputs",
                   STRATA_TEXT("problem",
                               "the input %1 has the shape %2 (expected %3, the shape of %4). Make "
                               "the two shapes equal."),
                   {context.inputNames[static_cast<size_t>(i)], shapeWithoutBatch(shape).toString(),
                    shapeWithoutBatch(i == 1 ? context.inputShape() : all).toString(),
                    context.inputNames[0]});
    all = *both;
    const ValueId x = context.floatInput(i);
    parts.push_back(wide == shape ? x : reshape(g, x, wide));
  }
  return parts;
}

ValueId broadcastMask(LayerContext& context, int i) {
  const ValueId mask = context.mask(i);
  Shape wide = context.inputShape(i);
  if (!mask.isValid() || wide.rank() < largestRank(context) ||
      context.graph.shape(mask) != wide.without(-1))
    return {};
  wide.set(wide.rank() - 1, 1);
  return reshape(context.graph, mask, wide);
}

ValueId mergedWhereCounted(LayerContext& context, ValueId (*merge)(Graph&, ValueId, ValueId)) {
  Graph& g = context.graph;
  const std::vector<ValueId> inputs = mergeInputs(context);
  ValueId y = inputs[0], counted = broadcastMask(context, 0);
  for (size_t i = 1; i < inputs.size(); ++i) {
    const ValueId mask = broadcastMask(context, static_cast<int>(i));
    const ValueId x = mask.isValid() ? select(g, mask, inputs[i], y) : inputs[i];
    if (counted.isValid()) y = select(g, counted, y, x);
    counted = mask.isValid() && counted.isValid() ? maximum(g, counted, mask) : ValueId();
    y = merge(g, y, x);
  }
  return y;
}

ValueId withBias(LayerContext& context, ValueId y, int64_t filters) {
  if (!context.boolean("use_bias")) return y;
  return add(
      context.graph, y,
      context.variable("bias", {filters}, "bias_initializer", true, 0, 0, "bias_regularizer"));
}

void requireGroups(const LayerContext& context, int64_t channels) {
  const int64_t filters = context.integer("filters"), groups = context.integer("groups");
  if (filters % groups != 0)
    context.fail(
        "out_of_range", "filters",
        STRATA_TEXT(
            "problem",
            "filters is %1 (expected a multiple of %2, the value of groups). Change one of them."),
        {std::to_string(filters), std::to_string(groups)},
        {context.setFieldFix("filters", std::to_string((filters / groups + 1) * groups))});
  if (channels % groups != 0)
    context.fail("shape_mismatch", "groups",
                 STRATA_TEXT("problem",
                             "groups is %1, which does not divide the %2 channels of the input "
                             "(expected a divisor). Set groups to 1 or to a divisor."),
                 {std::to_string(groups), std::to_string(channels)},
                 {context.setFieldFix("groups", "1")});
}

void requireOneOfStrideAndDilation(const LayerContext& context, int64_t stride, int64_t dilation) {
  if (stride <= 1 || dilation <= 1) return;
  context.fail("out_of_range", "dilation_rate",
               STRATA_TEXT("problem",
                           "strides and dilation_rate cannot both be above 1 (expected 1 for one "
                           "of them, got %1 and %2). Set one of them to 1."),
               {std::to_string(stride), std::to_string(dilation)},
               {context.setFieldFix("dilation_rate", "1"), context.setFieldFix("strides", "1")});
}

ValueId standardized(Graph& g, ValueId x, const std::vector<int64_t>& axes, double epsilon) {
  const ValueId centered = subtract(g, x, reduceMean(g, x, axes, true));
  const ValueId variance = reduceMean(g, square(g, centered), axes, true);
  return multiply(g, centered, rsqrt(g, addScalar(g, variance, epsilon)));
}

ValueId scaledAndShifted(LayerContext& context, ValueId y, const Shape& sizes, const Shape& wide) {
  Graph& g = context.graph;
  if (context.boolean("scale"))
    y = multiply(g, y,
                 reshape(g,
                         context.variable("gamma", sizes, "gamma_initializer", true, 0, 0,
                                          "gamma_regularizer"),
                         wide));
  if (context.boolean("center"))
    y = add(
        g, y,
        reshape(g,
                context.variable("beta", sizes, "beta_initializer", true, 0, 0, "beta_regularizer"),
                wide));
  return y;
}

ValueId unitLength(Graph& g, ValueId x, const std::vector<int64_t>& axes, double least) {
  return multiply(g, x,
                  rsqrt(g, maximum(g, reduceSum(g, square(g, x), axes, true),
                                   constantScalar(g, DType::F32, least * least))));
}

ValueId padded(LayerContext& context, int dimensions) {
  context.requireRank(dimensions + 2);
  const auto rank = static_cast<size_t>(context.inputShape().rank());
  std::vector<int64_t> before(rank, 0), after(rank, 0);
  const auto margins = marginsOf(context, "padding");
  for (size_t i = 0; i < margins.size(); ++i) {
    before[i + 1] = margins[i].first;
    after[i + 1] = margins[i].second;
  }
  return pad(context.graph, context.inputs[0], before, after);
}

ValueId cropped(LayerContext& context, int dimensions) {
  context.requireRank(dimensions + 2);
  const Shape in = context.inputShape();
  std::vector<int64_t> begin(static_cast<size_t>(in.rank()), 0),
      size(in.dims().begin(), in.dims().end());
  const auto margins = marginsOf(context, "cropping");
  for (size_t i = 0; i < margins.size(); ++i) {
    begin[i + 1] = margins[i].first;
    size[i + 1] -= margins[i].first + margins[i].second;
    if (size[i + 1] < 1)
      context.fail("shape_mismatch", "cropping",
                   STRATA_TEXT("problem",
                               "%1 removes all %2 elements along one dimension of the input %3 "
                               "(expected at least one to remain). Make %1 smaller."),
                   {"cropping", std::to_string(in[static_cast<int>(i) + 1]),
                    shapeWithoutBatch(in).toString()});
  }
  return slice(context.graph, context.inputs[0], begin, size);
}

ValueId repeatedAlong(LayerContext& context, ValueId x, const std::vector<int64_t>& times) {
  Graph& g = context.graph;
  const Shape in = g.shape(x);
  Shape split{in[0]}, wide{in[0]}, out = in;
  for (size_t i = 0; i < times.size(); ++i) {
    const int64_t size = in[static_cast<int>(i) + 1];
    for (Shape* shape : {&split, &wide})
      shape->append(size);
    split.append(1);
    wide.append(times[i]);
    out.set(static_cast<int>(i) + 1, size * times[i]);
  }
  split.append(in[in.rank() - 1]);
  wide.append(in[in.rank() - 1]);
  context.requireSize(out);
  return reshape(g, broadcastTo(g, reshape(g, x, split), wide), out);
}

ValueId upSampled(LayerContext& context, int dimensions) {
  context.requireRank(dimensions + 2);
  const std::vector<int64_t> size = severalOf(context, "size", dimensions);
  const std::string method =
      context.fields.contains("interpolation") ? context.string("interpolation") : "nearest";
  if (method == "nearest") return repeatedAlong(context, context.inputs[0], size);
  ValueId x = context.floatInput();
  for (int i = 0; i < dimensions; ++i)
    x = resampled(context, x, i + 1, context.inputShape()[i + 1] * size[static_cast<size_t>(i)],
                  method);
  return x;
}

ValueId timesAlong(Graph& g, ValueId x, int axis, Tensor matrix) {
  const Shape in = g.shape(x);
  const int64_t cells = in[axis], size = matrix.shape()[1];
  std::vector<int64_t> order, back(static_cast<size_t>(in.rank()));
  for (int64_t i = 0; i < in.rank(); ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  for (size_t i = 0; i < order.size(); ++i)
    back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
  const ValueId rows = reshape(g, transpose(g, x, order), {in.numElements() / cells, cells});
  Shape moved;
  for (const int64_t i : order)
    moved.append(i == axis ? size : in[static_cast<int>(i)]);
  return transpose(g, reshape(g, matmul(g, rows, g.addConstant(std::move(matrix))), moved), back);
}

RandomKey randomKey(LayerContext& context, int64_t rowsOfInput) {
  Graph& g = context.graph;
  const Json& own = context.fields.at("seed");
  const ValueId seed =
      own.is_null() ? context.stepInput("seed") : constantScalar(g, DType::I64, own.get<double>());
  ValueId firstRow = context.stepInput("first_sample");
  if (const int64_t rows = rowsOfInput * context.timeSteps; rows > 1)
    firstRow = multiply(g, firstRow, constantScalar(g, DType::I64, static_cast<double>(rows)));
  return {seed, context.stepInput("step"), firstRow};
}

bool dropsValues(const LayerContext& context) {
  return context.mode == StepMode::Train && context.number("rate") > 0;
}

FieldSchema noiseShapeField() {
  return {.name = "noise_shape",
          .type = FieldType::IntegerOrList,
          .defaultJson = "null",
          .minimum = 1.0,
          .maximum = 1e9,
          .isNullable = true,
          .hasNullItems = true,
          .help = STRATA_TEXT("layers",
                              "Shape of the dropout mask, including the batch: 1 shares the mask "
                              "along a dimension, null uses the size of the input"),
          .title = STRATA_TEXT("layers", "Noise shape")};
}

Shape noiseShape(const LayerContext& context) {
  const Shape in = context.inputShape();
  Shape drawn = in;
  if (const Json& sizes = context.fields.at("noise_shape"); !sizes.is_null()) {
    const auto given = severalOf(context, "noise_shape", 1);
    bool fits = static_cast<int>(given.size()) == in.rank();
    for (int i = 0; fits && i < in.rank(); ++i) {
      const int64_t size = given[static_cast<size_t>(i)];
      fits = size == -1 || size == 1 || size == in[i];
      if (size != -1) drawn.set(i, size);
    }
    if (!fits) {
      Json shown = sizes;
      for (Json& size : shown)
        if (size == -1) size = nullptr;
      context.fail("shape_mismatch", "noise_shape",
                   STRATA_TEXT("problem",
                               "noise_shape is %1 (expected one entry per dimension of %2: the "
                               "same size, 1 or null). Change it."),
                   {shown.dump(), in.toString()}, {context.setFieldFix("noise_shape", "null")});
    }
  }
  return drawn;
}

ValueId droppedOut(LayerContext& context, ValueId x) {
  const RandomKey key = randomKey(context);
  return dropout(context.graph, x, key.seed, key.step, key.firstRow, context.number("rate"),
                 context.name);
}

ValueId withoutChannels(LayerContext& context, int dimensions) {
  context.requireRank(dimensions + 2);
  if (!dropsValues(context)) return context.inputs[0];
  Shape shape = context.inputShape();
  for (int i = 1; i + 1 < shape.rank(); ++i)
    shape.set(i, 1);
  return multiply(context.graph, context.floatInput(),
                  droppedOut(context, constantFill(context.graph, {DType::F32, shape}, 1)));
}

VolumeWindow volumeWindow(const LayerContext& context, const std::vector<int64_t>& window,
                          const std::vector<int64_t>& strides,
                          const std::vector<int64_t>& dilation) {
  VolumeWindow result;
  result.plane.strides = {strides[1], strides[2]};
  result.plane.dilation = {dilation[1], dilation[2]};
  const bool isSame = context.string("padding") == "same";
  for (size_t i = 0; i < 3; ++i) {
    const int64_t size = context.inputShape()[static_cast<int>(i) + 1],
                  span = (window[i] - 1) * dilation[i] + 1;
    if (!isSame && span > size)
      context.fail(
          "shape_mismatch", context.fields.contains("kernel_size") ? "kernel_size" : "pool_size",
          STRATA_TEXT("problem",
                      "a window of %1 elements does not fit into a dimension of %2 elements "
                      "(expected at most %2). Make the window smaller, or set padding to same."),
          {std::to_string(span), std::to_string(size)},
          {context.setFieldFix("padding", "\"same\"")});
    const int64_t count =
        isSame ? (size + strides[i] - 1) / strides[i] : (size - span) / strides[i] + 1;
    const int64_t cells = isSame ? std::max<int64_t>(0, (count - 1) * strides[i] + span - size) : 0;
    int64_t& before = i == 0 ? result.before : result.plane.paddingBefore[i - 1];
    int64_t& after = i == 0 ? result.after : result.plane.paddingAfter[i - 1];
    before = cells / 2;
    after = cells - cells / 2;
    if (i == 0) result.depth = count;
  }
  return result;
}

ValueId deepened(Graph& g, ValueId x, const VolumeWindow& volume, int64_t stride) {
  // planesFrom() reads `stride` planes for each plane that it returns, also for the last one.
  const int64_t after = volume.after + stride - 1;
  if (volume.before == 0 && after == 0) return x;
  return pad(g, x, {0, volume.before, 0, 0, 0}, {0, after, 0, 0, 0});
}

ValueId planesFrom(Graph& g, ValueId x, int64_t first, int64_t count, int64_t stride) {
  const Shape in = g.shape(x);
  ValueId planes = slice(g, x, {0, first, 0, 0, 0}, {in[0], count * stride, in[2], in[3], in[4]});
  if (stride > 1) {
    const int64_t cells = in[2] * in[3] * in[4];
    planes = slice(g, reshape(g, planes, {in[0], count, stride, cells}), {0, 0, 0, 0},
                   {in[0], count, 1, cells});
  }
  return reshape(g, planes, {in[0] * count, in[2], in[3], in[4]});
}

ValueId convTranspose2d(Graph& g, ValueId x, ValueId w, const Window2D& window, const Shape& out) {
  return g.add(opNamed("conv2d_backward_data"), {x, w},
               {{"strides", window.strides},
                {"dilation", window.dilation},
                {"padding_before", window.paddingBefore},
                {"padding_after", window.paddingAfter},
                {"groups", int64_t{1}},
                {"input_shape", std::vector<int64_t>(out.dims().begin(), out.dims().end())}});
}

SpreadWindow spreadWindow(const LayerContext& context, int64_t size, int64_t kernel, int64_t stride,
                          int64_t dilation, size_t axis) {
  SpreadWindow result;
  const int64_t span = (kernel - 1) * dilation + 1;
  const bool isSame = context.string("padding") == "same";
  const Json& given = context.fields.at("output_padding");
  // Without output_padding, the output has the same size as in TensorFlow's gradient of a
  // convolution.
  if (given.is_null()) {
    result.size = isSame ? size * stride : (size - 1) * stride + std::max(span, stride);
  }
  else {
    const int64_t extra = given.is_array() ? given[axis].get<int64_t>() : given.get<int64_t>();
    if (extra >= stride)
      context.fail("out_of_range", "output_padding",
                   STRATA_TEXT("problem",
                               "output_padding is %1 (expected less than %2, the value of "
                               "strides). Make it smaller."),
                   {std::to_string(extra), std::to_string(stride)},
                   {context.setFieldFix("output_padding", "null")});
    result.size = (size - 1) * stride + span - (isSame ? 2 * (span / 2) : 0) + extra;
  }
  if (isSame) {
    const int64_t cells = std::max<int64_t>(0, (size - 1) * stride + span - result.size);
    result.before = cells / 2;
    result.after = cells - cells / 2;
  }
  return result;
}

}  // namespace strata
