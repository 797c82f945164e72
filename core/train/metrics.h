// SPDX-License-Identifier: Apache-2.0
// Metrics: a schema and a lowering to one sum over the samples of a batch; the mean is that sum over the number of samples. Thread: definitions are constant.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "core/train/losses.h"
#include "core/train/options.h"

namespace strata {

struct MetricContext {
  Graph& graph;
  const Json& fields;
  ValueId prediction, target;
};

struct MetricDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  std::shared_ptr<const Json> defaults = {};   // of its fields
  bool takesEitherTarget = false;              // labels where it wants values and the other way round
  ValueId (*lower)(MetricContext&) = nullptr;  // scalar: sum over the samples
};

std::span<const MetricDef* const> allMetrics();
/// "accuracy" is not one: resolveMetric() makes it one.
const MetricDef* findMetric(std::string_view type);
/// Keras's "accuracy": binary for one output, sparse for labels, else categorical. Other types come back as they are.
std::string resolveMetric(std::string_view type, TargetKind target, const Shape& prediction);
/// Appends the metric; converts the target where it may. Fails: InvalidProject where the target does not fit.
ValueId lowerMetric(Graph& graph, const TypedFields& metric, TargetKind targetKind, ValueId prediction, ValueId target);

}  // namespace strata
