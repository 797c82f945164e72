// SPDX-License-Identifier: GPL-3.0-or-later
// Plots how the values of a tensor are distributed over the time of a run: colours around each
// sampled step, half way to its neighbours, and lines for mean and mean plus and minus the standard
// deviation. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <memory>
#include <vector>

#include "core/layer_statistics/tensor_statistics.h"

class QCustomPlot;
class QCPColorMap;
class QCPGraph;
class QLabel;

namespace strata::ui {

class PlotNavigator;

class DistributionPlot : public QWidget {
  Q_OBJECT
 public:
  DistributionPlot(const QString& title, QWidget* parent);
  struct Point {
    double step = 0;
    TensorStatistics statistics;
  };
  /// Redraws. Points without known values are left out. `whyEmpty` is shown if none is left.
  void refresh(std::vector<Point> points, double endStep, const QString& whyEmpty);
  PlotNavigator* navigator() const { return m_navigator; }
  const std::vector<Point>& points() const { return m_points; }
  const QCPColorMap* map() const { return m_map; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void redraw();
  void fillMap(double from, double to, double low, double high);
  const Point& nearest(double step) const;
  void updateReading();
  void applyColors();

  const QString m_title;
  QLabel* m_empty;
  QCustomPlot* m_plot;
  PlotNavigator* m_navigator = nullptr;
  QCPColorMap* m_map;
  QCPGraph *m_mean, *m_above, *m_below;
  std::vector<Point> m_points;
};

}  // namespace strata::ui
