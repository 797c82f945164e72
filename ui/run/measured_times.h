// SPDX-License-Identifier: GPL-3.0-or-later
// The times of layers in the run that the window shows, and the changes of the open project since
// then. timeOfLayer() decides which time every view shows for a layer: that of the run, or the
// estimate. Not here: estimating (ui/document/estimate.h). Thread: values; GUI thread.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <optional>

#include "core/runs/layer_times.h"
#include "ui/run/design_changes.h"

namespace strata::ui {

class Document;
class RunController;

struct MeasuredTimes {
  // The title of the run, such as "Run 3", and its device as in deviceTitle()
  QString run, device;
  // Whether the device is a simulated card, whose times are predicted
  bool isPredicted = false;
  LayerTimes times;
  // Changes of the open project since the run
  DesignChanges changes;
};

/// Returns the times of the run that `run` shows; nullopt if it has none.
std::optional<MeasuredTimes> measuredTimes(const RunController& run, const Document& document);

/// The time of a layer that a view shows.
struct LayerTime {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::LayerTime)
 public:
  // Forward and backward passes of a step; negative if unknown, 0 if not timed separately
  double seconds = -1;
  // The whole step of the same source
  double stepSeconds = 0;
  // Whether the time is in italics
  bool isPredicted = false;
  // Whether the run measured it before the layer changed
  bool isStale = false;
  // Where the time is from, such as "measured in run 3 on cpu", or why it is unknown
  QString source;
  // busyWarning() of a predicted time
  QString warning = {};
};
LayerTime timeOfLayer(const Document& document, const std::optional<MeasuredTimes>& measured,
                      const QString& layer);
/// Returns where the times of a list are from, such as "Run 3, cpu" or "Predicted, cpu".
QString sourceOfTimes(const Document& document, const std::optional<MeasuredTimes>& measured);

}  // namespace strata::ui
