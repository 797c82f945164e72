// SPDX-License-Identifier: GPL-3.0-or-later
// The Results page. It lists the runs of one project, and shows one of them, all of them as a
// table, or several side by side. Not here: the results of a run (run_results.h), the table
// (runs_view.h). Thread: GUI thread.
#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "core/runs/run_directory.h"
#include "ui/workspace/page_context.h"

class QFrame;
class QLabel;
class QListView;
class QPushButton;
class QStackedWidget;

namespace strata::ui {

class ComparisonView;
class Document;
class ElidedLabel;
class RunController;
class RunItemModel;
class RunList;
class RunResults;
class RunsView;
class Segments;

class ResultsPage : public QWidget {
  Q_OBJECT
 public:
  ResultsPage(const PageContext& context, Document& document, QWidget* parent);
  /// Performs "results.draw", "results.mistakes" or "results.export" for a run, which is selected,
  /// or for the selected run if `run` is "".
  void perform(const QString& action, const std::string& run);
  /// Returns the list of runs for the left pane, which takes ownership.
  QWidget* runPane() const { return m_runPane; }

 protected:
  bool event(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;
  void showEvent(QShowEvent* event) override;

 private:
  enum View { kOneRun, kAllRuns, kComparison };
  void makePane();
  QLayout* makeHead();
  QWidget* makeEmptyView();
  void describeRecording();
  void connectViews();
  /// Reads the list of runs again. Selects the run in directory `select`, or keeps the selection if
  /// `select` is empty. If that run does not exist, selects the newest run.
  void reload(const std::string& select = {});
  void onRunsRead();
  void leaveDeleted();
  void followRuns();
  void showView(View view);
  void showStack();
  void showRun();
  const RunInfo* chosen() const;
  void showInLenses();
  void showUndo();
  bool undoDeletion(QEvent* event);
  void compare();
  void showCurves(const std::vector<std::string>& runs);
  void clone(const std::string& listedAt);
  void trainAgain(const std::vector<std::string>& runs);
  void clean();
  void showFailure(const QString& line);

  const PageContext m_context;
  Document& m_document;
  RunController& m_run;
  RunList* m_list;
  QWidget* m_runPane;
  RunItemModel* m_items;
  QListView* m_pane;
  Segments* m_views;
  QFrame* m_undo;
  ElidedLabel* m_undoText;
  QStackedWidget* m_stack;
  QWidget* m_empty;
  QLabel* m_emptyText;
  QPushButton* m_emptyButton;
  RunResults* m_results;
  RunsView* m_table;
  ComparisonView* m_comparison;
  // The run to select when the runs are read, or ""
  std::string m_wanted;
  // An action for the selected run that waits for the runs, or ""
  QString m_action;
  bool m_isStale = true;
  // Whether the shown run must be evaluated again
  bool m_hasNewWeights = false;
  // Whether runs were deleted or restored
  bool m_hasOtherRuns = false;
  // Whether the list changes without the user
  bool m_isReloading = false;
};

}  // namespace strata::ui
