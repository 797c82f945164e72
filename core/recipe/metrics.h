// SPDX-License-Identifier: Apache-2.0
// Defines what a metric is. Each step computes sums for its batch. The sums of all batches are
// added in double precision, and finish() computes the values of the metric from the totals.
// metrics.cpp contains the list and shared functions, and metrics_<family>.cpp contain the
// definitions.
// Not here: adding the sums of batches (core/train).
// Thread: any thread may use the definitions, which are constant. A lowering edits only the given
// graph.
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

/// The inputs of a metric's lowering.
struct MetricContext {
  Graph& graph;
  const Json& fields;
  const MetricDef& definition;
  ValueId prediction, target;
  // Weights of the samples, f32 with the leading dimensions of the prediction; invalid if all
  // weights are equal
  ValueId weights = {};
};

/// Weights of samples and of their steps; a value is invalid if all weights are equal. As in Keras,
/// masked steps count in `ofCounts` but not in `ofMeans`.
struct MetricWeights {
  ValueId ofMeans = {}, ofCounts = {};
};

struct MetricDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  // Whether the metric also accepts labels instead of values, and values instead of labels
  bool takesEitherTarget = false;
  // Whether the metric is a mean over the samples. With weights, its sums are then weighted and
  // followed by the sum of the weights. Other metrics count each sample with its weight.
  bool isMean = false;
  // Type of the loss that the metric averages; "" if the metric is not a loss
  std::string loss = {};
  /// Appends the sums over the samples of the batch, f32 in any shape.
  ValueId (*lower)(MetricContext&) = nullptr;
  /// Computes the values from the sums over `samples` samples. Allocates no memory. If it is null,
  /// the metric has one sum, and its value is the sum divided by `samples`.
  void (*finish)(const Json& fields, std::span<const double> sums, int64_t samples,
                 std::span<double> values) = nullptr;
  /// Returns the number of values. If it is null, the metric has one value.
  int64_t (*count)(const Json& fields, const Shape& prediction) = nullptr;
  // The default values of the metric's fields
  std::shared_ptr<const Json> defaults = {};
};

/// A metric in the graph of a step.
struct LoweredMetric {
  const MetricDef* definition = nullptr;
  std::shared_ptr<const Json> fields;
  // Name of the graph output that contains the sums
  std::string output;
  // Number of sums
  int64_t sums = 1;
  // Whether the metric is a mean that is weighted by the sample weights
  bool isWeighted = false;
  // Names of the values: "accuracy", or "f1_score/0", "f1_score/1", ...
  std::vector<std::string> names;
};

std::span<const MetricDef* const> allMetrics();
/// Returns the definition of a metric type, or null if the type is not known. "accuracy" has no
/// definition. resolveMetric() replaces it by another metric.
const MetricDef* findMetric(std::string_view type);
/// Returns the schemas of "accuracy" and of all metrics.
std::span<const Schema* const> metricSchemas();
/// Replaces Keras's "accuracy" by sparse categorical accuracy if the targets are labels. Otherwise
/// replaces it by binary accuracy for one output, and by categorical accuracy for several outputs.
/// Returns other types unchanged.
std::string resolveMetric(std::string_view type, TargetKind target, const Shape& prediction);
/// Appends the metric and its output "metric/<name>". Converts labels to values or values to labels
/// if the metric needs the other kind and accepts both.
/// Fails: InvalidProject if the metric does not accept the target.
LoweredMetric lowerMetric(Graph& graph, const TypedFields& metric, TargetKind targetKind,
                          ValueId prediction, ValueId target, MetricWeights weights = {});
/// Appends the output "metric/<name>" for a loss, which is a mean over the batch. Returns a metric
/// whose value is the mean of the loss over all samples.
LoweredMetric lossAsMetric(Graph& graph, const std::string& name, ValueId loss, int64_t batchSize);
/// Computes the values of all metrics, in order, from their concatenated sums.
void metricValues(std::span<const LoweredMetric> metrics, std::span<const double> sums,
                  int64_t samples, std::span<double> values);

}  // namespace strata
