// SPDX-License-Identifier: GPL-3.0-or-later
// Sentences about a run that several views share. Thread: GUI thread.
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
  /// Returns "99.0% on 10,000 new images, 11 s.", "Stopped after step 1,204 ..." or the error.
  static QString outcome(const RunOutcome& outcome, const RunStart* start);
  /// Returns a title such as "Run 3", from the name of the directory.
  static QString title(const std::string& directory);
  /// Returns, for example, "Epoch 2/5, step 1,204/4,220, 0:07 left, 24,100 samples/s".
  static QString progress(int64_t epoch, int64_t epochs, int64_t step, int64_t steps,
                          double secondsLeft, double samplesPerSecond);
};

/// Returns true if the samples have classes, so that a prediction is right or wrong.
bool hasClasses(const CheckedProject& project);
/// Returns true if the network has one grey image as input and ten classes as output. The user can
/// then draw a digit for it.
bool takesDigits(const CheckedProject& project);

}  // namespace strata::ui
