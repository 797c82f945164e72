// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about a run, shared by several views. Thread: GUI thread.
#pragma once

#include <QCoreApplication>
#include <QString>

#include "core/check/checked_project.h"
#include "core/project/project.h"
#include "core/runs/events.h"

namespace strata::ui {

class RunText {
  Q_DECLARE_TR_FUNCTIONS(RunText)
 public:
  /// "99.0% on 10,000 new images, 11 s.", "Stopped after step 1,204 ..." or the error
  static QString outcome(const RunOutcome& outcome, const RunStart* start);
  /// "Run 3", from the name of its directory
  static QString title(const std::string& directory);
  /// "Epoch 2/5, step 1,204/4,220, 0:07 left, 24,100 samples/s"
  static QString progress(int64_t epoch, int64_t epochs, int64_t step, int64_t steps,
                          double secondsLeft, double samplesPerSecond);
};

/// True if the samples have classes, so that a prediction is right or wrong
bool hasClasses(const CheckedProject& project);
/// True if a person can draw a digit for the network: one grey image in, ten classes out
bool takesDigits(const CheckedProject& project);

}  // namespace strata::ui
