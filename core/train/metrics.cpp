// SPDX-License-Identifier: Apache-2.0
#include "core/train/metrics.h"

#include <nlohmann/json.hpp>

#include "core/train/catalogue.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Sum over the samples of the mean over everything else of [N, ...].
ValueId sumOfSampleMeans(Graph& g, ValueId cells) {
  const Shape shape = g.shape(cells);
  const double perSample = static_cast<double>(shape.numElements()) / static_cast<double>(shape[0]);
  const ValueId sum = sumAll(g, cells);
  return perSample == 1 ? sum : multiplyScalar(g, sum, 1 / perSample);
}

ValueId sparseAccuracy(MetricContext& c) {
  return sumOfSampleMeans(c.graph, cast(c.graph, equal(c.graph, argmax(c.graph, c.prediction), c.target), DType::F32));
}

ValueId categoricalAccuracy(MetricContext& c) {
  return sumOfSampleMeans(c.graph, cast(c.graph, equal(c.graph, argmax(c.graph, c.prediction), argmax(c.graph, c.target)), DType::F32));
}

ValueId binaryAccuracy(MetricContext& c) {
  const ValueId decided = greater(c.graph, c.prediction, constantScalar(c.graph, DType::F32, c.fields.at("threshold").get<double>()));
  return sumOfSampleMeans(c.graph, equal(c.graph, decided, c.target));
}

ValueId absoluteError(MetricContext& c) { return sumOfSampleMeans(c.graph, abs(c.graph, subtract(c.graph, c.prediction, c.target))); }
ValueId squaredError(MetricContext& c) { return sumOfSampleMeans(c.graph, square(c.graph, subtract(c.graph, c.prediction, c.target))); }

MetricDef metric(const char* type, Text help, const char* formula, TargetKind target, bool takesEither, std::vector<FieldSchema> fields,
                 ValueId (*lower)(MetricContext&)) {
  MetricDef result;
  result.schema = {
      .type = type, .group = "Metric", .help = help, .formula = formula, .source = "Keras 3, keras.metrics", .fields = std::move(fields)};
  result.target = target;
  result.takesEitherTarget = takesEither;
  result.lower = lower;
  Json defaults = Json::object();
  for (const auto& field : result.schema.fields) defaults[field.name] = Json::parse(field.defaultJson);
  result.defaults = std::make_shared<const Json>(std::move(defaults));
  return result;
}

}  // namespace

std::span<const MetricDef* const> allMetrics() {
  static const std::vector<MetricDef> metrics = {
      metric("sparse_categorical_accuracy", STRATA_TEXT("training", "Share of samples whose largest output is the class"),
             "mean (argmax p = target)", TargetKind::Labels, true, {}, sparseAccuracy),
      metric("categorical_accuracy", STRATA_TEXT("training", "Share of samples whose largest output is the target's largest"),
             "mean (argmax p = argmax target)", TargetKind::Values, true, {}, categoricalAccuracy),
      metric("binary_accuracy", STRATA_TEXT("training", "Share of outputs on the right side of the threshold"),
             "mean ((p > threshold) = target)", TargetKind::Values, false,
             {{.name = "threshold",
               .type = FieldType::Number,
               .defaultJson = "0.5",
               .help = STRATA_TEXT("training", "Above it an output means yes"),
               .title = STRATA_TEXT("training", "Threshold")}},
             binaryAccuracy),
      metric("mean_absolute_error", STRATA_TEXT("training", "Mean of the differences' sizes"), "mean |p - target|", TargetKind::Values,
             false, {}, absoluteError),
      metric("mean_squared_error", STRATA_TEXT("training", "Mean of the squared differences"), "mean (p - target)^2", TargetKind::Values,
             false, {}, squaredError),
  };
  static const std::vector<const MetricDef*> pointers = [] {
    std::vector<const MetricDef*> result;
    for (const auto& each : metrics) result.push_back(&each);
    return result;
  }();
  return pointers;
}

const MetricDef* findMetric(std::string_view type) {
  for (const MetricDef* each : allMetrics())
    if (each->schema.type == type) return each;
  return nullptr;
}

std::vector<Schema> metricSchemas() {
  std::vector<Schema> result;
  result.push_back({.type = "accuracy",
                    .group = "Metric",
                    .help = STRATA_TEXT("training", "Share of right answers: binary for one output, else by the largest"),
                    .formula = "binary, sparse or categorical accuracy, as loss and output say",
                    .source = "Keras 3, keras.metrics"});
  for (const MetricDef* each : allMetrics()) result.push_back(each->schema);
  return result;
}

std::string resolveMetric(std::string_view type, TargetKind target, const Shape& prediction) {
  if (type != "accuracy") return std::string(type);
  if (target == TargetKind::Labels) return "sparse_categorical_accuracy";
  return prediction.dim(-1) == 1 ? "binary_accuracy" : "categorical_accuracy";
}

ValueId lowerMetric(Graph& graph, const TypedFields& metric, TargetKind targetKind, ValueId prediction, ValueId target) {
  const std::string type = resolveMetric(metric.type, targetKind, graph.shape(prediction));
  const MetricDef* definition = findMetric(type);
  if (!definition) throw Error(ErrorCode::InvalidProject, "metrics", "there is no metric \"" + type + "\". Choose one of `strata layers`.");
  if (definition->target != targetKind) {
    if (!definition->takesEitherTarget)
      throw Error(ErrorCode::InvalidProject, "metrics",
                  type + " compares values, and the targets of this loss are class numbers. Choose accuracy.");
    target = targetKind == TargetKind::Values ? argmax(graph, target) : oneHot(graph, target, graph.shape(prediction).dim(-1));
  }
  const bool isNamed = metric.fields && metric.type == type;  // else chosen for "accuracy", which has no fields
  MetricContext context{graph, isNamed ? *metric.fields : *definition->defaults, prediction, target};
  return definition->lower(context);
}

}  // namespace strata
