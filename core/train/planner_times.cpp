// SPDX-License-Identifier: Apache-2.0
#include "core/train/planner.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

#include "core/cost/simulated_card.h"
#include "core/train/network.h"
#include "gpu/base/machine.h"
#include "gpu/cost/card_clock.h"
#include "gpu/cost/waiting.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/simulated_step.h"

namespace strata {

namespace {

// Steps with a longer predicted time are not tried.
constexpr double kMaxTrialMicroseconds = 5e6;

/// Returns the additional time of recomputed nodes and smaller workspaces, as a fraction of the
/// step. `step` and `byNode` are the measured times of the step and of its nodes. If they are not
/// known, the costs of the ops are used.
double slowdownOfChoice(const RecomputeChoice& choice, double step,
                        const std::map<int, double>& byNode) {
  if (step <= 0) return choice.extraSeconds / std::max(choice.stepSeconds, 1e-12);
  double extra = 0;
  const auto timeOf = [&](NodeId id) {
    const auto at = byNode.find(id.index);
    return at == byNode.end() ? 0.0 : at->second;
  };
  for (const NodeId id : choice.repeated)
    extra += timeOf(id);
  for (const ShrunkWorkspace& shrunk : choice.shrunk)
    extra += (shrunk.choice.slowdown - 1) * timeOf(shrunk.node);
  return extra / step;
}

}  // namespace

/// Predicts the time of the step and of each layer with the cost model.
void Planner::predict() {
  if (!m_options.predictsStepTime) {
    m_plan.whyNoPrediction = "no prediction was requested";
    return;
  }
  m_isSimulated = steps().device().isSimulated();
  if (!m_isSimulated && !DeviceName(m_plan.device).isCpu()) {
    m_plan.whyNoPrediction = "the cost model only knows the kernels of the device cpu";
    return;
  }
  if (!m_isSimulated) calibrate();
  LayerTimes times;
  double total = 0;
  for (size_t i = 0; i < m_kept.size(); ++i) {
    const auto runs = static_cast<double>(m_runs[i]);
    if (runs == 0) continue;
    const PlannedMicroBatch& planned = m_step.pieces[i];
    const StepPrediction prediction = predictionOf(planned.graph, planned.memory);
    total += runs * prediction.seconds;
    times.transfers += 1e6 * runs * prediction.transferSeconds;
    times.communication += 1e6 * runs * prediction.communicationSeconds;
    for (const NodePrediction& node : prediction.nodes) {
      const Node& of = planned.graph.node(node.node);
      times.add(of.layer, of.phase, 1e6 * runs * node.seconds);
    }
  }
  times.step = microsecondsOf(total);
  times.transfers = microsecondsOf(1e-6 * times.transfers);
  times.communication = microsecondsOf(1e-6 * times.communication);
  m_plan.keptPredictedMicroseconds = microsecondsOf(keptSeconds());
  m_plan.predictedStepMicroseconds = times.step;
  fillLayers(times, &PlanLayer::predictedMicroseconds, &PlanInnerLayer::predictedMicroseconds);
  m_plan.predictedTimes = std::move(times);
}

/// Loads the calibration of this machine, or measures it, and compares it with the present speed.
void Planner::calibrate() {
  m_calibration = calibrationFor(steps().device().pool());
  m_plan.isPredictionDoubtful = m_plan.isMeasuredBusy = m_calibration->isDisturbed();
  checkStop();
  const WaitingWatch watch;
  constexpr double kSpeedTestSeconds = 0.15;
  m_speed = measureSpeed(m_step.updating().graph, m_step.updating().memory, steps().device(),
                         *m_calibration, kSpeedTestSeconds, m_options.stop);
  if (watch.wasDisturbed(steps().device().numWorkers())) m_plan.isMeasuredBusy = true;
  checkStop();
}

/// Predicts a step by the clock of the simulated card, or with the calibration of this machine.
StepPrediction Planner::predictionOf(const Graph& graph, const MemoryPlan& memory) {
  return m_isSimulated ? predictSimulatedStep(graph, memory, steps().device())
                       : predictStep(graph, memory, steps().device(), *m_calibration, &m_speed);
}

/// Copies times to the rows of layers that are timed separately.
void Planner::fillLayers(const LayerTimes& times, std::optional<double> PlanLayer::*ofLayer,
                         std::optional<double> PlanInnerLayer::*ofInner) {
  for (PlanLayer& layer : m_plan.layers) {
    if (const auto at = times.byLayer.find(layer.summary.name); at != times.byLayer.end())
      layer.*ofLayer = at->second;
    for (PlanInnerLayer& row : layer.inner)
      if (const auto at = times.byLayer.find(row.name); at != times.byLayer.end())
        row.*ofInner = at->second;
  }
}

/// Measures the time of the step and of each layer in trial steps.
void Planner::measure() {
  if (!m_options.measuresStepTime) {
    m_plan.whyNoStepTime = STRATA_TEXT("argument", "no trial steps were requested").source;
    return;
  }
  if (DeviceName(m_plan.device).isSimulated()) {
    m_plan.whyNoStepTime = STRATA_TEXT("argument", "a simulated card has no measured times").source;
    return;
  }
  if (m_plan.predictedStepMicroseconds.value_or(0) > kMaxTrialMicroseconds) {
    m_plan.whyNoStepTime = STRATA_TEXT("argument", "a step takes too long for trial steps").source;
    return;
  }
  // Trial steps allocate state and arena, so they run only if the step fits the limit and the
  // available memory.
  const size_t room = std::min(m_plan.limitBytes, availableMemoryBytes());
  if (m_plan.keptPeakBytes <= room && (m_step.changesSomething() || m_options.drawsCurve)) {
    NetworkOptions unlimited = networkOptions();
    unlimited.memoryLimitBytes = std::numeric_limits<size_t>::max();
    unlimited.recompute = Recompute::None;
    m_keptTiming = trialOf(unlimited);
    m_keptTimes.front() = {m_keptTiming->microseconds, m_keptTiming->byNode};
    m_plan.keptStepMicroseconds = m_keptTiming->microseconds;
  }
  if (m_plan.peakBytes > room) {
    m_plan.whyNoStepTime =
        STRATA_TEXT("argument", "the step does not fit in memory, so trial steps could not run")
            .source;
    return;
  }
  const StepTiming timing =
      m_keptTiming && !m_step.changesSomething() ? *m_keptTiming : trialOf(networkOptions());
  m_plan.stepMicroseconds = timing.microseconds;
  if (!m_step.changesSomething()) m_plan.keptStepMicroseconds = timing.microseconds;
  fillLayers(timing.layers, &PlanLayer::stepMicroseconds, &PlanInnerLayer::stepMicroseconds);
  m_plan.measuredTimes = timing.layers;
}

StepTiming Planner::trialOf(const NetworkOptions& options) {
  Network network(project(), options);
  network.steps().hold(m_held[m_part]);
  const WaitingWatch watch;
  StepTiming timing = timeSteps(network, m_options.stop);
  if (watch.wasDisturbed(network.steps().device().numWorkers())) m_plan.isMeasuredBusy = true;
  return timing;
}

/// Returns the slowdown of an update on a full batch. The micro-batches of `step` are in the order
/// of m_kept.
double Planner::slowdownOf(const PlannedStep& step) {
  if (!step.changesSomething()) return 0;
  if (m_calibration || m_isSimulated)
    return std::max(0.0, secondsOf(step, m_runs) / keptSeconds() - 1);
  // The mean over micro-batches, weighted by their samples
  double weighted = 0;
  for (size_t i = 0; i < m_kept.size(); ++i)
    weighted += static_cast<double>(m_runs[i] * m_kept[i].piece.samples) *
                slowdownOfChoice(step.pieces[i].choice, m_keptTimes[i].step, m_keptTimes[i].byNode);
  return weighted / static_cast<double>(m_plan.batchSize);
}

/// Returns the time of the step without recomputation, which is measured if possible and otherwise
/// predicted.
std::optional<double> Planner::keptMicroseconds() const {
  return m_plan.keptStepMicroseconds ? m_plan.keptStepMicroseconds
                                     : m_plan.keptPredictedMicroseconds;
}

/// Returns the time of a step with this slowdown, if the time without recomputation is known.
std::optional<double> Planner::withSlowdown(double slowdown) const {
  const std::optional<double> kept = keptMicroseconds();
  return kept ? std::optional(*kept * (1 + slowdown)) : std::nullopt;
}

/// Returns the time of a step from the cost model. If the model is not calibrated, returns the sum
/// of the costs of the ops, which is good only for comparisons.
double Planner::secondsOf(const Graph& graph, const MemoryPlan& memory) {
  if (m_calibration || m_isSimulated) return predictionOf(graph, memory).seconds;
  double total = 0;
  for (const NodeId id : graph.order())
    total += costSeconds(graph, id);
  return total;
}

/// Returns the time of an update that runs micro-batch i of `step` runs[i] times.
double Planner::secondsOf(const PlannedStep& step, const std::vector<int64_t>& runs) {
  double seconds = 0;
  for (size_t i = 0; i < runs.size(); ++i)
    if (runs[i] > 0)
      seconds +=
          static_cast<double>(runs[i]) * secondsOf(step.pieces[i].graph, step.pieces[i].memory);
  return seconds;
}

/// Returns the time of the update without recomputation, from secondsOf().
double Planner::keptSeconds() {
  if (m_keptSeconds == 0)
    for (size_t i = 0; i < m_kept.size(); ++i)
      if (m_runs[i] > 0)
        m_keptSeconds +=
            static_cast<double>(m_runs[i]) * secondsOf(m_kept[i].graph, m_kept[i].memory);
  return std::max(m_keptSeconds, 1e-12);
}

/// Converts a time from secondsOf() to the scale of keptMicroseconds(). Returns nullopt if that
/// time is not known.
std::optional<double> Planner::scaled(double seconds) {
  const std::optional<double> kept = keptMicroseconds();
  return kept ? std::optional(*kept * seconds / keptSeconds()) : std::nullopt;
}

/// Computes the cost of each memory budget. Drops a budget if a smaller one costs the same or less.
void Planner::drawCurve() {
  constexpr size_t kPoints = 20;
  // No step fits a limit of 0, so this is the smallest peak of all
  const size_t kept = m_plan.keptPeakBytes, smallest = peakOf(Recompute::All, 0);
  // Budgets are rounded up to multiples of this, so that they are easy to read.
  const size_t grain = std::max<size_t>(256, std::bit_floor(kept / 1024));
  for (size_t i = 0; i <= kPoints; ++i) {
    const size_t bytes = kept - (kept - std::min(kept, smallest)) * i / kPoints,
                 limit = roundUp(bytes, grain);
    if (!m_plan.curve.empty() && limit >= m_plan.curve.back().limitBytes) continue;
    const PlannedStep step = planStepWithin(limit, m_kept, Recompute::Auto);
    const size_t peak = m_parts.size() == 1 ? step.peakBytes : peakOf(Recompute::Auto, limit);
    if (peak > limit) continue;
    const double slowdown = slowdownOf(step);
    while (m_plan.curve.size() > 1 && m_plan.curve.back().slowdown >= slowdown)
      m_plan.curve.pop_back();
    m_plan.curve.push_back({limit, peak, slowdown, withSlowdown(slowdown),
                            static_cast<int>(step.maxRecomputed()), repeatedLayers(step, m_kept)});
  }
}

}  // namespace strata
