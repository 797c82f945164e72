// SPDX-License-Identifier: GPL-3.0-or-later
// Vertical lines in a plot of a run, one for each mark: changed settings, stages, checkpoints and
// continuations. Marks that would touch share one line. Thread: GUI thread.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/runs/run_marks.h"

class QCPItemLine;
class QCustomPlot;

namespace strata::ui {

/// A mark in the coordinates of a plot.
struct PlotMark {
  double x = 0;
  RunMark::Kind kind = RunMark::Kind::Setting;
  QString words;
};

class PlotMarks {
 public:
  explicit PlotMarks(QCustomPlot* plot) : m_plot(plot) {}
  /// Replaces the marks. draw() then shows them. Requires: increasing x.
  void set(std::vector<PlotMark> marks) { m_marks = std::move(marks); }
  /// Sets the lines to those of the visible marks. Call it before each replot.
  void draw();
  /// Returns what the marks near a place say, at most four of them.
  QStringList wordsNear(double x) const;

 private:
  QCustomPlot* m_plot;
  std::vector<PlotMark> m_marks;
  std::vector<QCPItemLine*> m_lines;
};

}  // namespace strata::ui
