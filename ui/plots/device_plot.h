// SPDX-License-Identifier: GPL-3.0-or-later
// Plots one quantity of several devices over the time of a run, such as their temperatures. Thread:
// GUI thread.
#pragma once

#include <QColor>
#include <QString>
#include <QWidget>
#include <functional>
#include <vector>

#include "ui/plots/plot_files.h"
#include "ui/run/device_history.h"

class QCustomPlot;
class QCPGraph;

namespace strata::ui {

class PlotNavigator;

class DevicePlot : public QWidget {
  Q_OBJECT
 public:
  /// `title` is the name of the quantity, `format` makes text of a value.
  DevicePlot(DeviceQuantity quantity, const QString& title, std::function<QString(double)> format,
             QWidget* parent = nullptr);
  struct Line {
    QString device;
    QColor color;
    // Must stay valid until the next call; by training time in seconds
    const MetricSeries* series = nullptr;
  };
  /// Redraws. `endSeconds` is the end of the axis.
  void refresh(std::vector<Line> lines, double endSeconds);
  PlotNavigator* navigator() const { return m_navigator; }
  QCustomPlot* plot() const { return m_plot; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  void redraw();
  void updateReading();
  void applyColors();
  PlotTable table() const;

  const DeviceQuantity m_quantity;
  const QString m_title;
  const std::function<QString(double)> m_format;
  QCustomPlot* m_plot;
  PlotNavigator* m_navigator = nullptr;
  std::vector<QCPGraph*> m_graphs;
  std::vector<Line> m_lines;
};

}  // namespace strata::ui
