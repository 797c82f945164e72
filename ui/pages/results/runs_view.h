// SPDX-License-Identifier: GPL-3.0-or-later
// All runs of a project as a table or as lines over parallel axes, with a filter, a choice of
// columns, and the notes of the selected run. It asks the page to compare, show, clone or delete
// runs. Not here: the values (models/run_table_model.h), one run (results_page.h). Thread: GUI
// thread.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "core/run_list/run_table.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;
class QStackedWidget;
class QTableView;

namespace strata::ui {

class NotesForm;
class ParallelPlot;
class RunList;
class RunTableModel;
class Segments;

class RunsView : public QWidget {
  Q_OBJECT
 public:
  RunsView(RunList& runs, QWidget* parent);
  /// Returns the selected runs by RunInfo::listedAt, in the order of the table.
  std::vector<std::string> selected() const;
  /// Selects one run and scrolls to it. Does nothing if it is selected among others.
  void select(const std::string& listedAt);
  bool isArchivedShown() const;
  /// Shows why a request was refused, until the selection changes.
  void showProblem(const QString& line);

 Q_SIGNALS:
  /// Emitted when the user selects a run, and when only one is selected.
  void selectedOne(const std::string& listedAt);
  /// Emitted on a double click or Enter.
  void opened(const std::string& listedAt);
  void compareRequested();
  void curvesRequested();
  void cloneRequested();
  void trainAgainRequested();
  void deleteRequested();
  void cleanRequested();
  void archivedShown();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QLayout* makeControls();
  void makeTable();
  QWidget* makeLines();
  void fillResults();
  void fillLines();
  void selectRow(const std::string& listedAt);
  QLayout* makeActions();
  void fillColumnMenu();
  void setColumn(const QString& id, bool isShown);
  void useColumns(const QStringList& ids);
  void selectAgain(const std::vector<std::string>& runs);
  void filter();
  void showContent();
  void onSelection();
  void showOrder();
  void fitColumns();

  RunList& m_runs;
  RunTableModel* m_model;
  QLineEdit* m_filter;
  QPushButton* m_columns;
  QCheckBox* m_archived;
  QPushButton* m_clean;
  Segments* m_views;
  QStackedWidget* m_stack;
  QTableView* m_table;
  QComboBox* m_result;
  QLabel* m_axes;
  ParallelPlot* m_lines;
  QLabel* m_status;
  QPushButton* m_compare;
  QPushButton* m_curves;
  QPushButton* m_again;
  QPushButton* m_clone;
  QPushButton* m_delete;
  NotesForm* m_notes;
  // What showProblem() shows, or ""
  QString m_problem;
  // Whether the rows change without the user
  bool m_isReloading = false;
};

}  // namespace strata::ui
