// SPDX-License-Identifier: GPL-3.0-or-later
// Follows the measured times of the run that the window shows for the current document. Every view
// that lists times of layers owns one, so that all of them show the same times. Not here: which
// time a layer has (ui/run/measured_times.h). Thread: GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <optional>

#include "ui/run/measured_times.h"
#include "ui/workspace/page_context.h"

namespace strata::ui {

class ShownTimes : public QObject {
  Q_OBJECT
 public:
  ShownTimes(const PageContext& context, QObject* parent);
  /// Returns the times of the run; nullopt if the estimate is shown instead.
  const std::optional<MeasuredTimes>& measured() const { return m_measured; }

 Q_SIGNALS:
  void changed();

 private:
  void setDocument(Document* document);
  void refresh();

  Runs& m_runs;
  QPointer<Document> m_document;
  QPointer<RunController> m_run;
  std::optional<MeasuredTimes> m_measured;
};

}  // namespace strata::ui
