// SPDX-License-Identifier: GPL-3.0-or-later
// Plots the accuracy of some classes at the validations of a run. Thread: GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>
#include <utility>
#include <vector>

class QCustomPlot;
class QCPGraph;
class QLabel;

namespace strata::ui {

class PlotNavigator;

class ClassCurves : public QWidget {
  Q_OBJECT
 public:
  /// The points of a class: a step and an accuracy. Those that are NaN are left out.
  struct Curve {
    QString name;
    std::vector<std::pair<double, double>> points;
  };
  explicit ClassCurves(QWidget* parent);
  /// Redraws. The x axis ends at `endStep`.
  void refresh(std::vector<Curve> curves, double endStep, double stepsPerEpoch);
  const std::vector<Curve>& curves() const { return m_curves; }
  PlotNavigator* navigator() const { return m_navigator; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void redraw();
  void updateReading();
  void applyColors();

  QLabel* m_legend;
  QCustomPlot* m_plot;
  PlotNavigator* m_navigator = nullptr;
  std::vector<QCPGraph*> m_lines;
  std::vector<Curve> m_curves;
  double m_stepsPerEpoch = 1;
};

}  // namespace strata::ui
