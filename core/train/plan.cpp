// SPDX-License-Identifier: Apache-2.0
#include "core/train/plan.h"

#include <algorithm>
#include <utility>

#include "core/train/feeder.h"
#include "core/train/planner.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

Planner::Planner(const CheckedProject& project, const PlanOptions& options)
    : m_options(options),
      m_recipe(project.recipe()),
      m_data(project.data()),
      m_parts(options.parts) {
  m_plan.stages = static_cast<int64_t>(m_recipe.stages.size());
  RunSpan span;
  if (m_data.isKnown) {
    const int64_t samples = std::max<int64_t>(1, m_data.trainCount),
                  batch = options.batchSize > 0 ? options.batchSize : m_recipe.batchSize;
    span.stepsPerEpoch =
        m_recipe.stepsPerEpoch.value_or(batchesIn(samples, std::min(batch, samples)));
    span.lastStep = m_recipe.epochs > INT64_MAX / span.stepsPerEpoch
                        ? INT64_MAX
                        : m_recipe.epochs * span.stepsPerEpoch;
  }
  if (m_parts.empty())
    m_parts = runParts(project.project(), m_recipe.stages, m_recipe.changes, span);
  m_steps.emplace(m_parts.front().project, networkOptions());
}

void Planner::checkStop() const {
  if (m_options.stop.stop_requested())
    throw Error(ErrorCode::Stopped, "plan", "planning was stopped.");
}

TrainingPlan Planner::run() {
  planMemory();
  addLayers();
  m_plan.devices = planDevices(steps());
  checkStop();
  predict();
  checkStop();
  measure();
  m_plan.slowdown = slowdownOf(m_step);
  if (m_options.drawsCurve) drawCurve();
  if (m_options.findsLargestBatch) findBatches();
  return std::move(m_plan);
}

MemoryFigures TrainingPlan::memoryFigures() const {
  const bool isCard = cardBytes > 0;
  return {peakBytes,
          isCard ? keptDataBytes : dataBytes,
          transferBytes,
          contextBytes,
          isContextEstimated,
          limitBytes,
          isCard ? cardBytes : usableMemoryBytes(),
          isCard};
}

TrainingPlan planTraining(const CheckedProject& project, const PlanOptions& options) {
  return Planner(project, options).run();
}

}  // namespace strata
