// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/metrics.h"

#include <algorithm>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/recipe/metric_parts.h"
#include "gpu/ops/build.h"

namespace strata {

MetricDef makeMetric(const char* type, Text help, const char* formula, Direction direction,
                     TargetKind target, bool takesEither, std::vector<FieldSchema> fields,
                     ValueId (*lower)(MetricContext&)) {
  MetricDef result;
  result.schema = {.type = type,
                   .group = "Metric",
                   .help = help,
                   .formula = formula,
                   .source = "Keras 3, keras.metrics",
                   .fields = std::move(fields)};
  result.target = target;
  result.direction = direction;
  result.takesEitherTarget = takesEither;
  result.lower = lower;
  Json defaults = Json::object();
  for (const auto& field : result.schema.fields)
    defaults[field.name] = Json::parse(field.defaultJson);
  result.defaults = std::make_shared<const Json>(std::move(defaults));
  return result;
}

ValueId joined(Graph& g, const std::vector<ValueId>& parts) {
  std::vector<ValueId> flat;
  for (const ValueId part : parts)
    flat.push_back(reshape(g, part, {g.shape(part).numElements()}));
  return flat.size() == 1 ? flat[0] : concatenate(g, flat, 0);
}

ValueId sumOfSampleMeans(MetricContext& c, ValueId cells) {
  Graph& g = c.graph;
  const Shape shape = g.shape(cells);
  if (c.weights.isValid()) {
    std::vector<int64_t> finer;
    for (int i = g.shape(c.weights).rank(); i < shape.rank(); ++i)
      finer.push_back(i);
    const ValueId rows = finer.empty() ? cells : reduceMean(g, cells, finer);
    return joined(g, {sumAll(g, multiply(g, rows, c.weights)), sumAll(g, c.weights)});
  }
  const double perSample = static_cast<double>(shape.numElements()) / static_cast<double>(shape[0]);
  const ValueId sum = sumAll(g, cells);
  return perSample == 1 ? sum : multiplyScalar(g, sum, 1 / perSample);
}

ValueId weightsLike(MetricContext& c, ValueId like) {
  if (!c.weights.isValid()) return {};
  const Shape whole = c.graph.shape(like);
  Shape shape = c.graph.shape(c.weights);
  while (shape.rank() < whole.rank())
    shape.append(1);
  return broadcastTo(c.graph, reshape(c.graph, c.weights, shape), whole);
}

std::span<const MetricDef* const> allMetrics() {
  static const std::vector<MetricDef> metrics = [] {
    std::vector<MetricDef> result;
    for (auto family : {meanMetrics, countMetrics, curveMetrics, overlapMetrics})
      for (MetricDef& each : family())
        result.push_back(std::move(each));
    return result;
  }();
  static const std::vector<const MetricDef*> pointers = [] {
    std::vector<const MetricDef*> result;
    for (const auto& each : metrics)
      result.push_back(&each);
    return result;
  }();
  return pointers;
}

const MetricDef* findMetric(std::string_view type) {
  for (const MetricDef* each : allMetrics())
    if (each->schema.type == type) return each;
  return nullptr;
}

std::span<const Schema* const> metricSchemas() {
  static const Schema kAccuracy{
      .type = "accuracy",
      .group = "Metric",
      .help = STRATA_TEXT("training",
                          "Fraction of correct predictions; a single output is compared with a "
                          "threshold, otherwise the largest output counts"),
      .formula = "binary, sparse or categorical accuracy, depending on the loss and the output",
      .source = "Keras 3, keras.metrics"};
  static const std::vector<const Schema*> pointers = [] {
    std::vector<const Schema*> result = schemasOf(allMetrics());
    result.insert(result.begin(), &kAccuracy);
    return result;
  }();
  return pointers;
}

Direction directionOf(std::string_view type) {
  if (type == "loss") return Direction::Down;
  if (type == "accuracy") return Direction::Up;
  const MetricDef* const definition = findMetric(type);
  return definition ? definition->direction : Direction::None;
}

std::string resolveMetric(std::string_view type, TargetKind target, const Shape& prediction) {
  if (type != "accuracy") return std::string(type);
  if (target == TargetKind::Labels) return "sparse_categorical_accuracy";
  return prediction.dim(-1) == 1 ? "binary_accuracy" : "categorical_accuracy";
}

/// Returns the prediction as probabilities, if the loss reads it as logits.
static ValueId probabilitiesOf(Graph& graph, ValueId prediction, const OutputReading& reading) {
  switch (reading.logits) {
    case OutputReading::Logits::None: return prediction;
    case OutputReading::Logits::Sigmoid: return activation(graph, prediction, "sigmoid");
    case OutputReading::Logits::Softmax: return softmax(graph, prediction, reading.axis);
  }
  return prediction;
}

/// Returns the target with 0 instead of -1, for metrics of probabilities.
static ValueId withoutSigns(Graph& graph, ValueId target) {
  return cast(graph, greater(graph, target, constantScalar(graph, DType::F32, 0)), DType::F32);
}

LoweredMetric lowerMetric(Graph& graph, const TypedFields& metric, TargetKind targetKind,
                          ValueId prediction, ValueId target, MetricWeights weights,
                          const OutputReading& reading) {
  const std::string type = resolveMetric(metric.type, targetKind, graph.shape(prediction));
  const MetricDef* definition = findMetric(type);
  if (!definition)
    throw Error(ErrorCode::InvalidProject, "metrics",
                "there is no metric \"" + type + "\". Choose one listed by `strata layers`.");
  if (definition->target != targetKind) {
    if (!definition->takesEitherTarget)
      throw Error(
          ErrorCode::InvalidProject, "metrics",
          type +
              " compares values, but the targets of this loss are class numbers. Choose accuracy.");
    target = targetKind == TargetKind::Values
                 ? argmax(graph, target)
                 : oneHot(graph, target, graph.shape(prediction).dim(-1));
  }
  LoweredMetric result;
  result.definition = definition;
  // A metric that replaces "accuracy" uses its default fields, because "accuracy" has none
  result.fields = metric.fields && metric.type == type ? metric.fields : definition->defaults;
  const std::string& name = metric.name.empty() ? metric.type : metric.name;
  MetricContext context{graph,  *result.fields, *definition, prediction,
                        target, prediction,     reading};
  const auto flag = result.fields->find("from_logits");
  const bool readsLogits = flag != result.fields->end() && flag->get<bool>();
  if (definition->wantsProbabilities) {
    if (!readsLogits) context.prediction = probabilitiesOf(graph, prediction, reading);
    if (reading.hasSigns) context.target = withoutSigns(graph, target);
  }
  context.weights = definition->isMean ? weights.ofMeans : weights.ofCounts;
  result.isWeighted = definition->isMean && context.weights.isValid();
  const ValueId sums = definition->lower(context);
  result.output = "metric/" + name;
  result.isCollected = definition->isCollected && definition->isCollected(*result.fields);
  result.sums = result.isCollected ? 0 : graph.shape(sums).numElements();
  result.width = graph.shape(prediction).dim(-1);
  graph.addOutput(result.output, sums);
  const int64_t count =
      definition->count ? definition->count(*result.fields, graph.shape(prediction)) : 1;
  for (int64_t i = 0; i < count; ++i)
    result.names.push_back(count == 1 ? name : name + "/" + std::to_string(i));
  return result;
}

LoweredMetric lossAsMetric(Graph& graph, const std::string& name, ValueId loss, int64_t batchSize) {
  static const MetricDef mean;
  LoweredMetric result;
  result.definition = &mean;
  result.output = "metric/" + name;
  result.names = {name};
  graph.addOutput(result.output, multiplyScalar(graph, loss, static_cast<double>(batchSize)));
  return result;
}

void metricValues(std::span<const LoweredMetric> metrics, std::span<const double> sums,
                  int64_t samples, std::span<double> values,
                  std::span<std::vector<CollectedElement>> collected) {
  for (const LoweredMetric& metric : metrics) {
    if (metric.isCollected) {
      values[0] = collected.empty() ? std::numeric_limits<double>::quiet_NaN()
                                    : metric.definition->finishCollected(
                                          *metric.fields, collected[0], metric.width);
      if (!collected.empty()) collected = collected.subspan(1);
      values = values.subspan(1);
      continue;
    }
    const auto own = sums.first(static_cast<size_t>(metric.sums));
    const auto results = values.first(metric.names.size());
    const double weighted = metric.isWeighted ? shareOf(own[0], own[1]) : 0;
    const bool isMean = metric.isWeighted && metric.definition->loss.empty();
    if (metric.definition->finish)
      metric.definition->finish(*metric.fields, isMean ? std::span(&weighted, 1) : own,
                                isMean ? 1 : samples, results);
    else
      results[0] = isMean ? weighted : own[0] / static_cast<double>(std::max<int64_t>(1, samples));
    sums = sums.subspan(own.size());
    values = values.subspan(results.size());
  }
}

}  // namespace strata
