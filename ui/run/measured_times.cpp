// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/measured_times.h"

#include "core/cost/simulated_card.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"

namespace strata::ui {

std::optional<MeasuredTimes> measuredTimes(const RunController& run, const Document& document) {
  const ShownRun& shown = run.shown();
  if (!shown.times || shown.times->steps < 1 || !shown.start || !shown.project) return std::nullopt;
  return MeasuredTimes{RunText::title(shown.start->runDirectory), deviceTitle(shown.start->device),
                       DeviceName(shown.start->device).isSimulated(), layerTimesOf(*shown.times),
                       designChanges(*shown.project, document.project())};
}

LayerTime timeOfLayer(const Document& document, const std::optional<MeasuredTimes>& measured,
                      const QString& layer) {
  const Estimate& estimate = document.checks().estimate();
  const bool isSame = measured && measured->changes.isSame(layer);
  // An estimate of an earlier design is shown until the next one arrives, but a measured time is
  // better than it
  const bool isCurrent = estimate.hasTime && estimate.revision == document.revision();
  if (measured ? !isSame && isCurrent : estimate.hasTime)
    return {estimate.times.of(layer.toStdString()) * 1e-6,
            estimate.stepSeconds,
            true,
            false,
            LayerTime::tr("predicted on %1").arg(deviceTitle(estimate.device)),
            busyWarning(estimate.isBusy)};
  if (!measured) return {-1, 0, true, false, estimate.whyNoTime};
  const QString run = measured->run.toLower();
  if (measured->changes.added.contains(layer.section(u'/', 0, 0)))
    return {-1, 0, true, false,
            LayerTime::tr("unknown, because %1 did not have this layer").arg(run)};
  QString source = measured->isPredicted ? LayerTime::tr("predicted in %1 on %2")
                                         : LayerTime::tr("measured in %1 on %2");
  if (!isSame)
    source = measured->isPredicted
                 ? LayerTime::tr("predicted in %1 on %2, before the layer changed")
                 : LayerTime::tr("measured in %1 on %2, before the layer changed");
  return {measured->times.of(layer.toStdString()) * 1e-6, measured->times.step * 1e-6,
          measured->isPredicted, !isSame, source.arg(run, measured->device)};
}

QString sourceOfTimes(const Document& document, const std::optional<MeasuredTimes>& measured) {
  if (measured) return LayerTime::tr("%1, %2").arg(measured->run, measured->device);
  const Estimate& estimate = document.checks().estimate();
  if (!estimate.hasTime) return LayerTime::tr("Times are not known yet");
  return (estimate.isBusy ? LayerTime::tr("Predicted on a busy machine, %1")
                          : LayerTime::tr("Predicted, %1"))
      .arg(deviceTitle(estimate.device));
}

}  // namespace strata::ui
