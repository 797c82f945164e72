// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_text.h"

#include <QFileInfo>
#include <QStringList>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/format.h"
#include "ui/run/recording.h"
#include "ui/run/shown_run.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

/// Returns the only EarlyStopping of the project if "did not improve" describes it; null otherwise.
static std::shared_ptr<const Json> earlyStoppingOf(const Project* project) {
  if (!project) return nullptr;
  const CheckedProject checked(*project);
  std::shared_ptr<const Json> found;
  for (const TypedFields& callback : checked.recipe().callbacks) {
    if (callback.type != "EarlyStopping") continue;
    if (found) return nullptr;
    found = callback.fields;
  }
  // With a baseline, the value may improve without ever passing it.
  return found && found->at("baseline").is_null() ? found : nullptr;
}

QString RunText::earlyEnd(const RunOutcome& outcome, const Project* project) {
  QStringList sentences;
  std::string stoppedBy;
  if (!outcome.endedBy.empty()) {
    const QString epoch = formatCount(outcome.epochs);
    const auto stopper = outcome.endedBy == "EarlyStopping" ? earlyStoppingOf(project) : nullptr;
    if (stopper) {
      stoppedBy = stopper->at("monitor").get<std::string>();
      const int64_t patience = std::max<int64_t>(1, stopper->at("patience").get<int64_t>());
      sentences << tr("Stopped at epoch %1: %2 did not improve for %3 epoch(s).", nullptr,
                      pluralOf(patience))
                       .arg(epoch, text(stoppedBy), formatCount(patience));
    }
    else {
      sentences << tr("%1 stopped the run at epoch %2.").arg(text(outcome.endedBy), epoch);
    }
  }
  const QString restored = formatCount(outcome.restoredEpoch);
  if (!outcome.restoredBy.empty())
    sentences << (outcome.restoredBy == stoppedBy
                      ? tr("The weights of epoch %1 are kept.").arg(restored)
                      : tr("The weights of epoch %1 are kept, the best by %2.")
                            .arg(restored, text(outcome.restoredBy)));
  return sentences.join(u' ');
}

QString RunText::outcome(const RunOutcome& outcome, const RunStart* start, const Project* project) {
  const QString early = earlyEnd(outcome, project);
  if (!early.isEmpty() && outcome.outcome == Outcome::Finished) {
    RunOutcome result = outcome;
    result.endedBy.clear();
    result.restoredBy.clear();
    return tr("%1 %2").arg(early, RunText::outcome(result, start));
  }
  if (outcome.outcome == Outcome::Failed)
    return outcome.error ? text(outcome.error->line()) : tr("The run failed.");
  const QString time = formatSeconds(outcome.seconds);
  if (outcome.outcome == Outcome::Finished && outcome.weightsPath.empty() && start &&
      !start->runDirectory.empty())
    return tr("Finished %1 step(s) in %2, but the weights were not saved.", nullptr,
              pluralOf(outcome.steps))
        .arg(formatCount(outcome.steps), time);
  if (outcome.outcome == Outcome::Stopped && outcome.weightsPath.empty())
    return tr("Interrupted after step %1. Click Continue to resume from the last checkpoint.")
        .arg(formatCount(outcome.steps));
  if (outcome.outcome == Outcome::Stopped)
    return tr("Stopped after step %1 (%2). The weights were saved.")
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

QString RunText::doesNotFit(double need, double limit) {
  return tr("The training step does not fit in memory: it needs %1 (predicted), but the limit is "
            "%2.")
      .arg(italic(formatBytes(need)), formatBytes(limit));
}

/// Formats an energy in joules, kilojoules or megajoules.
static QString joulesText(double joules) {
  if (joules < 1000) return RunText::tr("%1 J").arg(formatValue(joules, 3));
  if (joules < 1e6) return RunText::tr("%1 kJ").arg(formatValue(joules / 1000, 3));
  return RunText::tr("%1 MJ").arg(formatValue(joules / 1e6, 3));
}

QString RunText::energy(const RunEnergy& energy) {
  if (!energy.isKnown())
    return tr("unknown, because %1").arg(translated(energy.problem.text, energy.problem.arguments));
  const QString all = joulesText(energy.joules);
  return energy.joulesPerSample
             ? tr("%1, %2 per sample").arg(all, joulesText(*energy.joulesPerSample))
             : all;
}

QString RunText::title(const std::string& directory) {
  const QString name = QFileInfo(text(directory)).fileName();
  bool isNumber = false;
  const int number = name.toInt(&isNumber);
  return isNumber && number > 0 ? tr("Run %1").arg(number) : name;
}

QString RunText::activity(const RunStart* start) {
  if (!start) return tr("Preparing the run");
  const QString run = title(start->runDirectory);
  if (start->firstStep > 0)
    return tr("%1 continued at step %2").arg(run, formatCount(start->firstStep));
  if (start->weightsFrom.empty()) return tr("%1 is training").arg(run);
  const QFileInfo weights(text(start->weightsFrom));
  const QString folder = weights.isDir() ? weights.filePath() : weights.path();
  bool isRun = false;
  QFileInfo(folder).fileName().toInt(&isRun);
  return isRun
             ? tr("%1, starting from %2's weights").arg(run, title(folder.toStdString()).toLower())
             : tr("%1, starting from the weights in %2").arg(run, weights.fileName());
}

QString RunText::recording(const Recording& recording) {
  const QString name = title(recording.path);
  const std::string& device = recording.run.info.start.device;
  return device.empty() ? tr("Recording: %1").arg(name)
                        : tr("Recording: %1, %2").arg(name, deviceTitle(device));
}

QString RunText::diskProblem(const ShownRun& run) {
  const std::string words = run.diskProblem->what();
  bool isFull = false;
  for (const int reason : {ENOSPC, EDQUOT})
    isFull |= words.find(std::generic_category().message(reason)) != std::string::npos;
  const QString step = formatCount(run.step);
  QString sentence;
  if (run.isEnding()) {
    sentence = isFull ? tr("Training has ended at step %1, but the disk is full. Free some space "
                           "and retry, or choose another folder. Otherwise the last state is lost.")
                            .arg(step)
                      : tr("Training has ended at step %1, but a file cannot be written. Retry, or "
                           "choose another folder. Otherwise the last state is lost.")
                            .arg(step);
  }
  else if (run.diskTriedAt) {
    const QString time = run.diskTriedAt->toString(u"HH:mm:ss"_s);
    sentence = isFull
                   ? tr("Tried again at %1: the disk is still full. Training is paused at step %2.")
                         .arg(time, step)
                   : tr("Tried again at %1: a file still cannot be written. Training is paused at "
                        "step %2.")
                         .arg(time, step);
  }
  else {
    sentence = isFull ? tr("The disk is full. Training is paused at step %1.").arg(step)
                      : tr("A file cannot be written. Training is paused at step %1.").arg(step);
  }
  return sentence + u'\n' + text(run.diskProblem->line());
}

QString RunText::mark(const RunMark& mark) {
  const QString step = formatCount(mark.step);
  switch (mark.kind) {
    case RunMark::Kind::Setting:
      return mark.cause.empty() ? tr("%1 %2 from step %3")
                                      .arg(metricTitle(mark.name), formatValue(mark.value), step)
                                : tr("%1 %2 from step %3 (%4)")
                                      .arg(metricTitle(mark.name), formatValue(mark.value), step,
                                           text(mark.cause));
    case RunMark::Kind::Stage:
      return tr("Stage %1 from step %2: %3")
          .arg(formatCount(static_cast<int64_t>(mark.value)), step, text(mark.name));
    case RunMark::Kind::Checkpoint: return tr("Checkpoint of step %1").arg(step);
    case RunMark::Kind::BestWeights:
      return tr("Best weights so far, step %1: %2 %3")
          .arg(step, text(mark.name), formatValue(mark.value));
    case RunMark::Kind::Continuation: return tr("Continued after step %1").arg(step);
  }
  return {};
}

QString RunText::settings(const CheckedProject& project) {
  const TrainingOptions& training = project.recipe();
  // The name of a schedule is more useful than its first rate, which may be 0.
  const Json schedule = project.project().document().value(
      Json::json_pointer("/training/optimizer/learning_rate/type"), Json());
  return tr("%1, batch %2, %3 %4")
      .arg(tr("%Ln epoch(s)", nullptr, pluralOf(training.epochs)), formatCount(training.batchSize),
           text(training.optimizer.type),
           schedule.is_string() ? text(schedule.get<std::string>())
                                : formatValue(training.learningRate, 3));
}

QString RunText::progress(const ShownRun& run, const QString& widestClock) {
  const RunStart& start = *run.start;
  QString words;
  // The spaces are after a part, because they look like holes within one
  const auto add = [&words](const QString& part, const QString& number, const QString& widest) {
    words += part + padding(number, widest) + u"   "_s;
  };
  const QString epoch = formatCount(std::max<int64_t>(1, run.epoch)), step = formatCount(run.step),
                epochs = formatCount(start.epochs), steps = formatCount(start.totalSteps),
                elapsed = formatClock(run.seconds), left = formatClock(run.secondsLeft());
  add(tr("Epoch %1/%2").arg(epoch, epochs), epoch, epochs);
  add(tr("Step %1/%2").arg(step, steps), step, steps);
  add(tr("%1 elapsed").arg(elapsed), elapsed, widestClock);
  if (run.samplesPerSecond <= 0) return words.trimmed();
  add(tr("%1 left").arg(left), left, widestClock);
  return words + (DeviceName(start.device).isSimulated() ? tr("Simulation speed %1 samples/s")
                                                         : tr("%1 samples/s"))
                     .arg(formatRate(run.samplesPerSecond));
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
         (data.inputs[0].type == DType::U8 || data.inputs[0].largest == 65535);
}

QString RunText::partTitle(StepPart part) {
  switch (part) {
    case StepPart::Waiting: return tr("waiting for data");
    case StepPart::Copies: return tr("copies");
    case StepPart::Forward: return tr("forward");
    case StepPart::Backward: return tr("backward");
    case StepPart::Update: return tr("update");
    case StepPart::Communication: return tr("communication");
    case StepPart::Host: return tr("other work of the host");
  }
  return {};
}

QString RunText::profilingOverhead(const ShownRun& run, bool isProfiling) {
  if (run.times)
    return tr("Profiling overhead %1").arg(formatShare(run.times->observationFraction));
  if (isProfiling) return tr("Profiling overhead not measured yet");
  return run.profile
             ? tr("Profiling overhead %1").arg(formatShare(run.profile->observationFraction))
             : QString();
}

QStringList RunText::overheadExamples() {
  return {tr("Profiling overhead %1").arg(formatPercent(0.888)),
          tr("Profiling overhead not measured yet")};
}

}  // namespace strata::ui
