// SPDX-License-Identifier: GPL-3.0-or-later
// The first lens of a run. It shows loss, accuracy, measured and predicted memory, time by layer or
// op, and throughput. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "ui/lenses/lens.h"

class QLabel;
class QPushButton;
class QTableView;

namespace strata::ui {

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
  void onMetrics();
  void onProfile();
  void onSetting();
  void showNoTimes();
  void onState();
  void refreshChanges();
  void refreshAll();

  const LensContext m_context;
  MetricPlot* m_loss;
  MetricPlot* m_metric;
  QWidget* m_metricCard;
  MemoryCard* m_memory;
  TimeItemModel* m_timeModel;
  QTableView* m_timeTable;
  QLabel* m_timeTotal;
  QLabel* m_rate;
  QLabel* m_phases;
  // This label replaces the table while there are no times, and gives the reason.
  QLabel* m_noTimes;
  QLabel* m_watching;
  QPushButton* m_watch;
  double m_limitBytes = 0;
};

QWidget* makeOverviewLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
