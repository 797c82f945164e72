// SPDX-License-Identifier: Apache-2.0
// Defines what a metric is. Each step computes sums for its batch. The sums of all batches are
// added in double precision, and finish() computes the values of the metric from the totals. An
// exact area under a curve cannot be computed from sums, so it collects the elements of all
// batches instead. metrics.cpp contains the list and shared functions, and metrics_<family>.cpp
// contain the definitions.
// Metrics read an output like its loss (OutputReading): a metric of probabilities, such as one
// with a threshold, gets the sigmoid or softmax of logits, unless its own field from_logits is set.
// Keras would compare the logits themselves with the threshold.
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

/// Which values of a metric are better.
enum class Direction : uint8_t { None, Up, Down };

/// The inputs of a metric's lowering.
struct MetricContext {
  Graph& graph;
  const Json& fields;
  const MetricDef& definition;
  // `prediction` has probabilities if the metric needs them. `output` is the output of the network.
  ValueId prediction, target, output;
  OutputReading reading;
  // Weights of the samples, f32 with the leading dimensions of the prediction; invalid if all
  // weights are equal
  ValueId weights = {};
};

/// An element of a prediction, for metrics that collect them.
struct CollectedElement {
  float score = 0, target = 0, weight = 1;
};

/// Weights of samples and of their steps; a value is invalid if all weights are equal. As in Keras,
/// masked steps count in `ofCounts` but not in `ofMeans`.
struct MetricWeights {
  ValueId ofMeans = {}, ofCounts = {};
};

struct MetricDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  // As in Keras, for all metrics that have a direction there
  Direction direction = Direction::None;
  // Whether the metric is one of probabilities, and the targets that it can compare
  bool wantsProbabilities = false;
  TargetRange targets = TargetRange::Any;
  // Whether the metric also accepts labels instead of values, and values instead of labels
  bool takesEitherTarget = false;
  // Whether the metric is a mean over the samples. With weights, its sums are then weighted and
  // followed by the sum of the weights. Other metrics count each sample with its weight.
  bool isMean = false;
  // Type of the loss that the metric averages; "" if the metric is not a loss
  std::string loss = {};
  /// Appends the sums over the samples of the batch, f32 in any shape. If isCollected() is true,
  /// appends the scores of all elements, their targets and their weights, one after another.
  ValueId (*lower)(MetricContext&) = nullptr;
  /// Computes the values from the sums over `samples` samples. Allocates no memory. If it is null,
  /// the metric has one sum, and its value is the sum divided by `samples`.
  void (*finish)(const Json& fields, std::span<const double> sums, int64_t samples,
                 std::span<double> values) = nullptr;
  /// Returns whether a metric with these fields collects elements; null: never.
  bool (*isCollected)(const Json& fields) = nullptr;
  /// Computes the value from collected elements, which it may reorder. `width` is the number of
  /// elements of a row, the last dimension of the prediction.
  double (*finishCollected)(const Json& fields, std::span<CollectedElement> elements,
                            int64_t width) = nullptr;
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
  // Whether the output contains elements to collect, in three parts (MetricDef::lower), and the
  // number of elements of a row
  bool isCollected = false;
  int64_t width = 1;
  // Names of the values: "accuracy", or "f1_score/0", "f1_score/1", ...
  std::vector<std::string> names;
};

std::span<const MetricDef* const> allMetrics();
/// Returns the definition of a metric type, or null if the type is not known. "accuracy" has no
/// definition. resolveMetric() replaces it by another metric.
const MetricDef* findMetric(std::string_view type);
/// Returns the schemas of "accuracy" and of all metrics.
std::span<const Schema* const> metricSchemas();
/// Returns which values of a metric type are better. Requires: the type is known, or "loss".
Direction directionOf(std::string_view type);
/// Replaces Keras's "accuracy" by sparse categorical accuracy if the targets are labels. Otherwise
/// replaces it by binary accuracy for one output, and by categorical accuracy for several outputs.
/// Returns other types unchanged.
std::string resolveMetric(std::string_view type, TargetKind target, const Shape& prediction);
/// Appends the metric and its output "metric/<name>". Converts labels to values or values to labels
/// if the metric needs the other kind and accepts both.
/// Fails: InvalidProject if the metric does not accept the target.
LoweredMetric lowerMetric(Graph& graph, const TypedFields& metric, TargetKind targetKind,
                          ValueId prediction, ValueId target, MetricWeights weights = {},
                          const OutputReading& reading = {});
/// Appends the output "metric/<name>" for a loss, which is a mean over the batch. Returns a metric
/// whose value is the mean of the loss over all samples.
LoweredMetric lossAsMetric(Graph& graph, const std::string& name, ValueId loss, int64_t batchSize);
/// Computes the values of all metrics, in order, from their concatenated sums. `collected` has the
/// elements of each metric that collects them, and may be reordered. Such a metric has no sums.
void metricValues(std::span<const LoweredMetric> metrics, std::span<const double> sums,
                  int64_t samples, std::span<double> values,
                  std::span<std::vector<CollectedElement>> collected = {});

}  // namespace strata
