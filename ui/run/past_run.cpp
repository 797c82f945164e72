// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/past_run.h"

#include <algorithm>
#include <limits>

#include "core/runs/history.h"
#include "core/runs/profile_file.h"
#include "gpu/base/error.h"

namespace strata::ui {

double smoothingSteps(int64_t totalSteps) {
  return std::max(10.0, static_cast<double>(totalSteps) / 100);
}

MetricHistory readHistory(const std::string& directory, int64_t totalSteps, int64_t lastStep,
                          const std::stop_token& stop) {
  const HistoryReader reader(directory + "/history.bin");
  MetricHistory history;
  struct Row {
    MetricSeries& training;
    MetricSeries& validation;
  };
  std::vector<Row> rows{{history.series("loss"), history.series("val_loss")}};
  for (const std::string& name : reader.metricNames())
    rows.push_back({history.series(name), history.series("val_" + name)});
  for (const Row& row : rows)
    row.training.setSmoothingSteps(smoothingSteps(totalSteps));
  MetricSeries& rate = history.series("learning_rate");
  for (size_t i = 0; i < reader.size(); ++i) {
    if (i % 65536 == 0 && stop.stop_requested())
      throw Error(ErrorCode::Stopped, directory, "reading was canceled.");
    const HistoryRecord record = reader[i];
    if (record.step > lastStep) break;
    if (record.kind == HistoryKind::Epoch) continue;
    const auto step = static_cast<double>(record.step);
    const bool isStep = record.kind == HistoryKind::Step;
    const auto append = [&](const Row& row, double value) {
      (isStep ? row.training : row.validation).append(step, value);
    };
    append(rows[0], record.loss);
    for (size_t m = 0; m < record.metrics.size(); ++m)
      append(rows[m + 1], record.metrics[m]);
    if (isStep) rate.append(step, record.learningRate);
  }
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

std::optional<PastRun> readLastRun(const Project& project, const std::stop_token& stop) {
  std::vector<RunInfo> runs = listRuns(project);
  for (auto run = runs.rbegin(); run != runs.rend() && !stop.stop_requested(); ++run) {
    if (run->steps < 1 || run->status == RunStatus::Running) continue;
    try {
      auto own = projectOfRun(run->directory, project.path());
      if (!own) continue;
      PastRun past;
      const HistoryReader reader(run->directory + "/history.bin");
      past.history =
          readHistory(run->directory, run->totalSteps, std::numeric_limits<int64_t>::max(), stop);
      past.samplesPerSecond = lastSpeed(reader);
      past.deviceSamples = readDeviceSamples(run->directory);
      past.profile = readProfile(run->directory);
      past.project = std::make_shared<const Project>(std::move(*own));
      past.info = std::move(*run);
      past.info.start.metricNames = reader.metricNames();
      return past;
    }
    catch (const Error&) {
      // Skip a damaged run. The Results page shows the parts of it that can be read.
    }
  }
  return std::nullopt;
}

}  // namespace strata::ui
