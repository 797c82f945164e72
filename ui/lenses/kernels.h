// SPDX-License-Identifier: GPL-3.0-or-later
// A lens with the kernels of a run: a table that can be sorted, linked to the layers, and the
// export of a trace. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "ui/lenses/lens.h"

class QLabel;
class QPushButton;
class QSortFilterProxyModel;
class QTableView;

namespace strata::ui {

class KernelItemModel;

class KernelsLens : public QWidget {
  Q_OBJECT
 public:
  KernelsLens(const LensContext& context, QWidget* parent);
  /// Writes the trace of the run. Returns "", or the reason why the file was not written.
  QString writeTrace(const QString& target) const;

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  void makeTable();
  void fitColumns();
  void refresh();
  void chooseTraceFile();

  const LensContext m_context;
  KernelItemModel* m_model;
  QSortFilterProxyModel* m_sorted;
  QTableView* m_table;
  QLabel* m_summary;
  QLabel* m_empty;
  QPushButton* m_export;
  bool m_isFitted = false;
};

QWidget* makeKernelsLens(const LensContext& context, QWidget* parent);

}  // namespace strata::ui
