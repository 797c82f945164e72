// SPDX-License-Identifier: Apache-2.0
// The scalars of a step: learning rate, step number and seed as inputs; loss and metric sums as
// outputs. Not here: arrays of samples (batch_arrays.h). Thread: the thread of the network.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "gpu/exec/program.h"

namespace strata {

/// Writes the input scalars of a training step. share: the fraction of the batch in this
/// micro-batch.
void setStep(Program& program, int64_t step, double learningRate, uint64_t seed,
             int64_t firstSample, double share = 1);
/// The same for a step of an evaluation.
void setShare(Program& program, double share);

/// Sums over samples. The mean loss is loss / samples; StepSums::metricValues() returns the values
/// of the metrics.
struct BatchSums {
  int64_t samples = 0;
  double loss = 0;
  // All sums of the first metric, then those of the next one
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
  /// Values of the metrics in the order of metricNames().
  void metricValues(std::span<const double> sums, int64_t samples,
                    std::vector<double>& values) const;

 private:
  std::vector<LoweredMetric> m_metrics;
  std::vector<std::string> m_names;
};

}  // namespace strata
