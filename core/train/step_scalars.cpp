// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_scalars.h"

#include <cstring>

namespace strata {

namespace {

/// Returns a scalar f32 output as a double.
double scalarOf(const Program& program, std::string_view name) {
  float value = 0;
  std::memcpy(&value, program.outputAddress(name), sizeof value);
  return value;
}

/// Writes a scalar input, if the program has it.
template <class Value>
void putScalar(Program& program, const char* name, Value value) {
  if (!findInput(program.graph(), name).isValid()) return;
  if (std::byte* address = program.inputAddress(name)) std::memcpy(address, &value, sizeof value);
}

}  // namespace

void setStep(Program& program, int64_t step, double learningRate, uint64_t seed,
             int64_t firstSample, double share) {
  const auto put = [&](const char* name, auto value) {
    putScalar(program, name, value);
  };
  put("learning_rate", static_cast<float>(learningRate));
  put("step", step);
  put("seed", static_cast<int64_t>(seed));
  put("first_sample", firstSample);
  put("share", static_cast<float>(share));
}

void setShare(Program& program, double share) {
  putScalar(program, "share", static_cast<float>(share));
}

void StepSums::describe(const StepGraph& step) {
  if (!m_metrics.empty()) return;
  m_names = step.metricNames;
  m_metrics = step.metrics;
}

void StepSums::add(const Program& program, int64_t samples, BatchSums& sums) const {
  sums.samples += samples;
  sums.loss += scalarOf(program, "loss") * static_cast<double>(samples);
  sums.metrics.resize(numMetricSums());
  size_t at = 0;
  for (const LoweredMetric& metric : m_metrics) {
    const std::byte* values = program.outputAddress(metric.output);
    for (int64_t i = 0; i < metric.sums; ++i, values += sizeof(float)) {
      float value = 0;
      std::memcpy(&value, values, sizeof value);
      sums.metrics[at++] += static_cast<double>(value);
    }
  }
}

size_t StepSums::numMetricSums() const {
  size_t count = 0;
  for (const LoweredMetric& metric : m_metrics)
    count += static_cast<size_t>(metric.sums);
  return count;
}

void StepSums::metricValues(std::span<const double> sums, int64_t samples,
                            std::vector<double>& values) const {
  values.resize(m_names.size());
  strata::metricValues(m_metrics, sums, samples, values);
}

}  // namespace strata
