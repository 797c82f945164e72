// SPDX-License-Identifier: Apache-2.0
// BatchNormalization: each channel gets mean 0 and variance 1, then a learned scale and offset. Formula: y = gamma * (x - mean) / sqrt(variance + epsilon) + beta.
// While training mean and (biased) variance are the batch's, and moving = moving * momentum + batch * (1 - momentum); otherwise, and where the layer is frozen, the moving ones.
// Input: [N, ...]. Output: the same shape. Variables: gamma, beta, moving_mean, moving_variance [C]. Gradient: by its ops. Numerics: variance from float32 sums.
// Errors: out_of_range for the axis. Source: Ioffe and Szegedy, 2015; Keras 3, keras.layers.BatchNormalization.
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

/// Of each step and channel, x [N,T,..,C], dimensions kept. `counts`: 1 where a cell counts, beside x; invalid where all do.
Moments momentsOf(Graph& g, ValueId x, ValueId counts) {
  std::vector<int64_t> axes{0};
  for (int64_t i = 2; i + 1 < g.shape(x).rank(); ++i) axes.push_back(i);
  if (!counts.isValid()) {
    const ValueId mean = reduceMean(g, x, axes, true);
    return {mean, reduceMean(g, square(g, subtract(g, x, mean)), axes, true)};
  }
  const ValueId number = addScalar(g, reduceSum(g, counts, axes, true), 1e-7);
  const ValueId mean = divide(g, reduceSum(g, multiply(g, x, counts), axes, true), number);
  const ValueId away = multiply(g, subtract(g, x, mean), counts);
  return {mean, divide(g, reduceSum(g, square(g, away), axes, true), number)};
}

/// What a moving value takes in of the moments of steps one after the other, the last one most: [1,T,..,C] to [C].
ValueId takenIn(Graph& g, ValueId moments, int64_t steps, int64_t channels, double momentum) {
  Tensor shares(DType::F32, {steps, 1});
  for (int64_t t = 0; t < steps; ++t)
    shares.as<float>()[static_cast<size_t>(t)] =
        static_cast<float>((1 - momentum) * std::pow(momentum, static_cast<double>(steps - 1 - t)));
  return reduceSum(g, multiply(g, reshape(g, moments, {steps, channels}), g.addConstant(std::move(shares))), {0});
}

ValueId lowerBatchNormalization(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int rank = in.rank();
  const int64_t given = context.integer("axis");
  const int64_t axis = given < 0 ? given + rank : given;
  if (axis < 1 || axis >= rank)
    context.fail("out_of_range", "axis", STRATA_TEXT("problem", "axis is %1 (expected 1 to %2, or -1 for the last). Set it to -1."),
                 {std::to_string(given), std::to_string(rank - 1)}, {context.setFieldFix("axis", "-1")});
  const bool isLast = axis == rank - 1;
  std::vector<int64_t> toLast, back(static_cast<size_t>(rank));
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis) toLast.push_back(i);
  toLast.push_back(axis);
  for (size_t i = 0; i < toLast.size(); ++i) back[static_cast<size_t>(toLast[i])] = static_cast<int64_t>(i);

  const Shape channels{in[static_cast<int>(axis)]};
  const double epsilon = context.number("epsilon"), momentum = context.number("momentum");
  const bool hasScale = context.boolean("scale"), hasCenter = context.boolean("center");
  const ValueId gamma = hasScale ? context.variable("gamma", channels, "gamma_initializer", true, 0, 0, "gamma_regularizer") : ValueId{};
  const ValueId beta = hasCenter ? context.variable("beta", channels, "beta_initializer", true, 0, 0, "beta_regularizer") : ValueId{};
  const ValueId movingMean = context.variable("moving_mean", channels, "moving_mean_initializer", false);
  const ValueId movingVariance = context.variable("moving_variance", channels, "moving_variance_initializer", false);

  ValueId x = context.floatInput();
  if (!isLast) x = transpose(g, x, toLast);
  ValueId y;
  const auto remember = [&](const char* path, ValueId moving, ValueId taken, int64_t steps) {
    context.setNext(path, add(g, multiplyScalar(g, moving, std::pow(momentum, static_cast<double>(steps))), taken));
  };
  const auto scaled = [&](ValueId values, ValueId mean, ValueId variance) {
    ValueId scale = rsqrt(g, addScalar(g, variance, epsilon));
    if (hasScale) scale = multiply(g, scale, gamma);
    const ValueId result = multiply(g, subtract(g, values, mean), scale);
    return hasCenter ? add(g, result, beta) : result;
  };
  ValueId mask = context.mask();
  if (mask.isValid() && (!isLast || g.shape(mask) != in.without(-1))) mask = {};
  if (context.isLearning() && (mask.isValid() || context.timeSteps > 1)) {
    const int64_t steps = context.timeSteps;
    const Shape flat = g.shape(x);
    Shape split{flat[0] / steps, steps}, counted = split;
    for (int i = 1; i < rank; ++i) {
      split.append(flat[i]);
      counted.append(i + 1 < rank ? flat[i] : 1);
    }
    const ValueId values = reshape(g, x, split);
    const Moments moments = momentsOf(g, values, mask.isValid() ? reshape(g, mask, counted) : ValueId());
    y = reshape(g, scaled(values, moments.mean, moments.variance), flat);
    remember("moving_mean", movingMean, takenIn(g, moments.mean, steps, channels[0], momentum), steps);
    remember("moving_variance", movingVariance, takenIn(g, moments.variance, steps, channels[0], momentum), steps);
  } else if (context.isLearning()) {
    const BatchNormResult result = batchNorm(g, x, hasScale ? gamma : constantFill(g, {DType::F32, channels}, 1),
                                             hasCenter ? beta : constantFill(g, {DType::F32, channels}, 0), epsilon);
    y = result.y;
    const ValueId variance = addScalar(g, reciprocal(g, square(g, result.invStd)), -epsilon);
    remember("moving_mean", movingMean, multiplyScalar(g, result.mean, 1 - momentum), 1);
    remember("moving_variance", movingVariance, multiplyScalar(g, variance, 1 - momentum), 1);
  } else {
    y = scaled(x, movingMean, movingVariance);
  }
  return isLast ? y : transpose(g, y, back);
}

}  // namespace

const LayerDef& batchNormalizationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "BatchNormalization",
                 .group = "Normalization",
                 .help = STRATA_TEXT("layers", "Brings each channel to mean 0 and variance 1, then scales and shifts it as learned"),
                 .formula = "y = gamma (x - mean) / sqrt(variance + epsilon) + beta",
                 .source = "Ioffe and Szegedy, 2015; Keras 3, keras.layers.BatchNormalization",
                 .fields = {{.name = "axis",
                             .type = FieldType::Integer,
                             .defaultJson = "-1",
                             .minimum = -7.0,
                             .maximum = 7.0,
                             .help = STRATA_TEXT("layers", "Dimension of the channels; -1 is the last"),
                             .title = STRATA_TEXT("layers", "Axis")},
                            {.name = "momentum",
                             .type = FieldType::Number,
                             .defaultJson = "0.99",
                             .minimum = 0.0,
                             .maximum = 1.0,
                             .help = STRATA_TEXT("layers", "How slowly the moving mean and variance follow the batches"),
                             .title = STRATA_TEXT("layers", "Momentum")},
                            epsilonField("0.001", STRATA_TEXT("layers", "Added to the variance, so that nothing is divided by zero")),
                            centerField(),
                            scaleField(),
                            ignoredSwitch("synchronized"),
                            initializerField("beta_initializer", "\"zeros\"", STRATA_TEXT("layers", "Beta starts as")),
                            initializerField("gamma_initializer", "\"ones\"", STRATA_TEXT("layers", "Gamma starts as")),
                            initializerField("moving_mean_initializer", "\"zeros\"", STRATA_TEXT("layers", "Moving mean starts as")),
                            initializerField("moving_variance_initializer", "\"ones\"", STRATA_TEXT("layers", "Moving variance starts as")),
                            regularizerField("beta_regularizer", STRATA_TEXT("layers", "Beta regularizer")),
                            regularizerField("gamma_regularizer", STRATA_TEXT("layers", "Gamma regularizer"))}},
      .lower = lowerBatchNormalization,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
