// SPDX-License-Identifier: GPL-3.0-or-later
// Plots one figure of a layer at the sampled steps of a run, such as its update ratio, with a line
// for a limit. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <optional>
#include <utility>
#include <vector>

class QCustomPlot;
class QCPGraph;
class QCPItemStraightLine;
class QLabel;

namespace strata::ui {

class PlotNavigator;

class LayerCurve : public QWidget {
  Q_OBJECT
 public:
  LayerCurve(const QString& title, QWidget* parent);
  /// Redraws. Each point is a step and a value; those that are not finite are left out. `limit` is
  /// a value that is marked, with its name.
  void refresh(std::vector<std::pair<double, double>> points, double endStep,
               std::optional<std::pair<double, QString>> limit, const QString& whyEmpty);
  PlotNavigator* navigator() const { return m_navigator; }
  const std::vector<std::pair<double, double>>& points() const { return m_points; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void redraw();
  void updateReading();
  void applyColors();

  const QString m_title;
  QLabel *m_empty, *m_note;
  QCustomPlot* m_plot;
  PlotNavigator* m_navigator = nullptr;
  QCPGraph* m_line;
  QCPItemStraightLine* m_mark;
  std::vector<std::pair<double, double>> m_points;
  std::optional<std::pair<double, QString>> m_limit;
};

}  // namespace strata::ui
