// SPDX-License-Identifier: GPL-3.0-or-later
// A card with the classes of the shown run at its validations: a table, the worst class first, and
// the accuracy of the chosen classes over the run. Not here: the whole confusion matrix of a
// finished run (Results). Thread: GUI thread.
#pragma once

#include <QWidget>
#include <optional>

#include "ui/lenses/lens.h"

class QComboBox;
class QLabel;
class QSortFilterProxyModel;
class QTableView;

namespace strata::ui {

class ClassCurves;
class ClassItemModel;

class ClassesCard : public QWidget {
  Q_OBJECT
 public:
  ClassesCard(const LensContext& context, QWidget* parent);
  /// Shows the newest validation, if it is not shown yet.
  void refresh();
  /// Returns whether the run has or may have classes.
  bool hasClasses() const;
  const ClassItemModel& model() const { return *m_model; }
  ClassCurves& curves() { return *m_curves; }
  QTableView* table() const { return m_table; }

 private:
  QWidget* makeTable();
  QString whyEmpty() const;
  void refreshOutputs();
  void refreshCurves();
  double endOfAxis() const;
  void chooseWorst();

  const LensContext m_context;
  QLabel *m_about, *m_empty;
  QComboBox* m_output;
  ClassItemModel* m_model;
  QSortFilterProxyModel* m_sorted;
  QTableView* m_table;
  ClassCurves* m_curves;
  QWidget* m_body;
  // The step of the validation that is shown, and the directory of its run
  std::optional<int64_t> m_step;
  // The last step of the axis of the chart
  double m_end = 0;
  QString m_run;
  // Whether the user has chosen the classes of the chart
  bool m_isChosen = false;
};

}  // namespace strata::ui
