// SPDX-License-Identifier: GPL-3.0-or-later
// The x axis of the plots of a run: epochs, steps or training time. Series are stored by step, so
// the axis converts between its coordinates and steps. Thread: GUI thread.
#pragma once

#include <QSharedPointer>
#include <QString>

#include "ui/run/metric_history.h"

class QCPAxisTicker;

namespace strata::ui {

struct RunAxis {
  enum class Unit { Epoch, Step, Time };
  // The coordinates of Epoch are steps, which have labels in epochs. Those of Time are seconds.
  Unit unit = Unit::Epoch;
  bool isLogarithmic = false;
  double stepsPerEpoch = 1;
  // The coordinates that a step takes: 1, except for a run that is laid over another one
  double stepWidth = 1;

  double xOf(double step, const StepClock& clock) const {
    return unit == Unit::Time ? clock.secondsAt(step) : step * stepWidth;
  }
  double stepOf(double x, const StepClock& clock) const {
    return unit == Unit::Time ? clock.stepAt(x) : x / stepWidth;
  }
  /// Returns the axis for a run with epochs of `otherSteps` steps, 0 if that is unknown. Equal
  /// epochs of both runs have the same place.
  RunAxis forRun(double otherSteps) const {
    RunAxis axis = *this;
    if (unit == Unit::Epoch && otherSteps > 0) axis.stepWidth = stepsPerEpoch / otherSteps;
    return axis;
  }
  /// Returns the title of the axis, such as "Epoch".
  QString title() const;
  QSharedPointer<QCPAxisTicker> makeTicker() const;
  bool operator==(const RunAxis&) const = default;
};

}  // namespace strata::ui
