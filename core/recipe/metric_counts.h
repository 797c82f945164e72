// SPDX-License-Identifier: Apache-2.0
// Counts of elements above thresholds, which metrics_counts.cpp and metrics_curves.cpp share. The
// sums of a group (one label, or all elements) are: true positives at each threshold, predicted
// positives at each threshold, positive targets, elements.
// Not here: the definitions of metrics.
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include <span>
#include <vector>

#include "core/recipe/metric_parts.h"

namespace strata {

/// The value of keras.device.epsilon().
constexpr double kMetricEpsilon = 1e-7;

/// Counts the elements of `p` [groups,M] at thresholds. An element is positive at threshold i if
/// p * scale > thresholds[i]. `weights` is [groups,M], or invalid if all elements count once.
ValueId countsAt(Graph& g, ValueId p, ValueId target, ValueId weights,
                 const std::vector<double>& thresholds, double scale);

/// The sums of countsAt() for one group. `right` counts true positives, and `positive` counts
/// predicted positives.
struct Counts {
  std::span<const double> right, positive;
  double yes, all;
  double tp(size_t i) const { return right[i]; }
  double fp(size_t i) const { return positive[i] - right[i]; }
  double fn(size_t i) const { return yes - right[i]; }
  double tn(size_t i) const { return all - yes - fp(i); }
  size_t size() const { return right.size(); }
};
Counts countsOf(std::span<const double> sums, size_t group = 0, size_t groups = 1);

/// Selects the class `class_id` of x [.., C]. Returns x unchanged if the field is null.
ValueId classOf(MetricContext& c, ValueId x);
/// Flattens x to [1,M]. Returns an invalid value unchanged.
ValueId asOneGroup(Graph& g, ValueId x);

// Fields of these metrics
FieldSchema numberListField(const char* name, Text title, Text help);
FieldSchema classIdField();

}  // namespace strata
