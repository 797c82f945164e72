// SPDX-License-Identifier: Apache-2.0
// BatchNormalization normalizes each channel over the batch, then applies a learned scale and
// offset. Evaluation and frozen layers use the moving statistics.
// Formula: y = gamma (x - mean) / sqrt(variance + epsilon) + beta. Training uses the mean and the
//   biased variance of the batch, and sets moving = moving * momentum + batch * (1 - momentum).
// With `renorm`, training computes y = gamma (r (x - mean) / deviation + d) + beta.
//   deviation = sqrt(variance + epsilon).
//   r = deviation / renorm_stddev and d = (mean - renorm_mean) / renorm_stddev.
//   `renorm_clipping` limits r and d, which have no gradient.
//   renorm_mean and renorm_stddev are moving averages with `renorm_momentum`.
//   moving_variance = max(0, moving_stddev^2 - epsilon).
// Input: [N, ...].
// Output: the same shape.
// Variables: gamma, beta, moving_mean and moving_variance, all [C]. With `renorm` also
//   moving_stddev, renorm_mean and renorm_stddev.
// Gradient: derived from its ops.
// Numerics: the variance is computed from float32 sums.
// Errors: shape_mismatch for an input of rank 1; out_of_range for a wrong axis, or if rmax is less
//   than rmin in `renorm_clipping`.
// Source: Ioffe and Szegedy, 2015; Ioffe, 2017 (renorm); Keras 3, keras.layers.BatchNormalization.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

struct Moments {
  ValueId mean, variance;
};

/// Whether statistics are those of the rows of all replicas.
bool isSynchronized(const LayerContext& context) {
  return context.replicas > 1 && context.boolean("synchronized");
}

/// Returns the sums of values over all replicas.
std::vector<ValueId> sumsOf(LayerContext& context, const std::vector<ValueId>& values) {
  Graph& g = context.graph;
  std::vector<ValueId> flat;
  for (const ValueId value : values)
    flat.push_back(reshape(g, value, {g.shape(value).numElements()}));
  const ValueId sums = syncSum(g, concatenate(g, flat, 0), context.stepInput("share", DType::F32));
  std::vector<ValueId> result;
  int64_t begin = 0;
  for (const ValueId value : values) {
    const int64_t count = g.shape(value).numElements();
    result.push_back(reshape(g, slice(g, sums, {begin}, {count}), g.shape(value)));
    begin += count;
  }
  return result;
}

/// Returns the moments of each step and channel of x [N,T,..,C] over the rows of all replicas,
/// keeping the reduced dimensions. `counts` is as in momentsOf().
Moments synchronizedMoments(LayerContext& context, ValueId x, ValueId counts,
                            const std::vector<int64_t>& axes) {
  Graph& g = context.graph;
  const auto counted = [&](ValueId values) {
    return reduceSum(g, counts.isValid() ? multiply(g, values, counts) : values, axes, true);
  };
  double rows = 1;
  for (const int64_t axis : axes)
    rows *= static_cast<double>(g.shape(x)[static_cast<int>(axis)]);
  const ValueId own = counts.isValid() ? reduceSum(g, counts, axes, true)
                                       : constantFill(g, {DType::F32, {1}}, rows);
  const std::vector<ValueId> first = sumsOf(context, {counted(x), own});
  const ValueId number = counts.isValid() ? addScalar(g, first[1], 1e-7) : first[1];
  const ValueId mean = divide(g, first[0], number);
  const ValueId squares = counted(square(g, subtract(g, x, mean)));
  return {mean, divide(g, sumsOf(context, {squares})[0], number)};
}

/// Returns the moments of each step and channel of x [N,T,..,C], keeping the reduced dimensions.
/// `counts` is 1 for elements that count and broadcasts over x; it is invalid if all elements
/// count.
Moments momentsOf(LayerContext& context, ValueId x, ValueId counts) {
  Graph& g = context.graph;
  std::vector<int64_t> axes{0};
  for (int64_t i = 2; i + 1 < g.shape(x).rank(); ++i)
    axes.push_back(i);
  if (isSynchronized(context)) return synchronizedMoments(context, x, counts, axes);
  if (!counts.isValid()) {
    const ValueId mean = reduceMean(g, x, axes, true);
    return {mean, reduceMean(g, square(g, subtract(g, x, mean)), axes, true)};
  }
  const ValueId number = addScalar(g, reduceSum(g, counts, axes, true), 1e-7);
  const ValueId mean = divide(g, reduceSum(g, multiply(g, x, counts), axes, true), number);
  const ValueId away = multiply(g, subtract(g, x, mean), counts);
  return {mean, divide(g, reduceSum(g, square(g, away), axes, true), number)};
}

/// Combines the moments of successive steps, [1,T,..,C], to [C]. The weights are those of a moving
/// average, so the last step has the largest weight.
ValueId weightedSteps(Graph& g, ValueId moments, int64_t steps, int64_t channels, double momentum) {
  Tensor shares(DType::F32, {steps, 1});
  for (int64_t t = 0; t < steps; ++t)
    shares.as<float>()[static_cast<size_t>(t)] =
        static_cast<float>((1 - momentum) * std::pow(momentum, static_cast<double>(steps - 1 - t)));
  return reduceSum(
      g, multiply(g, reshape(g, moments, {steps, channels}), g.addConstant(std::move(shares))),
      {0});
}

/// The moving statistics of batch renormalization. Training corrects the normalized values with
/// `mean` and `deviation`. Evaluation uses `movingMean` and the moving variance, which keep()
/// computes from `movingDeviation`.
struct Renormalization {
  ValueId movingMean = {}, movingDeviation = {}, mean = {}, deviation = {};

  /// Returns r * standard + d and updates the statistics. `standard` contains the values that are
  /// normalized with the mean and deviation of the batch.
  ValueId apply(LayerContext& context, ValueId standard, ValueId batchMean,
                ValueId batchDeviation) {
    Graph& g = context.graph;
    const Json& clipping = context.fields.at("renorm_clipping");
    const auto limited = [&](ValueId x, ValueId (*limit)(Graph&, ValueId, ValueId),
                             const char* field, double sign) {
      if (clipping.is_null() || clipping.at(field).is_null()) return x;
      return limit(g, x, constantScalar(g, DType::F32, sign * clipping.at(field).get<double>()));
    };
    const ValueId kept =
        maximum(g, deviation, constantScalar(g, DType::F32, std::sqrt(context.number("epsilon"))));
    const ValueId r =
        limited(limited(divide(g, batchDeviation, kept), maximum, "rmin", 1), minimum, "rmax", 1);
    const ValueId d =
        limited(limited(divide(g, subtract(g, batchMean, mean), kept), maximum, "dmax", -1),
                minimum, "dmax", 1);
    const auto follow = [&](ValueId& old, ValueId batch, const char* momentum) {
      const double share = context.number(momentum);
      old = add(g, multiplyScalar(g, old, share), multiplyScalar(g, batch, 1 - share));
    };
    follow(movingMean, batchMean, "momentum");
    follow(movingDeviation, batchDeviation, "momentum");
    follow(mean, batchMean, "renorm_momentum");
    follow(deviation, batchDeviation, "renorm_momentum");
    return add(g, multiply(g, standard, stopGradient(g, r)), stopGradient(g, d));
  }

  void keep(LayerContext& context) const {
    Graph& g = context.graph;
    context.setNext("moving_mean", movingMean);
    context.setNext("moving_stddev", movingDeviation);
    context.setNext("renorm_mean", mean);
    context.setNext("renorm_stddev", deviation);
    const ValueId variance = addScalar(g, square(g, movingDeviation), -context.number("epsilon"));
    context.setNext("moving_variance", maximum(g, variance, constantScalar(g, DType::F32, 0)));
  }
};

void requireClipping(const LayerContext& context) {
  const Json& clipping = context.fields.at("renorm_clipping");
  if (clipping.is_null() || clipping.at("rmin").is_null() || clipping.at("rmax").is_null()) return;
  if (clipping.at("rmax").get<double>() < clipping.at("rmin").get<double>())
    context.fail(
        "out_of_range", "renorm_clipping",
        STRATA_TEXT("problem",
                    "rmax is %1 (expected at least %2, the value of rmin). Change one of them."),
        {clipping.at("rmax").dump(), clipping.at("rmin").dump()});
}

ValueId lowerBatchNormalization(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int rank = in.rank();
  if (rank < 2) context.requireRank(2);
  const int64_t given = context.integer("axis");
  const int64_t axis = given < 0 ? given + rank : given;
  if (axis < 1 || axis >= rank)
    context.fail(
        "out_of_range", "axis",
        STRATA_TEXT("problem",
                    "axis is %1 (expected 1 to %2, or -1 for the last dimension). Set it to -1."),
        {std::to_string(given), std::to_string(rank - 1)}, {context.setFieldFix("axis", "-1")});
  const bool isLast = axis == rank - 1;
  std::vector<int64_t> toLast, back(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) toLast.push_back(i);
  toLast.push_back(axis);
  for (size_t i = 0; i < toLast.size(); ++i)
    back[static_cast<size_t>(toLast[i])] = static_cast<int64_t>(i);

  const Shape channels{in[static_cast<int>(axis)]};
  const double epsilon = context.number("epsilon"), momentum = context.number("momentum");
  const bool hasScale = context.boolean("scale"), hasCenter = context.boolean("center");
  const ValueId gamma = hasScale ? context.variable("gamma", channels, "gamma_initializer", true, 0,
                                                    0, "gamma_regularizer")
                                 : ValueId{};
  const ValueId beta = hasCenter ? context.variable("beta", channels, "beta_initializer", true, 0,
                                                    0, "beta_regularizer")
                                 : ValueId{};
  const ValueId movingMean =
      context.variable("moving_mean", channels, "moving_mean_initializer", false);
  const ValueId movingVariance =
      context.variable("moving_variance", channels, "moving_variance_initializer", false);
  Renormalization renorm{.movingMean = movingMean};
  const bool isRenormed = context.boolean("renorm");
  if (isRenormed) {
    requireClipping(context);
    const auto deviation = [&](const char* path) {
      const ValueId value = context.variable(path, channels, "moving_variance_initializer", false);
      context.variables.back().initializer.isRooted = true;
      return value;
    };
    renorm.movingDeviation = deviation("moving_stddev");
    renorm.mean = context.variable("renorm_mean", channels, "moving_mean_initializer", false);
    renorm.deviation = deviation("renorm_stddev");
  }

  ValueId x = context.floatInput();
  if (!isLast) x = transpose(g, x, toLast);
  ValueId y;
  const auto remember = [&](const char* path, ValueId moving, ValueId taken, int64_t steps) {
    context.setNext(
        path,
        add(g, multiplyScalar(g, moving, std::pow(momentum, static_cast<double>(steps))), taken));
  };
  const auto scaled = [&](ValueId values, ValueId mean, ValueId variance) {
    ValueId scale = rsqrt(g, addScalar(g, variance, epsilon));
    if (hasScale) scale = multiply(g, scale, gamma);
    const ValueId result = multiply(g, subtract(g, values, mean), scale);
    return hasCenter ? add(g, result, beta) : result;
  };
  ValueId mask = context.mask();
  if (mask.isValid() && g.shape(mask) != in.without(-1)) mask = {};
  if (context.isLearning() && (mask.isValid() || context.timeSteps > 1)) {
    const int64_t steps = context.timeSteps;
    const Shape flat = g.shape(x);
    const auto bySteps = [&](ValueId rows) {
      const Shape shape = g.shape(rows);
      Shape split{flat[0] / steps, steps};
      for (int i = 1; i < rank; ++i)
        split.append(shape[i]);
      return reshape(g, rows, split);
    };
    // The mask in a shape that broadcasts over x. It has one channel if channels are the last
    // dimension.
    ValueId counts;
    if (mask.isValid()) {
      Shape wide = in;
      wide.set(rank - 1, 1);
      counts = reshape(g, mask, wide);
      if (!isLast) counts = transpose(g, broadcastTo(g, counts, in), toLast);
      counts = bySteps(counts);
    }
    const ValueId values = bySteps(x);
    if (isRenormed) {
      std::vector<ValueId> parts;
      for (int64_t t = 0; t < steps; ++t) {
        const auto step = [&](ValueId all) {
          Shape size = g.shape(all);
          size.set(1, 1);
          std::vector<int64_t> begin(static_cast<size_t>(size.rank()), 0);
          begin[1] = t;
          return slice(g, all, begin, {size.dims().begin(), size.dims().end()});
        };
        const ValueId part = step(values);
        const Moments moments =
            momentsOf(context, part, counts.isValid() ? step(counts) : ValueId());
        const ValueId deviation = sqrt(g, addScalar(g, moments.variance, epsilon));
        parts.push_back(renorm.apply(context, divide(g, subtract(g, part, moments.mean), deviation),
                                     reshape(g, moments.mean, channels),
                                     reshape(g, deviation, channels)));
      }
      y = reshape(g, concatenate(g, parts, 1), flat);
    }
    else {
      const Moments moments = momentsOf(context, values, counts);
      y = reshape(g, scaled(values, moments.mean, moments.variance), flat);
      remember("moving_mean", movingMean,
               weightedSteps(g, moments.mean, steps, channels[0], momentum), steps);
      remember("moving_variance", movingVariance,
               weightedSteps(g, moments.variance, steps, channels[0], momentum), steps);
    }
  }
  else if (context.isLearning() && isSynchronized(context)) {
    std::vector<int64_t> axes;
    for (int64_t i = 0; i + 1 < rank; ++i)
      axes.push_back(i);
    const auto [mean, variance] = synchronizedMoments(context, x, {}, axes);
    const ValueId flatMean = reshape(g, mean, channels),
                  flatVariance = reshape(g, variance, channels);
    if (isRenormed) {
      const ValueId deviation = sqrt(g, addScalar(g, flatVariance, epsilon));
      y = renorm.apply(context, divide(g, subtract(g, x, flatMean), deviation), flatMean,
                       deviation);
    }
    else {
      y = scaled(x, flatMean, flatVariance);
      remember("moving_mean", movingMean, multiplyScalar(g, flatMean, 1 - momentum), 1);
      remember("moving_variance", movingVariance, multiplyScalar(g, flatVariance, 1 - momentum), 1);
    }
  }
  else if (context.isLearning()) {
    const auto fill = [&](double value) {
      return constantFill(g, {DType::F32, channels}, value);
    };
    const BatchNormResult result = batchNorm(g, x, hasScale && !isRenormed ? gamma : fill(1),
                                             hasCenter && !isRenormed ? beta : fill(0), epsilon);
    if (isRenormed) {
      y = renorm.apply(context, result.y, result.mean, reciprocal(g, result.invStd));
    }
    else {
      y = result.y;
      const ValueId variance = addScalar(g, reciprocal(g, square(g, result.invStd)), -epsilon);
      remember("moving_mean", movingMean, multiplyScalar(g, result.mean, 1 - momentum), 1);
      remember("moving_variance", movingVariance, multiplyScalar(g, variance, 1 - momentum), 1);
    }
  }
  else {
    y = scaled(x, movingMean, movingVariance);
  }
  if (context.isLearning() && isRenormed) {
    renorm.keep(context);
    if (hasScale) y = multiply(g, y, gamma);
    if (hasCenter) y = add(g, y, beta);
  }
  return isLast ? y : transpose(g, y, back);
}

}  // namespace

std::span<const Schema* const> renormClippingSchemas() {
  const auto limit = [](const char* name, Text help, Text title) {
    return FieldSchema{.name = name,
                       .type = FieldType::Number,
                       .defaultJson = "null",
                       .minimum = 0.0,
                       .isNullable = true,
                       .help = help,
                       .title = title};
  };
  static const Schema schema = {
      .type = "renorm_clipping",
      .group = "Normalization",
      .help = STRATA_TEXT("layers", "Limits of the renormalization correction"),
      .formula = "rmin <= r <= rmax, |d| <= dmax",
      .source = "Ioffe, 2017; Keras 3, keras.layers.BatchNormalization",
      .fields = {
          limit("rmax",
                STRATA_TEXT("layers", "Upper limit of the correction factor; by default no limit"),
                STRATA_TEXT("layers", "Maximum factor")),
          limit("rmin",
                STRATA_TEXT("layers", "Lower limit of the correction factor; by default no limit"),
                STRATA_TEXT("layers", "Minimum factor")),
          limit("dmax",
                STRATA_TEXT("layers", "Limit of the correction offset; by default no limit"),
                STRATA_TEXT("layers", "Maximum offset"))}};
  static const Schema* const only = &schema;
  return {&only, 1};
}

const LayerDef& batchNormalizationLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "BatchNormalization",
           .group = "Normalization",
           .help = STRATA_TEXT(
               "layers",
               "Normalizes each channel over the batch, then applies a learned scale and offset"),
           .formula = "y = gamma (x - mean) / sqrt(variance + epsilon) + beta",
           .source = "Ioffe and Szegedy, 2015; Keras 3, keras.layers.BatchNormalization",
           .fields =
               {{.name = "axis",
                 .type = FieldType::Integer,
                 .defaultJson = "-1",
                 .minimum = -7.0,
                 .maximum = 7.0,
                 .help =
                     STRATA_TEXT("layers", "Dimension of the channels; -1 is the last dimension"),
                 .title = STRATA_TEXT("layers", "Axis")},
                {.name = "momentum",
                 .type = FieldType::Number,
                 .defaultJson = "0.99",
                 .minimum = 0.0,
                 .maximum = 1.0,
                 .help = STRATA_TEXT("layers", "Momentum of the moving mean and variance"),
                 .title = STRATA_TEXT("layers", "Momentum")},
                epsilonField(
                    "0.001",
                    STRATA_TEXT("layers",
                                "Small number added to the variance to avoid division by zero")),
                centerField(),
                scaleField(),
                switchField(
                    "renorm", "false",
                    STRATA_TEXT("layers",
                                "Use batch renormalization, which helps with small batches"),
                    STRATA_TEXT("layers", "Renormalize")),
                {.name = "renorm_clipping",
                 .type = FieldType::Object,
                 .defaultJson = "null",
                 .isNullable = true,
                 .registry = "renorm_clipping",
                 .objects = renormClippingSchemas,
                 .help = STRATA_TEXT(
                     "layers", "Limits of the renormalization correction; by default no limits"),
                 .title = STRATA_TEXT("layers", "Renormalization limits")},
                {.name = "renorm_momentum",
                 .type = FieldType::Number,
                 .defaultJson = "0.99",
                 .minimum = 0.0,
                 .maximum = 1.0,
                 .help = STRATA_TEXT("layers",
                                     "Momentum of the moving statistics used by renormalization"),
                 .title = STRATA_TEXT("layers", "Renormalization momentum")},
                switchField("synchronized", "false",
                            STRATA_TEXT("layers",
                                        "Use the statistics of the batches of all devices that "
                                        "train side by side"),
                            STRATA_TEXT("layers", "Synchronized")),
                initializerField("beta_initializer", "\"zeros\"",
                                 STRATA_TEXT("layers", "Beta initializer")),
                initializerField("gamma_initializer", "\"ones\"",
                                 STRATA_TEXT("layers", "Gamma initializer")),
                initializerField("moving_mean_initializer", "\"zeros\"",
                                 STRATA_TEXT("layers", "Moving mean initializer")),
                initializerField("moving_variance_initializer", "\"ones\"",
                                 STRATA_TEXT("layers", "Moving variance initializer")),
                regularizerField("beta_regularizer", STRATA_TEXT("layers", "Beta regularizer")),
                regularizerField("gamma_regularizer", STRATA_TEXT("layers", "Gamma regularizer"))}},
      .lower = lowerBatchNormalization,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
