// SPDX-License-Identifier: GPL-3.0-or-later
// One metric of a run against epochs: the raw envelope faint, its moving average strong, validation as points; the axis spans the planned run.
// Not the data: it reads a MetricHistory when told to refresh. Thread: the window's.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/run/metric_history.h"

class QCustomPlot;
class QCPCurve;
class QCPGraph;
class QCPItemLine;
class QCPItemText;
class QLabel;

namespace strata::ui {

class MetricPlot : public QWidget {
  Q_OBJECT
 public:
  enum class Scale { Value, Percent };
  MetricPlot(const QString& title, Scale scale, QWidget* parent = nullptr);

  /// `validation`: the series drawn as points, "" none. The x axis spans 0 to totalSteps, labelled in epochs where there are several.
  void setSeries(std::string training, std::string validation);
  void setMetric(const QString& title, Scale scale);
  void setPlan(double totalSteps, double stepsPerEpoch);
  /// Vertical marks, such as a changed learning rate.
  void setMarks(std::vector<double> steps);
  void refresh(const MetricHistory& history);
  QCustomPlot* plot() const { return m_plot; }
  QSize sizeHint() const override { return {420, 260}; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void useScale(Scale scale);
  void replot();
  void applyColors();
  void updateAxes(const MetricSeries* training, const MetricSeries* validation, const std::vector<CurvePoint>& smooth);
  QString valueText(double value) const;

  Scale m_scale;
  std::string m_trainingName, m_validationName;
  double m_totalSteps = 1, m_stepsPerEpoch = 1;
  double m_low = 0, m_high = 1;
  bool m_isNewPlan = true;  // the axis takes its range at once
  QLabel* m_title;
  QLabel* m_latest;
  QCustomPlot* m_plot;
  QCPGraph* m_raw;
  QCPGraph* m_smooth;
  QCPGraph* m_validation;
  QCPItemLine* m_now;
  QCPItemText* m_empty;
  std::vector<QCPItemLine*> m_marks;
  std::vector<double> m_markSteps;
};

}  // namespace strata::ui
