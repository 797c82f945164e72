// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/past_run.h"

#include <limits>

#include "core/runs/history.h"
#include "core/runs/profile_file.h"
#include "gpu/base/error.h"
#include "ui/run/history_filler.h"

namespace strata::ui {

MetricHistory readHistory(const std::string& directory, int64_t totalSteps, int64_t lastStep,
                          const std::stop_token& stop) {
  const HistoryReader reader(directory + "/history.bin");
  MetricHistory history;
  HistoryFiller filler(history, reader.metricNames(), totalSteps);
  visitHistory(
      reader, lastStep, stop, [&](const HistoryStep& step) { filler.add(step); },
      [&](const HistoryValidation& validation) { filler.add(validation); });
  return history;
}

/// Returns the samples per second of about the last second of training.
static double lastSpeed(const HistoryReader& history) {
  // The times at which the last step and the earliest visited step ended
  double end = 0, begin = 0;
  // The number of visited steps
  int64_t steps = 0;
  // The samples of the visited steps between `begin` and `end`, and of the step that ended at
  // `begin`
  int64_t samples = 0, waiting = 0;
  for (size_t i = history.size(); i-- > 0;) {
    const HistoryRecord record = history[i];
    if (record.kind != HistoryKind::Step) {
      // The time of a validation is not training time, so the speed comes from steps on one side of
      // it. If only one step follows the validation, the steps before it are used instead.
      if (steps > 1) break;
      steps = samples = waiting = 0;
      continue;
    }
    if (steps++ == 0) end = record.seconds;
    samples += waiting;
    waiting = record.samples;
    begin = record.seconds;
    if (end - begin > 1) break;
  }
  return end > begin ? static_cast<double>(samples) / (end - begin) : 0;
}

/// Reads what the files of a run have. Fails: Stopped.
static PastRun readFiles(RunInfo info, const Project& project, const std::stop_token& stop) {
  PastRun past;
  const std::string directory = info.directory;
  if (auto own = projectOfRun(directory, project.path()))
    past.project = std::make_shared<const Project>(std::move(*own));
  else
    past.problem = own.error().line();
  try {
    past.history =
        readHistory(directory, info.totalSteps, std::numeric_limits<int64_t>::max(), stop);
    const HistoryReader reader(directory + "/history.bin");
    past.samplesPerSecond = lastSpeed(reader);
    info.start.metricNames = reader.metricNames();
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) throw;
    past.problem = error.line();
    for (const auto& [name, value] : info.testMetrics)
      info.start.metricNames.push_back(name);
  }
  past.deviceSamples = readDeviceSamples(directory);
  past.profile = readProfile(directory);
  std::string problem;
  info.start.stepMemory = readStepMemory(directory, problem);
  past.layers = readLayerHistory(directory, std::numeric_limits<int64_t>::max(), problem, stop);
  past.classes = readClassHistory(directory, stop);
  try {
    past.keptBatch = readKeptBatch(directory, problem);
  }
  catch (const Error&) {
    // The record is damaged, which readRun() has said
  }
  past.info = std::move(info);
  return past;
}

PastRun readPastRun(const std::string& directory, const Project& project,
                    const std::stop_token& stop) {
  return readFiles(readRun(directory), project, stop);
}

std::optional<PastRun> readLastRun(const Project& project, const std::stop_token& stop) {
  std::vector<RunInfo> runs = listRuns(project);
  for (auto run = runs.rbegin(); run != runs.rend() && !stop.stop_requested(); ++run) {
    if (run->steps < 1 || run->status == RunStatus::Running) continue;
    try {
      PastRun past = readFiles(std::move(*run), project, stop);
      // The Results page shows the parts of a damaged run that can be read
      if (past.problem.empty()) return past;
    }
    catch (const Error&) {
      break;
    }
  }
  return std::nullopt;
}

}  // namespace strata::ui
