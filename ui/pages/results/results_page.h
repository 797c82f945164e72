// SPDX-License-Identifier: GPL-3.0-or-later
// The Results page. It lists the runs of one project. For the selected run, it shows a summary, the
// mistakes, a drawing pad, and buttons to export and continue. Thread: GUI thread.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/runs/run_directory.h"
#include "ui/workspace/page_context.h"

class QFrame;
class QGridLayout;
class QLabel;
class QListView;
class QPushButton;
class QScrollArea;
class QStackedWidget;

namespace strata::ui {

class DesignChangeLine;
class Document;
class ElidedLabel;
class MistakesCard;
class RunController;
class RunEvaluator;
class RunItemModel;
class TryCard;
class ValuesCard;

class ResultsPage : public QWidget {
  Q_OBJECT
 public:
  ResultsPage(const PageContext& context, Document& document, QWidget* parent);
  /// Performs "results.draw", "results.mistakes" or "results.export" for the selected run.
  void perform(const QString& action);
  /// Returns the list of runs for the left pane, which takes ownership.
  QWidget* runPane() const { return m_runPane; }

 protected:
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLayout* makeNotes(QWidget* parent);
  QWidget* makeRunCard();
  /// Reads the list of runs again. Selects the run in directory `select`, or keeps the selection if
  /// `select` is empty. If that run does not exist, selects the newest run.
  void reload(const std::string& select = {});
  void showRun();
  void fillCard(const RunInfo& run);
  QString headlineOf(const RunInfo& run) const;
  void layOut();
  void layOutFigures();
  /// Shows a line in the banner of the page.
  void showMessage(const QString& line, bool isFailure);
  void chooseExport();
  void refreshContinue();
  void continueRun();
  const RunInfo* chosen() const;
  void showInLenses();

  const PageContext m_context;
  Document& m_document;
  RunController& m_run;
  QWidget* m_runPane;
  RunItemModel* m_runs;
  QListView* m_list;
  RunEvaluator* m_evaluator;
  QStackedWidget* m_stack;
  QScrollArea* m_scroll;
  QGridLayout* m_grid;
  QFrame* m_banner;
  QWidget* m_runCard;
  ElidedLabel* m_title;
  QLabel* m_headline;
  // This label tells the user that there is no test set.
  QLabel* m_measuredOn;
  QGridLayout* m_figures;
  // The labels in m_figures, as pairs of name and value.
  std::vector<std::pair<QLabel*, QLabel*>> m_cells;
  ElidedLabel* m_message;
  QPushButton* m_continue;
  QPushButton* m_export;
  DesignChangeLine* m_changes;
  QFrame* m_tryFrame;
  QFrame* m_mistakesFrame;
  QFrame* m_valuesFrame;
  TryCard* m_try;
  MistakesCard* m_mistakes;
  ValuesCard* m_values;
  // The directory of the run that the evaluator works on.
  std::string m_shown;
  // The selected run's own copy of the project, or null, and the directory of that run
  std::shared_ptr<const Project> m_project;
  std::string m_projectOf;
  bool m_isStale = true;
  // Whether the list changes without the user
  bool m_isReloading = false;
  bool m_isNarrow = false;
};

}  // namespace strata::ui
