// SPDX-License-Identifier: Apache-2.0
#include "core/layers/random_parts.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"

namespace strata {

namespace {

/// Maps coordinates outside the image to coordinates inside, as Keras's fill modes do. The mode
/// `constant` maps nothing.
ValueId mappedInside(Graph& g, ValueId at, int64_t cells, const std::string& mode) {
  const auto size = static_cast<double>(cells);
  // Returns x modulo the period. The result is never negative.
  const auto rest = [&](ValueId x, double period) {
    return subtract(g, x, multiplyScalar(g, floor(g, multiplyScalar(g, x, 1 / period)), period));
  };
  if (mode == "constant") return at;
  // The image a b c d continues as d c b a | a b c d | d c b a
  if (mode == "reflect") {
    const ValueId within = rest(at, 2 * size);
    at = minimum(g, within, affine(g, within, -1, 2 * size - 1));
  }
  else if (mode == "wrap") {
    // As in TensorFlow, adds a multiple of the size, but divides by `period` instead of the size to
    // determine the multiple.
    const double period = std::max(1.0, size - 1);
    const auto times = [&](double factor, double more) {
      return affine(g, floor(g, multiplyScalar(g, at, factor / period)), 1, more);
    };
    const ValueId below = cast(g, less(g, at, constantScalar(g, DType::F32, 0)), DType::F32),
                  above =
                      cast(g, greater(g, at, constantScalar(g, DType::F32, size - 1)), DType::F32);
    at = add(g, at,
             multiplyScalar(
                 g, subtract(g, multiply(g, below, times(-1, 1)), multiply(g, above, times(1, 0))),
                 size));
  }
  return minimum(g, maximum(g, at, constantScalar(g, DType::F32, 0)),
                 constantScalar(g, DType::F32, size - 1));
}

}  // namespace

ValueId uniformNumbers(LayerContext& context, Shape shape, const char* purpose, double low,
                       double high) {
  const RandomKey key = randomKey(context);
  const ValueId u = randomUniform(context.graph, shape, key.seed, key.step, key.firstRow,
                                  context.name + ":" + purpose);
  return low == 0 && high == 1 ? u : affine(context.graph, u, high - low, low);
}

ValueId normalNumbers(LayerContext& context, Shape shape, const char* purpose) {
  Graph& g = context.graph;
  const std::string second = std::string(purpose) + ".angle";
  const ValueId radius = sqrt(
      g, multiplyScalar(g, log(g, affine(g, uniformNumbers(context, shape, purpose), -1, 1)), -2));
  return multiply(
      g, radius,
      cos(g, multiplyScalar(g, uniformNumbers(context, shape, second.c_str()), 6.283185307179586)));
}

RandomRange rangeOf(const LayerContext& context, const char* field, double least) {
  const auto values = context.fields.at(field).get<std::vector<double>>();
  if (values.size() == 1) return {std::max(-std::abs(values[0]), least), std::abs(values[0])};
  if (values.size() != 2)
    context.fail(
        "out_of_range", field,
        STRATA_TEXT(
            "problem",
            "%1 has %2 numbers (expected one number, or a lower and an upper bound). Change %1."),
        {field, std::to_string(values.size())});
  return {std::min(values[0], values[1]), std::max(values[0], values[1])};
}

RandomRange valueRangeOf(const LayerContext& context) {
  const RandomRange range = rangeOf(context, "value_range", 0);
  const Json& given = context.fields.at("value_range");
  if (range.low == range.high || given.front() > given.back())
    context.fail("out_of_range", "value_range",
                 STRATA_TEXT("problem",
                             "value_range is %1 (expected a lower and an upper bound, such as [0, "
                             "255]). Change it."),
                 {given.dump()});
  return range;
}

FieldSchema rangeField(const char* name, const char* example, double minimum, double maximum,
                       Text help, Text title) {
  FieldSchema field{.name = name,
                    .type = FieldType::NumberList,
                    .exampleJson = example,
                    .minimum = minimum,
                    .maximum = maximum};
  field.help = help;
  field.title = title;
  return field;
}

FieldSchema valueRangeField() {
  return {.name = "value_range",
          .type = FieldType::NumberList,
          .defaultJson = "[0, 255]",
          .help = STRATA_TEXT("layers", "Minimum and maximum pixel value of the images"),
          .title = STRATA_TEXT("layers", "Value range")};
}

FieldSchema fillModeField() {
  return {
      .name = "fill_mode",
      .type = FieldType::Choice,
      .defaultJson = "\"reflect\"",
      .choices = {"reflect", "wrap", "constant", "nearest"},
      .help = STRATA_TEXT(
          "layers", "How to fill the area outside the image: reflect, wrap, constant or nearest"),
      .title = STRATA_TEXT("layers", "Fill mode")};
}

FieldSchema fillValueField() {
  return {.name = "fill_value",
          .type = FieldType::Number,
          .defaultJson = "0.0",
          .help = STRATA_TEXT("layers", "Value outside the image when fill_mode is constant"),
          .title = STRATA_TEXT("layers", "Fill value")};
}

FieldSchema imageInterpolationField() {
  return {.name = "interpolation",
          .type = FieldType::Choice,
          .defaultJson = "\"bilinear\"",
          .choices = {"nearest", "bilinear"},
          .help = STRATA_TEXT("layers", "Interpolation between pixels: nearest or bilinear"),
          .title = STRATA_TEXT("layers", "Interpolation")};
}

ValueId gridAlong(Graph& g, int axis, int64_t count) {
  Shape shape{1, 1, 1};
  shape.set(axis, count);
  Tensor values(DType::F32, shape);
  std::iota(values.as<float>().begin(), values.as<float>().end(), 0.0f);
  return g.addConstant(std::move(values));
}

ValueId imagePixelsAt(LayerContext& context, ValueId x, ValueId row, ValueId column) {
  Graph& g = context.graph;
  const Shape in = g.shape(x);
  // Indices within an image are f32, which is exact below 2^24. Indices within the batch are i32.
  if (in[1] * in[2] >= int64_t{1} << 24 || in[0] * in[1] * in[2] > INT32_MAX)
    context.fail(
        "too_large", "inputs",
        STRATA_TEXT(
            "problem",
            "%1 is too large to compute (expected at most %2 values). Make the layer smaller."),
        {shapeWithoutBatch(in).toString(), std::to_string(int64_t{1} << 24)});
  const ValueId cell =
      cast(g, add(g, multiplyScalar(g, row, static_cast<double>(in[2])), column), DType::I32);
  Tensor first(DType::I32, Shape{in[0], 1, 1});
  for (int64_t n = 0; n < in[0]; ++n)
    first.as<int32_t>()[static_cast<size_t>(n)] = static_cast<int32_t>(n * in[1] * in[2]);
  return gather(g, reshape(g, x, {in[0] * in[1] * in[2], in[3]}),
                add(g, cell, g.addConstant(std::move(first))));
}

ValueId imagesAt(LayerContext& context, ValueId x, ValueId row, ValueId column) {
  Graph& g = context.graph;
  const Shape in = g.shape(x), out = *broadcastShapes(g.shape(row), g.shape(column));
  const std::string mode = context.string("fill_mode");
  const ValueId zero = constantScalar(g, DType::F32, 0),
                fill = constantScalar(g, DType::F32, context.number("fill_value"));
  row = mappedInside(g, row, in[1], mode);
  column = mappedInside(g, column, in[2], mode);
  const auto last = [&](int axis) {
    return constantScalar(g, DType::F32, static_cast<double>(in[axis] - 1));
  };
  const Shape wide{out[0], out[1], out[2], 1};
  const auto cellsAt = [&](ValueId r, ValueId c) {
    const ValueId inner = imagePixelsAt(context, x, minimum(g, maximum(g, r, zero), last(1)),
                                        minimum(g, maximum(g, c, zero), last(2)));
    if (mode != "constant") return inner;
    const auto isInside = [&](ValueId at, int axis) {
      return multiply(g, greaterEqual(g, at, zero), lessEqual(g, at, last(axis)));
    };
    return select(
        g, reshape(g, broadcastTo(g, multiply(g, isInside(r, 1), isInside(c, 2)), out), wide),
        inner, fill);
  };
  if (context.string("interpolation") == "nearest")
    return cellsAt(floor(g, addScalar(g, row, 0.5)), floor(g, addScalar(g, column, 0.5)));
  const ValueId top = floor(g, row), left = floor(g, column);
  const ValueId down = reshape(g, broadcastTo(g, subtract(g, row, top), out), wide),
                right = reshape(g, broadcastTo(g, subtract(g, column, left), out), wide);
  const auto mixed = [&](ValueId a, ValueId b, ValueId share) {
    return add(g, a, multiply(g, subtract(g, b, a), share));
  };
  const ValueId below = addScalar(g, top, 1), rightOf = addScalar(g, left, 1);
  return mixed(mixed(cellsAt(top, left), cellsAt(top, rightOf), right),
               mixed(cellsAt(below, left), cellsAt(below, rightOf), right), down);
}

ValueId withinRange(LayerContext& context, ValueId x) {
  const RandomRange range = valueRangeOf(context);
  Graph& g = context.graph;
  return minimum(g, maximum(g, x, constantScalar(g, DType::F32, range.low)),
                 constantScalar(g, DType::F32, range.high));
}

}  // namespace strata
