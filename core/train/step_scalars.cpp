// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_scalars.h"

#include <algorithm>

#include "core/compile/join_pieces.h"
#include "core/train/micro_batches.h"

namespace strata {

void setStep(Program& program, int64_t step, double learningRate, uint64_t seed,
             int64_t firstSample, double share) {
  program.setScalar("learning_rate", static_cast<float>(learningRate));
  program.setScalar("step", step);
  program.setScalar("seed", static_cast<int64_t>(seed));
  program.setScalar("first_sample", firstSample);
  setShare(program, share);
}

void setShare(Program& program, double share) {
  program.setScalar("share", static_cast<float>(share));
}

void BatchSums::clear() {
  samples = 0;
  loss = 0;
  std::ranges::fill(metrics, 0.0);
  for (auto& list : collected)
    list.clear();
}

/// Appends the elements of a batch, whose scores, targets and weights are one after another.
static void collect(std::span<const float> parts, std::vector<CollectedElement>& elements) {
  const size_t count = parts.size() / 3;
  for (size_t i = 0; i < count; ++i)
    elements.push_back({parts[i], parts[count + i], parts[2 * count + i]});
}

void StepSums::describe(const StepGraph& step) {
  if (!m_metrics.empty()) return;
  m_names = step.metricNames;
  m_metrics = step.metrics;
}

std::vector<std::string> StepSums::results(const Graph& graph) const {
  std::vector<std::string> names;
  for (size_t piece = 0; findOutput(graph, resultOf("loss", piece)).isValid(); ++piece) {
    names.push_back(resultOf("loss", piece));
    for (const LoweredMetric& metric : m_metrics)
      if (const std::string name = resultOf(metric.output, piece);
          std::ranges::find(names, name) == names.end())
        names.push_back(name);
  }
  return names;
}

void StepSums::add(const Ticket& step, int64_t samples, BatchSums& sums) const {
  if (!findOutput(step.program().graph(), "loss").isValid()) return;
  size_t pieces = 1;
  // Steps allocate no memory
  if (!findOutput(step.program().graph(), "loss#1").isValid())
    return addPiece(step, 0, samples, sums);
  while (findOutput(step.program().graph(), resultOf("loss", pieces)).isValid())
    ++pieces;
  const std::vector<MicroBatch> joined = microBatches(samples, static_cast<int64_t>(pieces));
  for (size_t piece = 0; piece < pieces; ++piece)
    addPiece(step, piece, joined[piece].samples, sums);
}

void StepSums::addPiece(const Ticket& step, size_t piece, int64_t samples, BatchSums& sums) const {
  sums.samples += samples;
  sums.loss +=
      static_cast<double>(step.result(resultOf("loss", piece))[0]) * static_cast<double>(samples);
  sums.metrics.resize(numMetricSums());
  sums.collected.resize(numCollected());
  size_t at = 0, list = 0;
  for (const LoweredMetric& metric : m_metrics) {
    const std::span<const float> result =
        piece == 0 ? step.result(metric.output) : step.result(resultOf(metric.output, piece));
    if (metric.isCollected)
      collect(result, sums.collected[list++]);
    else
      for (const float value : result.first(static_cast<size_t>(metric.sums)))
        sums.metrics[at++] += static_cast<double>(value);
  }
}

size_t StepSums::numMetricSums() const {
  size_t count = 0;
  for (const LoweredMetric& metric : m_metrics)
    count += static_cast<size_t>(metric.sums);
  return count;
}

size_t StepSums::numCollected() const {
  return static_cast<size_t>(std::ranges::count_if(m_metrics, &LoweredMetric::isCollected));
}

void StepSums::metricValues(std::span<const double> sums, int64_t samples,
                            std::vector<std::vector<CollectedElement>>& collected,
                            std::vector<double>& values) const {
  values.resize(m_names.size());
  strata::metricValues(m_metrics, sums, samples, values, collected);
}

}  // namespace strata
