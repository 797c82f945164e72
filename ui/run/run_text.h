// SPDX-License-Identifier: GPL-3.0-or-later
// Texts about runs that several views show, and functions that describe the data of a run. Thread:
// GUI thread.
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
  /// Returns a sentence with the outcome of a run, or its error.
  static QString outcome(const RunOutcome& outcome, const RunStart* start);
  /// Returns a title such as "Run 3", from the name of the directory.
  static QString title(const std::string& directory);
  /// Returns a text such as "Epoch 2/5, step 1,204/4,220, 0:07 left, 24,100 samples/s".
  static QString progress(int64_t epoch, int64_t epochs, int64_t step, int64_t steps,
                          double secondsLeft, double samplesPerSecond);
};

/// Returns whether an output has classes, so that its predictions are correct or wrong.
bool hasClasses(const CheckedProject& project);
/// Returns whether the network has one grayscale image as input and ten classes as output. The user
/// can then draw a digit as input.
bool takesDigits(const CheckedProject& project);

}  // namespace strata::ui
