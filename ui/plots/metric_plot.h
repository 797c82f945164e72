// SPDX-License-Identifier: GPL-3.0-or-later
// Plots one metric of a run against epochs: raw values as a faint line, their moving average as a
// strong line, and validation as points. The x axis shows the planned run, or the range that the
// user zoomed into. The plot stores no data, and reads a MetricHistory on refresh(). Its menu is in
// metric_plot_menu.cpp. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "ui/plots/plot_files.h"
#include "ui/plots/value_range.h"
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

  /// Sets the names of the series in the history. `validation` is "" if there is no validation.
  void setSeries(std::string training, std::string validation);
  void setMetric(const QString& title, Scale scale);
  /// Sets whether validation uses the moving averages of the weights, which the legend then says.
  void setAveraged(bool isAveraged);
  /// Sets the range of the x axis to 0 to `totalSteps`, and shows the whole run. The axis is
  /// labelled in epochs.
  void setPlan(double totalSteps, double stepsPerEpoch);
  /// Sets the file with the exact values, from which tables are saved. "" means that there is none.
  void setHistoryFile(std::string file) { m_historyFile = std::move(file); }
  void setSmoothing(Smoothing smoothing);
  void setLogarithmic(bool isLogarithmic);
  /// Draws vertical lines at these steps, for example where the learning rate changed.
  void setMarks(std::vector<double> steps);
  /// Redraws the plot from `history`. Requires: `history` stays valid until the next refresh,
  /// because values under the mouse are read from it.
  void refresh(const MetricHistory& history);
  /// Saves an image or, if the name ends in .csv, a table.
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
  void makeHead(QBoxLayout* layout, const QString& title);
  void makePlot();
  void useScale(Scale scale);
  void redraw();
  void replot();
  void applyColors();
  void updateAxes(const MetricSeries* training, const MetricSeries* validation,
                  const VisibleCurves& visible);
  void updateLegend();
  void reserveLegend();
  QString validationText(const QString& value) const;
  void layOutHead();
  void updateReading();
  void showMenu(const QPoint& global);
  void addSmoothing(QMenu* menu);
  void chooseFile(const QString& title, const QString& filter, const QString& suffix);
  QString metricName() const;
  PlotCaption caption() const;
  QString valueText(double value) const;

  Scale m_scale;
  bool m_isAveraged = false;
  std::string m_trainingName, m_validationName, m_historyFile;
  const MetricHistory* m_history = nullptr;
  double m_totalSteps = 1, m_stepsPerEpoch = 1;
  ValueRange m_range;
  bool m_isLogarithmic = false;
  // Whether the keyboard moved the focus to the plot. The focus frame is drawn only in this case.
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
