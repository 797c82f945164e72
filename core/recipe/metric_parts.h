// SPDX-License-Identifier: Apache-2.0
// Building blocks of the metrics, and the lists that metrics.cpp joins.
// Not here: the definition of a metric (metrics.h).
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include <vector>

#include "core/recipe/metrics.h"

namespace strata {

std::vector<MetricDef> meanMetrics();
std::vector<MetricDef> countMetrics();
std::vector<MetricDef> curveMetrics();
std::vector<MetricDef> overlapMetrics();

MetricDef makeMetric(const char* type, Text help, const char* formula, Direction direction,
                     TargetKind target, bool takesEither, std::vector<FieldSchema> fields,
                     ValueId (*lower)(MetricContext&));
/// Returns a / b, or 0 if b is 0.
inline double shareOf(double a, double b) { return b == 0 ? 0 : a / b; }
/// Flattens the parts and concatenates them into one vector.
ValueId joined(Graph& g, const std::vector<ValueId>& parts);
/// Broadcasts the weights to the shape of `like`. The leading dimensions of `like` are those of the
/// weights. Returns an invalid value if all weights are equal.
ValueId weightsLike(MetricContext& c, ValueId like);
/// Averages `cells` [N, ...] over each sample, and returns the sum of these means. With weights,
/// averages only over the dimensions that the weights do not have. Then returns the weighted sum of
/// the means, followed by the sum of the weights.
ValueId sumOfSampleMeans(MetricContext& c, ValueId cells);

}  // namespace strata
