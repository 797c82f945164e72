// SPDX-License-Identifier: GPL-3.0-or-later
// The charts of a run: which series there are, how they are called, and in which order the user
// wants them. Not here: drawing them (curves.h). Thread: GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <string>
#include <vector>

#include "ui/plots/metric_plot.h"
#include "ui/run/shown_run.h"

namespace strata::ui {

struct CurveChart {
  // The name of the series in MetricHistory
  std::string series;
  // That of its validation, or ""
  std::string validation;
  QString title;
  // Of the values, or ""
  QString unit;
  MetricPlot::Scale scale = MetricPlot::Scale::Value;
  // Why the chart has no curve, once the run has ended
  QString whyEmpty;
};

/// Returns the charts of a run: the losses and metrics of all outputs, and what the loop measures.
/// A measure that this run cannot have, such as the loss scale of float32, has no chart.
std::vector<CurveChart> chartsOf(const ShownRun& run);

/// Returns whether an output of the run may choose one of several classes, as far as its loss says.
bool mayHaveClasses(const ShownRun& run);

/// The order of charts, which the window remembers by the names of their series: pinned ones first.
class ChartOrder {
 public:
  ChartOrder();
  /// Sorts charts by this order. Charts without a place keep their order after the others.
  void sort(std::vector<CurveChart>& charts) const;
  bool isPinned(const std::string& series) const;
  void setPinned(const std::string& series, bool isPinned);
  /// Puts a chart before another one of the shown charts.
  void moveBefore(const std::string& series, const std::string& other,
                  const std::vector<CurveChart>& shown);

 private:
  void store() const;
  QStringList m_pinned, m_order;
};

}  // namespace strata::ui
