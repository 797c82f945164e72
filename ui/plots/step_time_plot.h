// SPDX-License-Identifier: GPL-3.0-or-later
// Plots where the time of a step goes over a run: a band for each part (step_breakdown.h). Thread:
// GUI thread.
#pragma once

#include <QColor>
#include <QWidget>
#include <vector>

#include "core/runs/step_breakdown.h"
#include "ui/plots/plot_files.h"

class QCustomPlot;
class QCPGraph;
class QLabel;

namespace strata::ui {

class PlotNavigator;
class StepClock;

class StepTimePlot : public QWidget {
  Q_OBJECT
 public:
  explicit StepTimePlot(QWidget* parent = nullptr);
  /// Redraws. `clock` gives the time of each breakdown's last step, `endSeconds` the end of the
  /// axis. `present` is what the legend says, such as the mean of the run. The values may be gone
  /// after the call.
  void refresh(const std::vector<StepBreakdown>& overTime, const StepClock& clock,
               double endSeconds, const StepBreakdown& present, bool isPredicted);
  void clear();
  QCustomPlot* plot() const { return m_plot; }
  PlotNavigator* navigator() const { return m_navigator; }
  const StepBreakdown& present() const { return m_present; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Point {
    double seconds = 0;
    StepBreakdown breakdown;
  };
  void redraw();
  void updateLegend();
  void updateReading();
  void applyColors();

  QLabel* m_legend;
  QCustomPlot* m_plot;
  PlotNavigator* m_navigator;
  QCPGraph* m_floor;
  // By StepPart, from the lowest
  std::vector<QCPGraph*> m_bands;
  std::vector<QColor> m_colors;
  std::vector<Point> m_points;
  StepBreakdown m_present;
  bool m_isPredicted = false;
};

}  // namespace strata::ui
