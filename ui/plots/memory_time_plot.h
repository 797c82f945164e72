// SPDX-License-Identifier: GPL-3.0-or-later
// Plots the memory of one device over the time of a run: the network by category, samples, what the
// program and its libraries take, other processes, and lines for prediction, limit and total.
// Thread: GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "gpu/memory/liveness.h"
#include "ui/plots/plot_files.h"
#include "ui/run/device_history.h"

class QCustomPlot;
class QCPGraph;
class QCPItemLine;
class QLabel;

namespace strata::ui {

class PlotNavigator;

class MemoryTimePlot : public QWidget {
  Q_OBJECT
 public:
  explicit MemoryTimePlot(QWidget* parent = nullptr);
  /// What is constant during a run. All members are bytes; 0 if unknown.
  struct Figures {
    // By category at the peak of a step, and what the arena loses to alignment and holes
    BytesByCategory network{};
    double holes = 0, samples = 0, transfers = 0, context = 0;
    // The predicted memory of this process, the limit of the network, and the memory of the device
    double predicted = 0, limit = 0, total = 0;
    bool isContextEstimated = false;
  };
  void setFigures(const QString& device, const Figures& figures);
  /// Redraws from `history`, or without samples if it is null. `endSeconds` is the end of the axis.
  void refresh(const DeviceHistory* history, double endSeconds);
  void setOthersShown(bool isShown);
  QCustomPlot* plot() const { return m_plot; }
  PlotNavigator* navigator() const { return m_navigator; }
  /// Returns the sums of the drawn bands at their right end, from the lowest one.
  const std::vector<double>& tops() const { return m_tops; }

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  struct Band {
    QString title;
    QColor color;
    QCPGraph* top;
  };
  void makeBands();
  void redraw();
  void updateLegend();
  void updateReading();
  void applyColors();
  PlotCaption caption() const;
  PlotTable table() const;

  QLabel* m_title;
  QLabel* m_legend;
  QCustomPlot* m_plot;
  PlotNavigator* m_navigator;
  QCPGraph* m_floor;
  // From the lowest to the highest: the categories, holes, samples, context, other processes
  std::vector<Band> m_bands;
  QCPItemLine *m_predicted, *m_limit, *m_total;
  QString m_device;
  Figures m_figures;
  const DeviceHistory* m_history = nullptr;
  double m_end = 1;
  bool m_hasOthers = false;
  std::vector<double> m_tops;
};

}  // namespace strata::ui
