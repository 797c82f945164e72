// SPDX-License-Identifier: GPL-3.0-or-later
// The first lens of a run. It shows loss, accuracy, measured and predicted memory, time by layer or
// op, and throughput. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "gpu/devices/devices.h"
#include "ui/lenses/lens.h"

class QLabel;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace strata::ui {

class ElidedLabel;
class MemoryCard;
class MetricPlot;
class TimeItemModel;

class OverviewLens : public QWidget {
  Q_OBJECT
 public:
  OverviewLens(const LensContext& context, QWidget* parent);
  /// Moves the focus to the table of times and selects the slowest row.
  void focusTime();

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QWidget* makeTimeCard();
  QWidget* makeThroughputCard();
  void onStarted();
  void showNothing();
  void onMetrics();
  void onProfile();
  void onSetting();
  static QString rateText(double perSecond, bool isSimulated);
  void showNoTimes();
  void showOverhead();
  void showTimeTotal(double microseconds);
  void onState();
  void setHistoryFile();
  void refreshChanges();
  void refreshAll();

  const LensContext m_context;
  MetricPlot* m_loss;
  MetricPlot* m_metric;
  QWidget* m_metricCard;
  MemoryCard* m_memory;
  TimeItemModel* m_timeModel;
  QTableView* m_timeTable;
  ElidedLabel* m_timeTotal;
  QLabel* m_rate;
  ElidedLabel* m_phases;
  // The table, or a label that gives the reason why there are no times
  QStackedWidget* m_times;
  ElidedLabel* m_noTimes;
  QLabel* m_watching;
  QPushButton* m_watch;
  // Listed when the first run on this machine is shown
  std::vector<DeviceInfo> m_devices;
};

QWidget* makeOverviewLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
