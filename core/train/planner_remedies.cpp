// SPDX-License-Identifier: Apache-2.0
#include "core/train/planner.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "core/train/batch_search.h"
#include "gpu/base/error.h"

namespace strata {

/// Returns the largest batch size that fits, or nullopt if no batch fits.
std::optional<int64_t> Planner::largestBatch(Recompute how) {
  const auto peakOfBatch = [&](int64_t batch) {
    try {
      return planUpdate(batch, steps().training().accumulationSteps, how, false).peakBytes;
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::Stopped) throw;
      // A tensor of this batch would have too many elements for the engine.
      return std::numeric_limits<size_t>::max();
    }
  };
  return BatchSearch(peakOfBatch, m_plan.limitBytes).from(m_plan.batchSize);
}

void Planner::findBatches() {
  m_plan.largestBatch = largestBatch(m_recompute.how);
  if (!m_plan.fits) findRemedies();
}

/// Finds changes of batch size, recomputation and micro-batches that make the step fit, and sorts
/// them.
void Planner::findRemedies() {
  const Recompute how = m_recompute.how;
  const std::optional<int64_t> keptBatch =
      how == Recompute::None ? m_plan.largestBatch : largestBatch(Recompute::None);
  if (keptBatch) addBatchRemedy(*keptBatch, Recompute::None);
  if (how == Recompute::None)
    addRecomputeRemedy();
  else if (m_plan.largestBatch && m_plan.largestBatch != keptBatch)
    addBatchRemedy(*m_plan.largestBatch, how);
  const int64_t keptSteps = addAccumulation(Recompute::None, m_plan.batchSize);
  if (how != Recompute::None) addAccumulation(how, keptSteps - 1);
  if (m_plan.remedies.empty() && how == Recompute::None) {
    if (const std::optional<int64_t> batch = largestBatch(Recompute::Auto))
      addBatchRemedy(*batch, Recompute::Auto);
    addAccumulation(Recompute::Auto, m_plan.batchSize);
  }
  if (m_plan.remedies.empty())
    m_plan.smallestPeakBytes = planUpdate(1, 1, Recompute::Auto, false).peakBytes;
  // A remedy that changes nothing would be no help
  std::erase_if(m_plan.remedies, [&](const PlanRemedy& remedy) {
    return remedy.what == "batch_size" && remedy.value == m_plan.batchSize && !remedy.setsRecompute;
  });
  // By the time per sample. Remedies without a time come last, those that keep the batch size first
  // among them.
  const auto rank = [&](const PlanRemedy& remedy) {
    const bool isBatch = remedy.what == "batch_size";
    const auto samples = static_cast<double>(isBatch ? remedy.value : m_plan.batchSize);
    return std::tuple(!remedy.stepMicroseconds, remedy.stepMicroseconds.value_or(0) / samples,
                      isBatch, -samples);
  };
  std::ranges::stable_sort(m_plan.remedies, {}, rank);
}

/// Adds recomputation as a remedy if the step then fits.
void Planner::addRecomputeRemedy() {
  const Update update =
      planUpdate(m_plan.batchSize, steps().training().accumulationSteps, Recompute::Auto, false);
  const PlannedStep& step = update.step;
  if (update.peakBytes > m_plan.limitBytes) return;
  PlanRemedy remedy{"recompute",
                    0,
                    update.peakBytes,
                    withSlowdown(slowdownOf(step)),
                    true,
                    true,
                    steps().isPassDisabled("recompute"),
                    {}};
  remedy.value = static_cast<int64_t>(step.maxRecomputed());
  remedy.layers = repeatedLayers(step, update.kept);
  m_plan.remedies.push_back(std::move(remedy));
}

/// Adds the smallest number of micro-batches that fits as a remedy. The number is a power of two,
/// and at most `maxSteps`. Returns it, or maxSteps + 1 if no number fits.
int64_t Planner::addAccumulation(Recompute how, int64_t maxSteps) {
  for (int64_t steps = 2; steps <= maxSteps; steps *= 2) {
    const Update update = planUpdate(m_plan.batchSize, steps, how, false);
    if (update.kept.front().isCountedOver) break;
    if (update.peakBytes > m_plan.limitBytes) continue;
    addRemedy("gradient_accumulation_steps", steps, update, how);
    return steps;
  }
  return maxSteps + 1;
}

/// Returns whether the remedy must allow recomputation, because the project forbids it.
bool Planner::setsRecompute(Recompute how) const {
  return how != Recompute::None && m_recompute.how == Recompute::None;
}

void Planner::addBatchRemedy(int64_t batch, Recompute how) {
  addRemedy("batch_size", batch,
            planUpdate(batch, steps().training().accumulationSteps, how, false), how);
}

void Planner::addRemedy(const char* what, int64_t value, const Update& update, Recompute how) {
  const PlannedStep& step = update.step;
  m_plan.remedies.push_back({what,
                             value,
                             update.peakBytes,
                             scaled(secondsOf(step, update.runs)),
                             step.changesSomething(),
                             setsRecompute(how),
                             setsRecompute(how) && steps().isPassDisabled("recompute"),
                             {}});
}

}  // namespace strata
