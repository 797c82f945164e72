// SPDX-License-Identifier: Apache-2.0
// Compares losses with their gradients, and metrics, with the reference.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/verify/case_fields.h"
#include "core/verify/cases.h"
#include "core/verify/runnable_graph.h"
#include "gpu/autodiff/autodiff.h"

namespace strata {

void verifyLoss(ReferenceCase& reference) {
  const Json& item = reference.item();
  const std::string type = typeNameOf(item.at("loss"));
  const LossDef* definition = findLoss(type);
  if (!definition) throw MissingType{type};
  const TypedFields fields = typedFields(definition->schema, item.at("loss"), "loss");
  const Tensor& prediction = reference.tensor("prediction");
  Graph graph;
  graph.context.category = Category::Temporary;
  const ValueId x = graph.addInput("prediction", {DType::F32, prediction.shape()});
  TensorType targets = targetType(definition->target, prediction.shape());
  // Sequences of labels may have fewer steps than the prediction.
  if (definition->target == TargetKind::Sequences)
    targets.shape = reference.tensor("target").shape();
  LossContext context{graph, *fields.fields, x, graph.addInput("target", targets)};
  const ValueId value = definition->lower(context).value;
  graph.addOutput("value", value);
  const GradientSeed seed{value, {}};
  const std::vector<ValueId> gradient = differentiate(graph, {&seed, 1}, {&x, 1});
  graph.addOutput("prediction_gradient", gradient.at(0));
  RunnableGraph step(std::move(graph), reference.device());
  step.write("prediction", prediction);
  step.write("target", reference.tensor("target"));
  step.run();
  reference.compare("value", step.read("value"), reference.tensor("value"));
  reference.compare("prediction_gradient", step.read("prediction_gradient"),
                    reference.tensor("prediction_gradient"));
}

void verifyMetric(ReferenceCase& reference) {
  const Json& item = reference.item();
  const std::string type = typeNameOf(item.at("metric"));
  const MetricDef* definition = findMetric(type);
  if (!definition) throw MissingType{type};
  const TypedFields metric = typedFields(definition->schema, item.at("metric"), "metric");
  const Tensor& prediction = reference.tensor("prediction");
  const Tensor& target = reference.tensor("target");
  LoweredMetric lowered;
  std::vector<double> sums;
  int64_t row = 0;
  const int64_t maxRows = std::min(reference.rowCount(prediction), reference.rowCount(target));
  for (const Json& update : item.at("updates")) {
    const int64_t rows = reference.countIn(update, "updates", maxRows);
    Graph graph;
    graph.context.category = Category::Temporary;
    const auto withRows = [&](Shape shape) {
      shape.set(0, rows);
      return shape;
    };
    const DType targets = definition->target == TargetKind::Labels ? DType::I32 : DType::F32;
    const ValueId x = graph.addInput("prediction", {DType::F32, withRows(prediction.shape())});
    lowered = lowerMetric(graph, metric, definition->target, x,
                          graph.addInput("target", {targets, withRows(target.shape())}));
    RunnableGraph step(std::move(graph), reference.device());
    step.write("prediction", rowsFrom(prediction, row, rows));
    step.write("target", rowsFrom(target, row, rows));
    step.run();
    const Tensor got = step.read(lowered.output).converted(DType::F64);
    sums.resize(static_cast<size_t>(got.numElements()));
    for (size_t i = 0; i < sums.size(); ++i)
      sums[i] += got.as<double>()[i];
    row += rows;
  }
  if (row == 0) return reference.fail("the case has no updates.");
  Tensor values(DType::F64, Shape{static_cast<int64_t>(lowered.names.size())});
  metricValues({&lowered, 1}, sums, row, values.as<double>());
  reference.compare("value", values, reference.tensor("value"));
}

}  // namespace strata
