// SPDX-License-Identifier: Apache-2.0
// Metrics, computed exactly over many batches: the step's program computes sums for each batch, the
// sums are added in double, and the values are computed from them. metrics.cpp has the list and the
// shared parts, metrics_<family>.cpp the definitions; one entry there adds a metric.
// Thread: definitions are constant.
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
  // Weights of the samples (f32, leading dimensions of the prediction); invalid: all equal
  ValueId weights = {};
};

/// Weights of samples and of their steps. As in Keras, masked steps count in `ofCounts` but not in
/// `ofMeans`. Invalid: all equal.
struct MetricWeights {
  ValueId ofMeans = {}, ofCounts = {};
};

struct MetricDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  // The metric also accepts labels instead of values, and values instead of labels
  bool takesEitherTarget = false;
  // A mean over the samples: weighted sums are followed by the sum of the weights. Other metrics
  // count each sample by its weight
  bool isMean = false;
  // The loss whose mean this metric is
  std::string loss = {};
  /// Sums over the samples of the batch: f32, any shape.
  ValueId (*lower)(MetricContext&) = nullptr;
  /// Computes the values from `sums` over `samples` samples; null: the only sum divided by the
  /// samples. Allocates nothing.
  void (*finish)(const Json& fields, std::span<const double> sums, int64_t samples,
                 std::span<double> values) = nullptr;
  /// Number of values; null: one.
  int64_t (*count)(const Json& fields, const Shape& prediction) = nullptr;
  // Defaults of its fields
  std::shared_ptr<const Json> defaults = {};
};

/// A metric in a step's graph.
struct LoweredMetric {
  const MetricDef* definition = nullptr;
  std::shared_ptr<const Json> fields;
  // Name of the graph output with its sums
  std::string output;
  // Number of sums
  int64_t sums = 1;
  // A mean weighted by the weights of the samples
  bool isWeighted = false;
  // Names of its values: "accuracy", or "f1_score/0", ...
  std::vector<std::string> names;
};

std::span<const MetricDef* const> allMetrics();
/// "accuracy" is not in the list: resolveMetric() replaces it by a metric.
const MetricDef* findMetric(std::string_view type);
/// All metrics, preceded by "accuracy", which is replaced once loss and output are known.
std::span<const Schema* const> metricSchemas();
/// Resolves Keras's "accuracy": binary for one output, sparse for labels, otherwise categorical.
/// Returns other types unchanged.
std::string resolveMetric(std::string_view type, TargetKind target, const Shape& prediction);
/// Appends the metric and its output "metric/<name>"; converts the target if allowed. Fails:
/// InvalidProject if the target does not fit.
LoweredMetric lowerMetric(Graph& graph, const TypedFields& metric, TargetKind targetKind,
                          ValueId prediction, ValueId target, MetricWeights weights = {});
/// A loss reported among the metrics under its own name: its mean over the samples.
LoweredMetric lossAsMetric(Graph& graph, const std::string& name, ValueId loss, int64_t batchSize);
/// Computes the values of all metrics in order from their concatenated sums.
void metricValues(std::span<const LoweredMetric> metrics, std::span<const double> sums,
                  int64_t samples, std::span<double> values);

}  // namespace strata
