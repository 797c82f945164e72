// SPDX-License-Identifier: Apache-2.0
// Metrics, streamed exactly: of each batch a metric makes sums (in the step's program), these are
// added over batches in double, and its values are had from the sums. metrics.cpp holds the list
// and what all share, metrics_<family>.cpp the definitions; a row there adds one. Thread:
// definitions are constant.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/recipe/losses.h"
#include "core/recipe/options.h"

namespace strata {

struct MetricDef;

struct MetricContext {
  Graph& graph;
  const Json& fields;
  const MetricDef& definition;
  ValueId prediction, target;
  // f32, of the samples: the leading dimensions of the prediction; invalid: all count the same
  ValueId weights = {};
};

/// Of samples, and of their steps: for means, where masked steps have none, and for metrics that
/// count, as in Keras. Invalid: all count the same.
struct MetricWeights {
  ValueId ofMeans = {}, ofCounts = {};
};

struct MetricDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  // Labels where it wants values and the other way round
  bool takesEitherTarget = false;
  // Over the samples: weighed sums have the weights' sum behind them. Others count each sample by
  // its weight
  bool isMean = false;
  // It is the mean of this loss
  std::string loss = {};
  /// Sums over the samples of the batch: f32, any shape.
  ValueId (*lower)(MetricContext&) = nullptr;
  /// The values of `sums` over `samples` samples; null: the one sum over the samples. Allocates
  /// nothing.
  void (*finish)(const Json& fields, std::span<const double> sums, int64_t samples,
                 std::span<double> values) = nullptr;
  /// How many values there are; null: one.
  int64_t (*count)(const Json& fields, const Shape& prediction) = nullptr;
  // Of its fields
  std::shared_ptr<const Json> defaults = {};
};

/// A metric in a step's graph.
struct LoweredMetric {
  const MetricDef* definition = nullptr;
  std::shared_ptr<const Json> fields;
  // Its sums
  std::string output;
  // How many
  int64_t sums = 1;
  // A mean by the samples' weights
  bool isWeighted = false;
  // Of its values: "accuracy", or "f1_score/0", ...
  std::vector<std::string> names;
};

std::span<const MetricDef* const> allMetrics();
/// "accuracy" is not one: resolveMetric() makes it one.
const MetricDef* findMetric(std::string_view type);
/// All of them, and before them "accuracy", which becomes one of them where loss and output are
/// known.
std::span<const Schema* const> metricSchemas();
/// Keras's "accuracy": binary for one output, sparse for labels, else categorical. Other types come
/// back as they are.
std::string resolveMetric(std::string_view type, TargetKind target, const Shape& prediction);
/// Appends the metric and its output "metric/<name>"; converts the target where it may. Fails:
/// InvalidProject where the target does not fit.
LoweredMetric lowerMetric(Graph& graph, const TypedFields& metric, TargetKind targetKind,
                          ValueId prediction, ValueId target, MetricWeights weights = {});
/// A loss of its own name among the metrics: its mean over the samples.
LoweredMetric lossAsMetric(Graph& graph, const std::string& name, ValueId loss, int64_t batchSize);
/// Values of all metrics in their order, from their sums one after the other.
void metricValues(std::span<const LoweredMetric> metrics, std::span<const double> sums,
                  int64_t samples, std::span<double> values);

}  // namespace strata
