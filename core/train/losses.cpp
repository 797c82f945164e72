// SPDX-License-Identifier: Apache-2.0
#include "core/train/losses.h"

#include <nlohmann/json.hpp>

#include "core/train/catalogue.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

constexpr double kEpsilon = 1e-7;  // Keras's backend.epsilon()

ValueId clipProbabilities(Graph& g, ValueId p) {
  return maximum(g, minimum(g, p, constantScalar(g, DType::F32, 1 - kEpsilon)), constantScalar(g, DType::F32, kEpsilon));
}

/// Keras's `reduction`: without sample weights "mean" and "sum_over_batch_size" are the same.
/// Comparing JSON itself with a text makes JSON of the text, which ends the program where no memory is left for it.
bool isSummed(const LossContext& context) { return context.fields.at("reduction").get_ref<const std::string&>() == "sum"; }

ValueId reduced(const LossContext& context, ValueId values) {
  return isSummed(context) ? sumAll(context.graph, values) : meanAll(context.graph, values);
}

/// Cross-entropy of rows of probabilities or logits: {one value a row, the probabilities where they were computed}.
std::pair<ValueId, ValueId> rowsOfCrossEntropy(LossContext& context, ValueId target, int64_t ignoreClass, bool isSparse) {
  Graph& g = context.graph;
  const LogitsSource source = findLogits(g, context.prediction);
  const bool isSoftmax = source.of == LogitsSource::Of::Softmax;
  ValueId logits = isSoftmax ? source.logits : context.prediction;
  const bool hasLogits = isSoftmax || context.fields.at("from_logits").get<bool>();
  if (!hasLogits && !isSparse) {
    const ValueId p = clipProbabilities(g, divide(g, context.prediction, reduceSum(g, context.prediction, {-1}, true)));
    return {negate(g, reduceSum(g, multiply(g, target, log(g, p)), {-1})), {}};
  }
  if (!hasLogits) logits = log(g, clipProbabilities(g, context.prediction));
  const ValueId rows = softmaxCrossEntropy(g, logits, target, ignoreClass);
  const ValueId probabilities = g.node(g.value(rows).producer).outputs[1];
  return {rows, isSoftmax && ignoreClass < 0 ? probabilities : ValueId{}};
}

LossResult lowerSparseCategorical(LossContext& context) {
  Graph& g = context.graph;
  const Json& ignored = context.fields.at("ignore_class");
  const int64_t ignoreClass = ignored.is_null() ? -1 : ignored.get<int64_t>();
  const auto [rows, probabilities] = rowsOfCrossEntropy(context, context.target, ignoreClass, true);
  if (ignoreClass < 0 || isSummed(context)) return {reduced(context, rows), probabilities};
  // The mean over the rows that count; none: 0.
  const ValueId counts = cast(g, notEqual(g, context.target, constantScalar(g, DType::I32, static_cast<double>(ignoreClass))), DType::F32);
  return {divide(g, sumAll(g, rows), maximum(g, sumAll(g, counts), constantScalar(g, DType::F32, 1))), probabilities};
}

LossResult lowerCategorical(LossContext& context) {
  Graph& g = context.graph;
  const double smoothing = context.fields.at("label_smoothing").get<double>();
  ValueId target = context.target;
  if (smoothing > 0) target = affine(g, target, 1 - smoothing, smoothing / static_cast<double>(g.shape(context.prediction).dim(-1)));
  const auto [rows, probabilities] = rowsOfCrossEntropy(context, target, -1, false);
  return {reduced(context, rows), probabilities};
}

LossResult lowerBinary(LossContext& context) {
  Graph& g = context.graph;
  const double smoothing = context.fields.at("label_smoothing").get<double>();
  ValueId target = context.target;
  if (smoothing > 0) target = affine(g, target, 1 - smoothing, smoothing / 2);
  const LogitsSource source = findLogits(g, context.prediction);
  ValueId cells;
  if (source.of == LogitsSource::Of::Sigmoid) {
    cells = sigmoidCrossEntropy(g, source.logits, target);
  } else if (context.fields.at("from_logits").get<bool>()) {
    cells = sigmoidCrossEntropy(g, context.prediction, target);
  } else {
    const ValueId p = clipProbabilities(g, context.prediction);
    const ValueId ones = multiply(g, target, log(g, p));
    const ValueId zeros = multiply(g, affine(g, target, -1, 1), log(g, affine(g, p, -1, 1)));
    cells = negate(g, add(g, ones, zeros));
  }
  return {reduced(context, reduceMean(g, cells, {-1})), {}};
}

LossResult lowerSquared(LossContext& context) {
  Graph& g = context.graph;
  return {reduced(context, reduceMean(g, square(g, subtract(g, context.prediction, context.target)), {-1})), {}};
}

LossResult lowerAbsolute(LossContext& context) {
  Graph& g = context.graph;
  return {reduced(context, reduceMean(g, abs(g, subtract(g, context.prediction, context.target)), {-1})), {}};
}

LossResult lowerHuber(LossContext& context) {
  Graph& g = context.graph;
  const double delta = context.fields.at("delta").get<double>();
  const ValueId size = abs(g, subtract(g, context.prediction, context.target));
  // With c = min(|e|, delta): c * (|e| - c / 2) is e^2 / 2 inside and delta * |e| - delta^2 / 2 outside.
  const ValueId cut = minimum(g, size, constantScalar(g, DType::F32, delta));
  return {reduced(context, reduceMean(g, multiply(g, cut, subtract(g, size, multiplyScalar(g, cut, 0.5))), {-1})), {}};
}

FieldSchema fromLogits() {
  return {.name = "from_logits",
          .type = FieldType::Boolean,
          .defaultJson = "false",
          .help = STRATA_TEXT("training", "The network ends without softmax or sigmoid"),
          .title = STRATA_TEXT("training", "From logits")};
}

FieldSchema labelSmoothing() {
  return {.name = "label_smoothing",
          .type = FieldType::Number,
          .defaultJson = "0.0",
          .minimum = 0.0,
          .maximum = 1.0,
          .help = STRATA_TEXT("training", "Share of each target that is spread over all classes"),
          .title = STRATA_TEXT("training", "Label smoothing")};
}

LossDef loss(const char* type, Text help, const char* formula, TargetKind target, std::vector<FieldSchema> fields,
             LossResult (*lower)(LossContext&)) {
  LossDef result;
  fields.push_back({.name = "reduction",
                    .type = FieldType::Choice,
                    .defaultJson = "\"sum_over_batch_size\"",
                    .choices = {"sum_over_batch_size", "mean", "sum"},
                    .help = STRATA_TEXT("training", "How the samples' losses become one number"),
                    .title = STRATA_TEXT("training", "Reduction")});
  result.wantsProbabilities = fields.front().name == "from_logits";
  result.schema = {.type = type,
                   .group = target == TargetKind::Labels || result.wantsProbabilities ? "Classification" : "Regression",
                   .help = help,
                   .formula = formula,
                   .source = "Keras 3, keras.losses",
                   .fields = std::move(fields)};
  result.target = target;
  result.lower = lower;
  return result;
}

}  // namespace

std::span<const LossDef* const> allLosses() {
  static const std::vector<LossDef> losses = {
      loss("sparse_categorical_crossentropy", STRATA_TEXT("training", "One class of many, the targets are class numbers"), "-log p[target]",
           TargetKind::Labels,
           {fromLogits(),
            {.name = "ignore_class",
             .type = FieldType::Integer,
             .defaultJson = "null",
             .minimum = 0.0,
             .maximum = 1e9,
             .isNullable = true,
             .help = STRATA_TEXT("training", "Samples of this class do not count"),
             .title = STRATA_TEXT("training", "Ignored class")}},
           lowerSparseCategorical),
      loss("categorical_crossentropy", STRATA_TEXT("training", "One class of many, the targets are probabilities"), "-sum target * log p",
           TargetKind::Values, {fromLogits(), labelSmoothing()}, lowerCategorical),
      loss("binary_crossentropy", STRATA_TEXT("training", "Yes or no for each output"), "-target * log p - (1 - target) * log(1 - p)",
           TargetKind::Values, {fromLogits(), labelSmoothing()}, lowerBinary),
      loss("mean_squared_error", STRATA_TEXT("training", "Mean of the squared differences"), "mean (p - target)^2", TargetKind::Values, {},
           lowerSquared),
      loss("mean_absolute_error", STRATA_TEXT("training", "Mean of the differences' sizes"), "mean |p - target|", TargetKind::Values, {},
           lowerAbsolute),
      loss("huber", STRATA_TEXT("training", "Squares of small differences, sizes of large ones: outliers count less"),
           "e^2 / 2 for |e| <= delta, else delta * |e| - delta^2 / 2", TargetKind::Values,
           {{.name = "delta",
             .type = FieldType::Number,
             .defaultJson = "1.0",
             .minimum = 0.0,
             .isMinimumExclusive = true,
             .help = STRATA_TEXT("training", "Where small becomes large"),
             .title = STRATA_TEXT("training", "Delta")}},
           lowerHuber),
  };
  static const std::vector<const LossDef*> pointers = [] {
    std::vector<const LossDef*> result;
    for (const auto& each : losses) result.push_back(&each);
    return result;
  }();
  return pointers;
}

const LossDef* findLoss(std::string_view type) {
  for (const LossDef* each : allLosses())
    if (each->schema.type == type) return each;
  return nullptr;
}

std::vector<Schema> lossSchemas() {
  std::vector<Schema> result;
  for (const LossDef* each : allLosses()) result.push_back(each->schema);
  return result;
}

TensorType targetType(TargetKind kind, const Shape& prediction) {
  return kind == TargetKind::Labels ? TensorType{DType::I32, prediction.without(prediction.rank() - 1)}
                                    : TensorType{DType::F32, prediction};
}

LogitsSource findLogits(Graph& graph, ValueId prediction) {
  const auto producer = [&](ValueId value) -> const Node& { return graph.node(graph.value(value).producer); };
  const auto isSigmoid = [](const Node& node) {
    return node.op->name == "activation" && node.attributes.get<std::string>("kind") == "sigmoid";
  };
  const Node& node = producer(prediction);
  if (node.op->name == "softmax" &&
      graph.shape(prediction).normalizeAxis(static_cast<int>(node.attributes.get<int64_t>("axis"))) == graph.shape(prediction).rank() - 1)
    return {LogitsSource::Of::Softmax, node.inputs[0]};
  if (isSigmoid(node)) return {LogitsSource::Of::Sigmoid, node.inputs[0]};
  if (node.op->name == "reshape" && isSigmoid(producer(node.inputs[0])))  // Dense on more than one dimension
    return {LogitsSource::Of::Sigmoid, reshape(graph, producer(node.inputs[0]).inputs[0], graph.shape(prediction))};
  return {};
}

}  // namespace strata
