// SPDX-License-Identifier: GPL-3.0-or-later
// Plots one series of a run: raw values as a faint line, their moving average as a strong line, and
// validation as points. The x axis shows the planned run, or the range that the user zoomed into.
// Other runs can be laid over. The plot stores no data, and reads a MetricHistory on refresh().
// Legend and readings are in metric_plot_reading.cpp, the menu in metric_plot_menu.cpp.
// Thread: GUI thread.
#pragma once

#include <QStringList>
#include <QWidget>
#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "ui/plots/plot_marks.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/run_axis.h"
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
  enum class Scale { Value, Percent, Seconds };
  /// Another run in the plot.
  struct OtherRun {
    QString title;
    QColor color;
    std::shared_ptr<const MetricHistory> history;
    // 0 if it is unknown
    double stepsPerEpoch = 0;
  };
  MetricPlot(const QString& title, Scale scale, QWidget* parent = nullptr);

  /// Sets the names of the series in the history. `validation` is "" if there is no validation.
  void setSeries(std::string training, std::string validation);
  void setMetric(const QString& title, Scale scale);
  /// Sets whether validation uses the moving averages of the weights, which the legend then says.
  void setAveraged(bool isAveraged);
  /// Sets the range of the x axis to 0 to `totalSteps`, and shows the whole run.
  void setPlan(double totalSteps, double stepsPerEpoch);
  /// Sets only the end of this range. A zoomed view stays.
  void setSteps(double totalSteps);
  void setAxis(RunAxis::Unit unit, bool isLogarithmic);
  /// Gives the axes titles. `unit` is that of the values, such as "samples/s", or "".
  void showAxisTitles(const QString& unit);
  /// Sets the file with the exact values, from which tables are saved. "" means that there is none.
  void setHistoryFile(std::string file) { m_historyFile = std::move(file); }
  /// Sets whether the values are predicted, so that their text is in italics.
  void setPredicted(bool isPredicted) { m_isPredicted = isPredicted; }
  void setSmoothing(Smoothing smoothing);
  void setLogarithmic(bool isLogarithmic);
  /// Sets whether outliers are left out of the range of the values. The plot then says so.
  void setIgnoresOutliers(bool on);
  /// Draws vertical lines at the steps of the marks, for example where the learning rate changed.
  void setMarks(const std::vector<RunMark>& marks);
  /// Lays the same series of other runs over the plot. With `hasBand`, also draws the smallest, the
  /// mean and the largest value of all runs.
  void setOthers(std::vector<OtherRun> others, bool hasBand);
  /// Sets what an empty plot says.
  void setEmptyText(const QString& words);
  /// Sets a function that adds entries to the menu.
  void setMenuEntries(std::function<void(QMenu*)> add) { m_addEntries = std::move(add); }
  QLabel* titleLabel() const { return m_title; }
  /// Redraws the plot from `history`. Requires: `history` stays valid until the next refresh,
  /// because values under the mouse are read from it.
  void refresh(const MetricHistory& history);
  /// Saves a picture or a table, according to the suffix.
  void saveTo(const QString& target);
  QCustomPlot* plot() const { return m_plot; }
  PlotNavigator* navigator() const { return m_navigator; }
  QSize sizeHint() const override { return {420, 260}; }

 Q_SIGNALS:
  void smoothingChosen(Smoothing smoothing);
  void outliersChosen(bool isIgnoring);

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
  void updateWhole();
  void showOutside(const VisibleCurves& visible);
  void placeMarks();
  void drawValidation(bool hasDiscs);
  void drawOthers(double from, double to, int columns, VisibleCurves& visible);
  void drawBand(int columns);
  void drawBroken(const MetricSeries* training);
  const StepClock& clock() const;
  void setData(QCPGraph* graph, const std::vector<CurvePoint>& points);
  QStringList readingLines(double at, const CurveReading& reading) const;
  void updateLegend();
  void reserveLegend();
  QString validationText(const QString& value) const;
  void layOutHead();
  void updateReading();
  void showMenu(const QPoint& global);
  void addSmoothing(QMenu* menu);
  PlotSource source();
  PlotCaption caption() const;
  QString valueText(double value) const;

  Scale m_scale;
  bool m_isAveraged = false;
  std::string m_trainingName, m_validationName, m_historyFile;
  const MetricHistory* m_history = nullptr;
  double m_totalSteps = 1, m_stepsPerEpoch = 1;
  ValueRange m_range;
  bool m_isLogarithmic = false;
  RunAxis m_axis;
  std::function<void(QMenu*)> m_addEntries;
  QString m_unit;
  bool m_hasTitles = false, m_hasBand = false, m_hasDiscs = true, m_isPredicted = false;
  std::vector<OtherRun> m_others;
  std::vector<RunMark> m_markedSteps;
  // Whether the keyboard moved the focus to the plot. The focus frame is drawn only in this case.
  bool m_isReachedByKey = false;
  Smoothing m_smoothing;
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
  // Which values the axis leaves out
  QCPItemText* m_outside;
  ValuesOutside m_shownOutside;
  QCPItemText* m_reading;
  // Where values are not finite
  QCPGraph* m_broken;
  // The smallest, the mean and the largest value of all runs
  std::array<QCPGraph*, 3> m_band{};
  std::vector<QCPGraph*> m_otherGraphs;
  std::optional<PlotMarks> m_marks;
};

}  // namespace strata::ui
