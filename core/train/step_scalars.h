// SPDX-License-Identifier: Apache-2.0
// The scalars of a step. Learning rate, step number and seed are inputs, and the sums of loss and
// metrics are outputs. Not here: arrays of samples (batch_arrays.h). Thread: only the thread of the
// network may call these functions.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "gpu/exec/program.h"

namespace strata {

/// Writes the input scalars of a training step. `share` is the fraction of the batch that this
/// micro-batch contains.
void setStep(Program& program, int64_t step, double learningRate, uint64_t seed,
             int64_t firstSample, double share = 1);
/// Writes the share of a micro-batch in its batch for a step of an evaluation.
void setShare(Program& program, double share);

/// Sums of loss and metrics over samples. The mean loss is loss / samples, and
/// StepSums::metricValues() computes the values of the metrics.
struct BatchSums {
  int64_t samples = 0;
  double loss = 0;
  // All sums of the first metric, followed by those of the next one
  std::vector<double> metrics;
  // The elements of each metric that collects them
  std::vector<std::vector<CollectedElement>> collected;
  /// Removes everything, but keeps the memory.
  void clear();
};

class StepSums {
 public:
  /// Stores the metrics of a step, unless metrics are already known.
  void describe(const StepGraph& step);
  const std::vector<std::string>& metricNames() const { return m_names; }
  size_t numMetricSums() const;
  /// Returns how many metrics collect elements.
  size_t numCollected() const;
  /// Returns the outputs of a step that add() reads, for Program::setResults(). A part of a step
  /// may have none, and the step of a pipeline has those of all micro-batches.
  std::vector<std::string> results(const Graph& graph) const;
  /// Adds the sums of a step on `samples` samples. A part of a step without a loss adds nothing.
  void add(const Ticket& step, int64_t samples, BatchSums& sums) const;
  /// Computes the values of the metrics in the order of metricNames(). May reorder the collected
  /// elements.
  void metricValues(std::span<const double> sums, int64_t samples,
                    std::vector<std::vector<CollectedElement>>& collected,
                    std::vector<double>& values) const;

 private:
  void addPiece(const Ticket& step, size_t piece, int64_t samples, BatchSums& sums) const;
  std::vector<LoweredMetric> m_metrics;
  std::vector<std::string> m_names;
};

}  // namespace strata
