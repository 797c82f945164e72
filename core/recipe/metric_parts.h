// SPDX-License-Identifier: Apache-2.0
// What the families of metrics are made of, and the lists that metrics.cpp joins. Thread: edit the
// given graph only.
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
/// Vectors one after the other.
ValueId joined(Graph& g, const std::vector<ValueId>& parts);
/// The weight of each element of `like`, whose leading dimensions are the samples'; invalid where
/// all count the same.
ValueId weightsLike(MetricContext& c, ValueId like);
/// Sum over the samples of the mean over everything else of [N, ...]; weighed where the metric is,
/// with the sum of the weights.
ValueId sumOfSampleMeans(MetricContext& c, ValueId cells);

}  // namespace strata
