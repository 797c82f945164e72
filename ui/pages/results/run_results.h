// SPDX-License-Identifier: GPL-3.0-or-later
// The results of one run: its values, mistakes, curves of the evaluation, a drawing pad, and
// buttons to export and continue. Not here: which run is shown (results_page.h), computing
// (run_evaluator.h). Thread: GUI thread.
#pragma once

#include <QWidget>
#include <memory>
#include <optional>
#include <string>

#include "core/runs/run_directory.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/workspace/page_context.h"

class QFrame;
class QBoxLayout;
class QScrollArea;

namespace strata::ui {

class DesignChangeLine;
class Document;
class ElidedLabel;
class EvaluationCard;
class ExplanationCard;
class FilesCard;
class MistakesCard;
class ReportWriter;
class RunCard;
class RunController;
class ScoresCard;
class TryCard;
class ValuesCard;

class RunResults : public QWidget {
  Q_OBJECT
 public:
  RunResults(const PageContext& context, Document& document, QWidget* parent);
  /// Shows a run; nullptr shows none. Evaluates its network when the widget is visible.
  void setRun(const RunInfo* run);
  /// Evaluates the run again when it is shown next, because its weights have changed.
  void forget();
  /// Returns the project of the run, or null.
  const std::shared_ptr<const Project>& project() const { return m_project; }
  /// Performs "results.draw", "results.mistakes" or "results.export".
  void perform(const QString& action);
  /// Shows a line in the banner.
  void showMessage(const QString& line, bool isFailure);

 Q_SIGNALS:
  void cloneRequested();
  void trainAgainRequested();
  void deleteRequested();

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;

 private:
  QLayout* makeNotes(QWidget* parent);
  void makeCards(QWidget* content);
  void connectEvaluator();
  void showRun();
  void showEvaluation(const std::shared_ptr<const EvaluatedRun>& run);
  void showNoEvaluation(const QString& sentence);
  void layOut();
  void chooseExport();
  void chooseReport(const QString& suffix);
  void refreshStep();
  void refreshCard();
  void refreshContinue();
  void continueRun();

  const PageContext m_context;
  Document& m_document;
  RunController& m_run;
  RunEvaluator* m_evaluator;
  ReportWriter* m_report;
  std::optional<RunInfo> m_info;
  QScrollArea* m_scroll;
  QBoxLayout* m_classes;
  QFrame* m_banner;
  ElidedLabel* m_message;
  DesignChangeLine* m_changes;
  RunCard* m_card;
  QFrame* m_tryFrame;
  QFrame* m_mistakesFrame;
  QFrame* m_valuesFrame;
  QFrame* m_explanationFrame;
  QFrame* m_filesFrame;
  QFrame* m_scoresFrame;
  QFrame* m_evaluationFrame;
  TryCard* m_try;
  MistakesCard* m_mistakes;
  ValuesCard* m_values;
  ScoresCard* m_scores;
  EvaluationCard* m_evaluation;
  ExplanationCard* m_explanation;
  FilesCard* m_files;
  // Null while the run is evaluated
  std::shared_ptr<const EvaluatedRun> m_evaluated;
  // The directory of the run that the evaluator works on.
  std::string m_shown;
  // The run's own copy of the project, or null, and the directory of that run
  std::shared_ptr<const Project> m_project;
  std::string m_projectOf;
  bool m_isNarrow = false;
};

}  // namespace strata::ui
