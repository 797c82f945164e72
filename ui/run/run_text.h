// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about runs that several views show, and functions that describe the data of a run. Thread:
// GUI thread.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include "core/check/checked_project.h"
#include "core/project/project.h"
#include "core/runs/energy.h"
#include "core/runs/events.h"
#include "core/runs/run_marks.h"
#include "core/runs/step_breakdown.h"

namespace strata::ui {

struct Recording;
struct ShownRun;

class RunText {
  Q_DECLARE_TR_FUNCTIONS(RunText)
 public:
  /// Returns the outcome of a run, or its error. With the run's `project`, also says why a callback
  /// ended the run.
  static QString outcome(const RunOutcome& outcome, const RunStart* start,
                         const Project* project = nullptr);
  /// Returns which callback ended the run before its last epoch, and which weights are kept: "The
  /// weights of epoch 21 are kept." Returns "" if neither applies.
  static QString earlyEnd(const RunOutcome& outcome, const Project* project);
  static QString partTitle(StepPart part);
  /// Says what profiling a run costs; "" if that is unknown. `isProfiling`: whether nodes of an
  /// active run are being measured.
  static QString profilingOverhead(const ShownRun& run, bool isProfiling);
  /// Returns the widest of these texts.
  static QStringList overheadExamples();
  /// Says that a training step needs more memory than its limit, in bytes. The need is predicted,
  /// so it is in italics: rich text, or that of ElidedLabel::setTextWithItalics().
  static QString doesNotFit(double need, double limit);
  /// Returns the energy of a run: "1.2 kJ, 0.031 J per sample", or "unknown, because ...".
  static QString energy(const RunEnergy& energy);
  /// Returns a title such as "Run 3", from the name of the directory.
  static QString title(const std::string& directory);
  /// Returns what an active run does: "Run 1 continued at step 6,946". `start` is null before the
  /// run has begun.
  static QString activity(const RunStart* start);
  /// Returns what a recording is of: "Recording: Run 3, H100 SXM, simulated".
  static QString recording(const Recording& recording);
  /// Returns what a run that cannot write its files waits for, and in the next line why.
  static QString diskProblem(const ShownRun& run);
  /// Says what a mark of the curves is, such as "Learning rate 0.01 from step 1,205".
  static QString mark(const RunMark& mark);
  /// Returns a text such as "5 epochs, batch 64, adam 0.001".
  static QString settings(const CheckedProject& project);
  /// Returns a text such as "Epoch 2/5   Step 1,204/4,220   0:05 elapsed   0:07 left   24,100
  /// samples/s". Its parts keep their places while the figures change: each is padded, times to the
  /// width of `widestClock`, a text of formatClock(). The speed of a simulated card is how fast
  /// this machine simulates it. Requires: the run has begun.
  static QString progress(const ShownRun& run, const QString& widestClock);
};

/// Returns whether an output has classes, so that its predictions are correct or wrong.
bool hasClasses(const CheckedProject& project);
/// Returns whether the network has one grayscale image as input and ten classes as output. The user
/// can then draw a digit as input.
bool takesDigits(const CheckedProject& project);

}  // namespace strata::ui
