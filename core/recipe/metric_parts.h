// SPDX-License-Identifier: Apache-2.0
// Building blocks of the metric families, and the lists that metrics.cpp joins.
// Thread: functions edit only the given graph.
#pragma once

#include <vector>

#include "core/recipe/metrics.h"

namespace strata {

std::vector<MetricDef> meanMetrics();
std::vector<MetricDef> countMetrics();
std::vector<MetricDef> overlapMetrics();

MetricDef makeMetric(const char* type, Text help, const char* formula, TargetKind target,
                     bool takesEither, std::vector<FieldSchema> fields,
                     ValueId (*lower)(MetricContext&));
/// a / b, 0 where b is 0.
inline double shareOf(double a, double b) { return b == 0 ? 0 : a / b; }
/// Concatenates vectors.
ValueId joined(Graph& g, const std::vector<ValueId>& parts);
/// The weight of each element of `like`, whose leading dimensions are those of the samples; invalid
/// if all weights are equal.
ValueId weightsLike(MetricContext& c, ValueId like);
/// For [N, ...]: the sum over the samples of the mean over all other dimensions; for weighted
/// metrics weighted, and followed by the sum of the weights.
ValueId sumOfSampleMeans(MetricContext& c, ValueId cells);

}  // namespace strata
