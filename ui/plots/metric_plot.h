// SPDX-License-Identifier: GPL-3.0-or-later
// One metric of a run against epochs: the raw range faint, its moving average strong, validation as
// points. The axis spans the planned run, or the range that the user zoomed into. Not the data: it
// reads a MetricHistory on refresh(). Thread: GUI thread.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/plots/plot_files.h"
#include "ui/run/metric_history.h"

class QBoxLayout;
class QCustomPlot;
class QCPGraph;
class QCPItemLine;
class QCPItemText;
class QLabel;
class QMenu;
class QPushButton;

namespace strata::ui {

class PlotNavigator;

class MetricPlot : public QWidget {
  Q_OBJECT
 public:
  enum class Scale { Value, Percent };
  MetricPlot(const QString& title, Scale scale, QWidget* parent = nullptr);

  /// `validation` is the series drawn as points, "" for none. The x axis spans 0 to totalSteps,
  /// labelled in epochs if there are several.
  void setSeries(std::string training, std::string validation);
  void setMetric(const QString& title, Scale scale);
  void setPlan(double totalSteps, double stepsPerEpoch);
  /// The file with the exact values, from which a table is saved; "" for none
  void setHistoryFile(std::string file) { m_historyFile = std::move(file); }
  void setSmoothing(Smoothing smoothing);
  void setLogarithmic(bool isLogarithmic);
  /// Vertical marks, for example where the learning rate changed
  void setMarks(std::vector<double> steps);
  /// Requires: `history` stays valid until the next refresh, for the values under the mouse.
  void refresh(const MetricHistory& history);
  /// Saves a picture or, if the name ends in .csv, a table.
  void saveTo(const QString& target);
  QCustomPlot* plot() const { return m_plot; }
  QSize sizeHint() const override { return {420, 260}; }

 Q_SIGNALS:
  void smoothingChosen(Smoothing smoothing);

 protected:
  void changeEvent(QEvent* event) override;
  void focusInEvent(QFocusEvent* event) override;
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  // The visible points of each curve
  struct Visible {
    std::vector<CurvePoint> raw, smooth, validation;
  };
  void makeHead(QBoxLayout* layout, const QString& title);
  void makePlot();
  void useScale(Scale scale);
  void redraw();
  void replot();
  void applyColors();
  void updateAxes(const MetricSeries* training, const MetricSeries* validation,
                  const Visible& visible);
  void updateRange(const MetricSeries* training, const MetricSeries* validation,
                   const Visible& visible);
  void updateLegend();
  void layOutHead();
  void updateReading();
  void showMenu(const QPoint& global);
  void addSmoothing(QMenu* menu);
  void chooseFile(const QString& title, const QString& filter, const QString& suffix);
  QString metricName() const;
  PlotCaption caption() const;
  QString valueText(double value) const;

  Scale m_scale;
  std::string m_trainingName, m_validationName, m_historyFile;
  const MetricHistory* m_history = nullptr;
  double m_totalSteps = 1, m_stepsPerEpoch = 1;
  double m_low = 0, m_high = 1;
  // The next range is applied at once, without easing.
  bool m_isNewPlan = true;
  bool m_isLogarithmic = false;
  // Draws the focus frame
  bool m_isReachedByKey = false;
  Smoothing m_smoothing = Smoothing::Automatic;
  QBoxLayout* m_head;
  QLabel* m_title;
  QLabel* m_legend;
  QPushButton* m_whole;
  QPushButton* m_more;
  QCustomPlot* m_plot = nullptr;
  PlotNavigator* m_navigator = nullptr;
  QCPGraph* m_raw;
  QCPGraph* m_smooth;
  QCPGraph* m_validation;
  QCPItemLine* m_now;
  QCPItemText* m_empty;
  QCPItemText* m_reading;
  std::vector<QCPItemLine*> m_marks;
  std::vector<double> m_markSteps;
};

}  // namespace strata::ui
