// SPDX-License-Identifier: GPL-3.0-or-later
// A lens with the memory of a run: over time per device, block by block during a step, what is live
// at the peak, and what other settings would need. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <vector>

#include "ui/lenses/lens.h"
#include "ui/plots/memory_time_plot.h"
#include "ui/run/redraw_pace.h"

class QBoxLayout;
class QCheckBox;
class QFrame;
class QLabel;
class QSortFilterProxyModel;
class QTableView;
class QVBoxLayout;

namespace strata::ui {

class AllocationView;
class BlockItemModel;
class WhatIf;

class MemoryLens : public QWidget {
  Q_OBJECT
 public:
  MemoryLens(const LensContext& context, QWidget* parent);
  AllocationView& allocation() { return *m_allocation; }
  WhatIf& whatIf() { return *m_whatIf; }
  const std::vector<MemoryTimePlot*>& timePlots() const { return m_plots; }

 protected:
  void changeEvent(QEvent* event) override;
  void hideEvent(QHideEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  QWidget* makeStepCard();
  QWidget* makeTableCard();
  QWidget* makeReport();
  void showRun();
  void showReport();
  void clearPlots();
  void refresh();
  MemoryTimePlot::Figures figuresOf(const std::string& device) const;
  void followSelection();
  void refreshLegend();

  const LensContext m_context;
  RedrawPace m_pace;
  size_t m_numDevices = 0;
  QVBoxLayout* m_column;
  // Why the run ended for lack of memory, with remedies; hidden otherwise
  QFrame* m_report;
  QLabel* m_reportText;
  QVBoxLayout* m_remedies;
  QCheckBox* m_others;
  QBoxLayout* m_plotColumn;
  // One for each device
  std::vector<MemoryTimePlot*> m_plots;
  std::vector<QFrame*> m_plotFrames;
  QLabel* m_stepTitle;
  QLabel* m_noStep;
  AllocationView* m_allocation;
  QLabel* m_legend;
  BlockItemModel* m_blocks;
  QSortFilterProxyModel* m_sorted;
  QTableView* m_table;
  QBoxLayout* m_bottom;
  WhatIf* m_whatIf;
};

QWidget* makeMemoryLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
