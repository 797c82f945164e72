// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_text.h"

#include <QFileInfo>

#include <algorithm>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "ui/format.h"

namespace strata::ui {

QString RunText::outcome(const RunOutcome& outcome, const RunStart* start) {
  if (outcome.outcome == Outcome::Failed)
    return outcome.error ? text(outcome.error->line()) : tr("The run failed.");
  const QString time = formatSeconds(outcome.seconds);
  if (outcome.outcome == Outcome::Stopped && outcome.weightsPath.empty())
    return tr("Interrupted after step %1. Click Continue to resume from the last checkpoint.")
        .arg(formatCount(outcome.steps));
  if (outcome.outcome == Outcome::Stopped)
    return tr("Stopped after step %1 (%2). The network was saved.")
        .arg(formatCount(outcome.steps), time);
  if (!outcome.hasTest)
    return tr("Finished %1 step(s) in %2.", nullptr, pluralOf(outcome.steps))
        .arg(formatCount(outcome.steps), time);
  const QString samples = formatCount(outcome.testSamples);
  if (start && !outcome.testMetrics.empty() && start->metricNames.front().ends_with("accuracy"))
    return tr("Accuracy %1 on %2 test sample(s), %3.", nullptr, pluralOf(outcome.testSamples))
        .arg(formatPercent(outcome.testMetrics.front()), samples, time);
  return tr("Loss %1 on %2 test sample(s), %3.", nullptr, pluralOf(outcome.testSamples))
      .arg(formatValue(outcome.testLoss), samples, time);
}

QString RunText::title(const std::string& directory) {
  const QString name = QFileInfo(text(directory)).fileName();
  bool isNumber = false;
  const int number = name.toInt(&isNumber);
  return isNumber && number > 0 ? tr("Run %1").arg(number) : name;
}

QString RunText::progress(int64_t epoch, int64_t epochs, int64_t step, int64_t steps,
                          double secondsLeft, double samplesPerSecond) {
  const QString where = tr("Epoch %1/%2, step %3/%4")
                            .arg(formatCount(std::max<int64_t>(1, epoch)), formatCount(epochs),
                                 formatCount(step), formatCount(steps));
  if (samplesPerSecond <= 0) return where;
  return tr("%1, %2 left, %3 samples/s")
      .arg(where, formatClock(secondsLeft), formatRate(samplesPerSecond));
}

bool hasClasses(const CheckedProject& project) {
  const DatasetInfo& data = project.data();
  return data.isKnown && std::any_of(data.targets.begin(), data.targets.end(),
                                     [](const DataTarget& target) { return target.hasLabels; });
}

bool takesDigits(const CheckedProject& project) {
  const DatasetInfo& data = project.data();
  return data.isKnown && data.inputs.size() == 1 && data.targets.size() == 1 &&
         data.targets[0].hasLabels && data.targets[0].classes == 10 &&
         data.inputs[0].shape.rank() == 3 && data.inputs[0].shape[2] == 1 &&
         data.inputs[0].type == DType::U8;
}

}  // namespace strata::ui
