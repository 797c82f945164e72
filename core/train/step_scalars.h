// SPDX-License-Identifier: Apache-2.0
// The numbers that go into a step and come out of it: rate, number and seed; loss and sums of the
// metrics. Thread: the network's.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "gpu/exec/program.h"

namespace strata {

/// Puts the scalars of a training step where the program takes them. share: of a piece in its
/// update.
void setStep(Program& program, int64_t step, double learningRate, uint64_t seed,
             int64_t firstSample, double share = 1);
/// Of a piece in its batch, of an evaluation.
void setShare(Program& program, double share);

/// Sums over samples: the loss is to be divided by `samples`, the metrics' values come from
/// StepSums::metricValues().
struct BatchSums {
  int64_t samples = 0;
  double loss = 0;
  // All sums of the first metric, then of the next
  std::vector<double> metrics;
};

class StepSums {
 public:
  /// Takes over the metrics of a step, unless they are known.
  void describe(const StepGraph& step);
  const std::vector<std::string>& metricNames() const { return m_names; }
  size_t numMetricSums() const;
  /// Adds the sums of the program's last run on `samples` samples.
  void add(const Program& program, int64_t samples, BatchSums& sums) const;
  /// Values of the metrics, as metricNames().
  void metricValues(std::span<const double> sums, int64_t samples,
                    std::vector<double>& values) const;

 private:
  std::vector<LoweredMetric> m_metrics;
  std::vector<std::string> m_names;
};

}  // namespace strata
