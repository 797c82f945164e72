// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/run_results.h"

#include <QBoxLayout>
#include <QDropEvent>
#include <QFileDialog>
#include <QFrame>
#include <QHBoxLayout>
#include <QMimeData>
#include <QScrollArea>
#include <QTimer>
#include <QUrl>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/image_reading.h"
#include "gpu/base/error.h"
#include "ui/dialogs/continue_question.h"
#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/pages/design_change_line.h"
#include "ui/pages/results/evaluation_card.h"
#include "ui/pages/results/explanation_card.h"
#include "ui/pages/results/files_card.h"
#include "ui/pages/results/mistakes_card.h"
#include "ui/pages/results/report_writer.h"
#include "ui/pages/results/run_card.h"
#include "ui/pages/results/scores_card.h"
#include "ui/pages/results/try_card.h"
#include "ui/pages/results/values_card.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/continuation.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/runs.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kPageSides = 36, kRoomForPad = 820, kTryWidth = 400;

RunResults::RunResults(const PageContext& context, Document& document, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_document(document),
      m_run(context.runs.of(&document)),
      m_evaluator(new RunEvaluator(this)),
      m_report(new ReportWriter(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  m_scroll = new QScrollArea(this);
  m_scroll->setWidgetResizable(true);
  m_scroll->setAccessibleName(tr("The selected run"));
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  keepScrollBarRoom(m_scroll);
  auto* content = new QWidget(m_scroll);
  makeCards(content);
  layOut();
  m_scroll->setWidget(content);
  layout->addWidget(m_scroll);
  connectEvaluator();
  for (const auto signal : {&Document::changed, &Document::inspectionChanged})
    connect(&m_document, signal, this, &RunResults::refreshContinue);
  connect(&context.runs, &Runs::stateChanged, this, &RunResults::refreshContinue);
  connect(&m_run, &RunController::metricsArrived, this, &RunResults::refreshStep);
}

void RunResults::makeCards(QWidget* content) {
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(kPageSides / 2, 4, kPageSides / 2, 14);
  column->setSpacing(12);
  column->addLayout(makeNotes(content));
  m_card = new RunCard(content);
  column->addWidget(cardAround(m_card, content));
  m_mistakes = new MistakesCard(content);
  m_try = new TryCard(content);
  m_tryFrame = cardAround(m_try, content);
  m_mistakesFrame = cardAround(m_mistakes, content);
  m_values = new ValuesCard(content);
  m_valuesFrame = cardAround(m_values, content);
  m_valuesFrame->hide();
  m_classes = new QBoxLayout(QBoxLayout::LeftToRight);
  m_classes->setSpacing(12);
  // Takes the room of the mistakes if they are hidden
  m_classes->addStretch(0);
  m_classes->addWidget(m_mistakesFrame, 1);
  m_classes->addWidget(m_tryFrame, 0, Qt::AlignTop);
  column->addLayout(m_classes, 1);
  column->addWidget(m_valuesFrame, 1);
  m_explanation = new ExplanationCard(content);
  m_explanationFrame = cardAround(m_explanation, content);
  m_scores = new ScoresCard(content);
  m_scoresFrame = cardAround(m_scores, content);
  m_evaluation = new EvaluationCard(content);
  m_evaluationFrame = cardAround(m_evaluation, content);
  m_files = new FilesCard(content);
  m_filesFrame = cardAround(m_files, content);
  for (QFrame* frame : {m_explanationFrame, m_scoresFrame, m_evaluationFrame, m_filesFrame}) {
    frame->hide();
    column->addWidget(frame);
  }
  setAcceptDrops(true);
  connect(m_files, &FilesCard::saved, this, &RunResults::showMessage);
  connect(m_explanation, &ExplanationCard::closed, m_explanationFrame, &QFrame::hide);
  connect(m_mistakes, &MistakesCard::sampleOpened, this, [this](int64_t sample) {
    if (!m_evaluated) return;
    m_explanationFrame->show();
    m_explanation->explain(m_evaluated, m_document.path().toStdString(), sample);
    // The layout places the card in the next turn of the event loop
    QTimer::singleShot(0, this, [this] { m_scroll->ensureWidgetVisible(m_explanationFrame); });
  });
  connect(m_card, &RunCard::continueRequested, this, &RunResults::continueRun);
  connect(m_card, &RunCard::exportRequested, this, &RunResults::chooseExport);
  connect(m_card, &RunCard::reportRequested, this, &RunResults::chooseReport);
  connect(m_card, &RunCard::cloneRequested, this, &RunResults::cloneRequested);
  connect(m_card, &RunCard::trainAgainRequested, this, &RunResults::trainAgainRequested);
  connect(m_card, &RunCard::deleteRequested, this, &RunResults::deleteRequested);
}

void RunResults::connectEvaluator() {
  connect(m_report, &ReportWriter::written, this,
          [this](const QString& line) { showMessage(line, false); });
  connect(m_report, &ReportWriter::failed, this,
          [this](const QString& line) { showMessage(line, true); });
  connect(m_try, &TryCard::asked, m_evaluator, &RunEvaluator::predict);
  connect(m_evaluator, &RunEvaluator::predicted, m_try, &TryCard::setAnswer);
  connect(m_evaluator, &RunEvaluator::evaluated, this, &RunResults::showEvaluation);
  connect(m_evaluator, &RunEvaluator::unmeasurable, this, [this] {
    m_card->setMeasuredOn(
        tr("There is no test or validation data to evaluate on. Set a test or validation split on "
           "the Data page, then train a new run."));
    m_mistakesFrame->hide();
    m_valuesFrame->hide();
  });
  connect(m_evaluator, &RunEvaluator::exported, this, [this](const QString& line) {
    showMessage(line, false);
    m_context.navigation.log(line);
  });
  connect(m_evaluator, &RunEvaluator::failed, this,
          [this](RunEvaluator::Question question, const QString& line) {
            showMessage(line, true);
            if (question == RunEvaluator::Question::Evaluate)
              showNoEvaluation(tr("not available; see the message above"));
            m_context.navigation.log(line);
          });
}

/// Makes the row of the page's message and of the line about changes of the design. It keeps its
/// place, so that the cards below it do not move.
QLayout* RunResults::makeNotes(QWidget* parent) {
  m_banner = new QFrame(parent);
  auto* banner = new QHBoxLayout(m_banner);
  banner->setContentsMargins(10, 0, 4, 0);
  m_message = new ElidedLabel(m_banner, 2);
  m_message->offerCopy();
  banner->addWidget(m_message);
  m_banner->hide();
  m_changes = new DesignChangeLine(m_document, parent);
  connect(m_changes, &DesignChangeLine::reverted, this,
          [this] { m_context.navigation.showPage(PageId::Design); });
  auto* notes = new QHBoxLayout;
  notes->setSpacing(8);
  notes->addWidget(m_banner, 1);
  notes->addWidget(m_changes, 1);
  const int height = std::max(m_message->sizeHint().height() + 2, m_changes->sizeHint().height());
  for (QWidget* note : {static_cast<QWidget*>(m_banner), static_cast<QWidget*>(m_changes)})
    note->setFixedHeight(height);
  return notes;
}

/// Returns the project of a run, whose source reads images as the run did.
static CheckedProject asTrained(const Project& project, const std::string& directory) {
  try {
    return withRecordedReading(project, directory);
  }
  catch (const Error&) {
    // The evaluation reports a damaged record.
    return project;
  }
}

void RunResults::setRun(const RunInfo* run) {
  m_info = run ? std::optional(*run) : std::nullopt;
  showRun();
}

void RunResults::forget() {
  m_shown.clear();
  m_projectOf.clear();
  m_evaluated = nullptr;
}

void RunResults::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showRun();
}

void RunResults::showRun() {
  if (!m_info) {
    m_evaluator->setRun({});
    forget();
    m_changes->setRun({}, nullptr);
    return;
  }
  const RunInfo& run = *m_info;
  if (run.directory != m_projectOf) {
    const auto own = projectOfRun(run.directory, m_document.project().path());
    m_project = own ? std::make_shared<const Project>(*own) : nullptr;
    m_projectOf = run.directory;
  }
  refreshCard();
  refreshContinue();
  // Evaluation takes computing time, so a hidden page evaluates only when it is shown.
  if (run.directory == m_shown || !isVisible()) return;
  const Project* project = m_project.get();
  m_changes->setRun(run.directory, m_project);
  m_banner->hide();
  m_card->setMeasuredOn({});
  showNoEvaluation(tr("Evaluating…"));
  m_try->clear();
  // Without weights, no result can be computed.
  const bool hasWeights = !run.weightsPath.empty(), hasNumbers = project && !hasClasses(*project);
  m_mistakesFrame->setVisible(hasWeights && !hasNumbers);
  m_valuesFrame->setVisible(hasWeights && hasNumbers);
  if (run.weightsPath.empty()) {
    m_shown.clear();
    m_evaluator->setRun({});
    m_tryFrame->hide();
    m_filesFrame->hide();
    m_files->setRun({}, {});
    return;
  }
  m_shown = run.directory;
  m_filesFrame->show();
  m_files->setRun(run.directory, m_document.path().toStdString());
  m_evaluator->setRun(text(run.directory), m_document.path());
  const CheckedProject trained =
      project ? asTrained(*project, run.directory) : CheckedProject(Project());
  m_tryFrame->setVisible(project && takesDigits(trained));
  layOut();
  if (project) {
    const DatasetInfo& info = trained.data();
    if (info.isKnown && info.inputs[0].shape.rank() == 3)
      m_try->setInput(static_cast<int>(info.inputs[0].shape[0]),
                      static_cast<int>(info.inputs[0].shape[1]));
  }
}

void RunResults::showNoEvaluation(const QString& sentence) {
  m_mistakes->setRun(nullptr, sentence);
  m_values->setRun(nullptr, sentence);
  m_evaluated = nullptr;
  m_explanation->clear();
  m_explanationFrame->hide();
  m_scoresFrame->hide();
  m_evaluationFrame->hide();
}

void RunResults::showEvaluation(const std::shared_ptr<const EvaluatedRun>& run) {
  m_evaluated = run;
  refreshCard();
  m_mistakes->setRun(run);
  m_values->setRun(run);
  m_valuesFrame->setVisible(!run->values.empty());
  m_mistakesFrame->setVisible(run->values.empty());
  const bool hasClasses =
      run->output < run->figures.size() && run->figures[run->output].classes.has_value();
  if (hasClasses) {
    m_scores->setFigures(run->figures[run->output]);
    m_evaluation->setFigures(run, run->output);
  }
  m_scoresFrame->setVisible(hasClasses);
  m_evaluationFrame->setVisible(hasClasses);
  m_card->setMeasuredOn(
      run->isOnValidation()
          ? tr("There is no test set, so the results were measured on the validation data.")
          : QString());
}

/// Shows the run, with the result of the evaluation if its files have none, as of a run that
/// stopped early.
void RunResults::refreshCard() {
  if (!m_info) return;
  RunInfo run = *m_info;
  const bool hasResult = run.status == RunStatus::Running || run.testLoss || run.validationLoss;
  if (!hasResult && m_evaluated && m_evaluated->directory == run.directory) {
    const EvaluationResult& result = m_evaluated->evaluation;
    (m_evaluated->isOnValidation() ? run.validationLoss : run.testLoss) = result.loss;
    (m_evaluated->isOnValidation() ? run.validationMetrics : run.testMetrics) = result.metrics;
  }
  m_card->setRun(run, m_project.get());
  refreshStep();
}

/// Shows the step of the run that trains, which its files do not have yet.
void RunResults::refreshStep() {
  const ShownRun& run = m_run.shown();
  const bool isOfRun =
      m_info && m_run.isActive() && run.start && run.start->runDirectory == m_info->directory;
  if (isOfRun && isVisible()) m_card->setStep(run.step);
}

void RunResults::refreshContinue() {
  if (!m_info || !isVisible()) return;
  const Continuation next = continuationOf(m_document, usedRun(*m_info, m_project));
  const bool hasCheckpoint = !m_info->checkpoint.empty();
  m_card->setContinue(next.canContinue && !m_context.runs.isActive(),
                      hasCheckpoint ? next.text() : tr("Continue"), hasCheckpoint);
}

/// Puts the pad next to the mistakes if both fit, or else above them.
void RunResults::layOut() {
  m_isNarrow = width() < kRoomForPad;
  // The mistakes take the remaining width.
  m_tryFrame->setMaximumWidth(m_isNarrow ? QWIDGETSIZE_MAX : kTryWidth);
  m_classes->setDirection(m_isNarrow ? QBoxLayout::BottomToTop : QBoxLayout::LeftToRight);
}

void RunResults::showMessage(const QString& line, bool isFailure) {
  setRole(m_banner, isFailure ? "banner" : "strip");
  m_message->setText(line);
  m_banner->show();
  m_scroll->ensureVisible(0, 0);
}

void RunResults::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // Compare with m_isNarrow, because the old size in the event is invalid if the page was hidden.
  if (m_isNarrow != (width() < kRoomForPad)) layOut();
  m_card->layOut(width(), m_isNarrow);
}

/// Returns the paths of local files that are dragged.
static QStringList filesOf(const QMimeData& data) {
  QStringList paths;
  for (const QUrl& url : data.urls())
    if (url.isLocalFile()) paths << url.toLocalFile();
  return paths;
}

void RunResults::dragEnterEvent(QDragEnterEvent* event) {
  if (!m_shown.empty() && !filesOf(*event->mimeData()).isEmpty()) event->acceptProposedAction();
}

void RunResults::dropEvent(QDropEvent* event) {
  const QStringList paths = filesOf(*event->mimeData());
  if (m_shown.empty() || paths.isEmpty()) return;
  event->acceptProposedAction();
  m_files->predict(paths);
  QTimer::singleShot(0, this, [this] { m_scroll->ensureWidgetVisible(m_filesFrame); });
}

void RunResults::perform(const QString& action) {
  if (action == u"results.draw"_s) {
    m_try->focusPad();
    m_scroll->ensureWidgetVisible(m_tryFrame);
  }
  else if (action == u"results.mistakes"_s) {
    m_mistakes->focusList();
    m_scroll->ensureWidgetVisible(m_mistakes);
  }
  else if (action == u"results.export"_s) {
    chooseExport();
  }
}

void RunResults::chooseExport() {
  if (!m_info || m_info->weightsPath.empty()) return;
  auto* dialog =
      new QFileDialog(this, tr("Export weights of %1").arg(RunText::title(m_info->directory)));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  const QString packed = tr("NumPy (*.npz)");
  dialog->setNameFilters({tr("safetensors (*.safetensors)"), packed});
  dialog->setDefaultSuffix(u"safetensors"_s);
  connect(dialog, &QFileDialog::filterSelected, dialog, [dialog, packed](const QString& chosen) {
    dialog->setDefaultSuffix(chosen == packed ? u"npz"_s : u"safetensors"_s);
  });
  if (!m_document.path().isEmpty())
    dialog->setDirectory(QFileInfo(m_document.path()).absolutePath());
  dialog->selectFile(u"weights.safetensors"_s);
  connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& file) {
    showMessage(tr("Writing %1…").arg(file), false);
    m_evaluator->exportWeights(file);
  });
  dialog->open();
}

void RunResults::chooseReport(const QString& suffix) {
  if (!m_info) return;
  const bool isPdf = suffix == u"pdf"_s;
  auto* dialog = new QFileDialog(this, tr("Save the report"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(isPdf ? tr("PDF document (*.pdf)") : tr("HTML document (*.html)"));
  dialog->setDefaultSuffix(suffix);
  if (!m_document.path().isEmpty())
    dialog->setDirectory(QFileInfo(m_document.path()).absolutePath());
  dialog->selectFile(u"run-%1.%2"_s.arg(m_info->number).arg(suffix));
  connect(dialog, &QFileDialog::fileSelected, this,
          [this, directory = m_info->listedAt](const QString& file) {
            showMessage(tr("Writing %1…").arg(file), false);
            m_report->write(directory, m_evaluated, file);
          });
  dialog->open();
}

void RunResults::continueRun() {
  if (!m_info || m_context.runs.isActive()) return;
  continueOrAsk(
      window(), m_document, usedRun(*m_info, m_project), m_run,
      [this](const QString& weights) { m_context.navigation.trainFrom(weights); },
      [this] { m_context.navigation.showPage(PageId::Train); });
}

}  // namespace strata::ui
