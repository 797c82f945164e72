// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/shown_run.h"

#include <algorithm>

#include "core/cost/simulated_card.h"
#include "gpu/devices/device_name.h"

namespace strata::ui {

ShownRun::ShownRun(PastRun&& run) {
  const RunInfo& info = run.info;
  start = std::make_shared<const RunStart>(info.start);
  project = std::move(run.project);
  history = std::move(run.history);
  addSamples(devices, run.deviceSamples);
  profile = std::move(run.profile);
  if (profile && profile->steps > 0) times = profile;
  layers = std::move(run.layers);
  classes = std::move(run.classes);
  keptBatch = std::move(run.keptBatch);
  marks = info.marks;
  problem = run.problem;
  settings = info.settings;
  step = info.steps;
  epoch = info.start.stepsPerEpoch > 0
              ? (info.steps + info.start.stepsPerEpoch - 1) / info.start.stepsPerEpoch
              : 0;
  seconds = info.seconds;
  samplesPerSecond = run.samplesPerSecond;
  memoryBytes = static_cast<size_t>(info.peakBytes);
  weightsFile = !info.weightsPath.empty() ? info.weightsPath : info.checkpoint;
  if (!info.checkpoint.empty()) checkpointStep = info.checkpointStep;
  RunOutcome result;
  result.outcome = Outcome::Stopped;
  if (info.status == RunStatus::Finished) result.outcome = Outcome::Finished;
  if (info.status == RunStatus::Failed) result.outcome = Outcome::Failed;
  if (!info.error.empty()) result.error = Error(ErrorCode::Internal, "", info.error);
  result.steps = info.steps;
  result.epochs = epoch;
  result.hasTest = info.testLoss.has_value();
  result.testLoss = info.testLoss.value_or(0);
  for (const auto& [name, value] : info.testMetrics)
    result.testMetrics.push_back(value);
  result.testSamples = info.start.testSamples;
  result.seconds = info.seconds;
  result.peakBytes = memoryBytes;
  result.weightsPath = info.weightsPath;
  result.weightsHash = info.weightsHash;
  result.endedBy = info.endedBy;
  result.restoredBy = info.restoredBy;
  result.restoredEpoch = info.restoredEpoch;
  result.devices = info.devices;
  result.trainedSamples = info.trainedSamples;
  outcome = std::move(result);
  settleSpeed();
}

std::optional<StepBreakdown> ShownRun::breakdown() const {
  // With times of nodes, the phases are of the same steps
  if (times) return breakdownOf(*times);
  return profile ? std::optional(breakdownOf(*profile)) : std::nullopt;
}

const std::vector<StepBreakdown>& ShownRun::breakdowns() const {
  return profile && !profile->overTime.empty() ? profile->overTime : stepTimes.all();
}

std::vector<double> ShownRun::settingSteps() const {
  std::vector<double> steps;
  for (const RunMark& mark : marks)
    if (mark.kind == RunMark::Kind::Setting || mark.kind == RunMark::Kind::Stage)
      steps.push_back(static_cast<double>(mark.step));
  return steps;
}

void ShownRun::settleSpeed() {
  if (start && times && times->stepMicroseconds > 0 && !DeviceName(start->device).isSimulated())
    samplesPerSecond = 1e6 * static_cast<double>(start->batchSize) / times->stepMicroseconds;
}

double ShownRun::stepsOfAxis() const {
  return static_cast<double>(outcome ? std::max<int64_t>(1, step) : start->totalSteps);
}

double ShownRun::secondsLeft() const {
  if (!start || samplesPerSecond <= 0) return 0;
  return static_cast<double>((start->totalSteps - step) * start->batchSize) / samplesPerSecond;
}

}  // namespace strata::ui
