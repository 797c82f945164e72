// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/results_page.h"

#include <QFileDialog>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/image_reading.h"
#include "core/runs/run_directory.h"
#include "gpu/base/error.h"
#include "ui/device_text.h"
#include "ui/dialogs/continue_question.h"
#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/models/run_item_model.h"
#include "ui/pages/design_change_line.h"
#include "ui/pages/pages.h"
#include "ui/pages/results/mistakes_card.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/pages/results/try_card.h"
#include "ui/pages/results/values_card.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/continuation.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/per_document.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kFigureGap = 28, kPageSides = 36, kCardSides = 34, kScrollBar = 10,
                     kRoomForBoth = 820, kTryWidth = 400;

Page makeResultsPage(const PageContext& context) {
  auto* view = new PerDocument(context.workspace,
                               [context](Document& document, QWidget* parent) -> QWidget* {
                                 return new ResultsPage(context, document, parent);
                               });
  // An action may arrive before the page was first shown. This slot then creates the page.
  QObject::connect(
      &context.navigation, &Navigation::actionRequested, view,
      [context, view](const QString& action) {
        if (!action.startsWith(u"results."_s) || !context.workspace.current()) return;
        context.navigation.showPage(PageId::Results);
        static_cast<ResultsPage*>(view->of(context.workspace.current()))->perform(action);
      });
  auto* runs =
      new PerDocument(context.workspace, [view](Document& document, QWidget* parent) -> QWidget* {
        QWidget* pane = static_cast<ResultsPage*>(view->of(&document))->runPane();
        pane->setParent(parent);
        return pane;
      });
  runs->setWindowTitle(ResultsPage::tr("Runs"));
  return {view, runs};
}

ResultsPage::ResultsPage(const PageContext& context, Document& document, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_document(document),
      m_run(context.runs.of(&document)),
      m_runs(new RunItemModel(this)),
      m_evaluator(new RunEvaluator(this)) {
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  m_runPane = new QWidget(this);
  setRole(m_runPane, "pane");
  auto* paneLayout = new QVBoxLayout(m_runPane);
  paneLayout->setContentsMargins(10, 12, 10, 10);
  paneLayout->setSpacing(6);
  auto* paneTitle = new QLabel(tr("RUNS"), m_runPane);
  setRole(paneTitle, "group");
  paneLayout->addWidget(paneTitle);
  m_list = new QListView(m_runPane);
  m_list->setModel(m_runs);
  m_list->setAccessibleName(tr("Runs of this project"));
  setRole(m_list, "runs");
  paneLayout->addWidget(m_list, 1);
  connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
    showRun();
    if (!m_isReloading) showInLenses();
  });
  connect(m_list, &QListView::clicked, this, &ResultsPage::showInLenses);
  m_stack = new QStackedWidget(this);
  layout->addWidget(m_stack, 1);

  auto* empty = new QWidget(this);
  auto* emptyLayout = new QVBoxLayout(empty);
  emptyLayout->addStretch();
  auto* sentence =
      new QLabel(tr("Runs of this project appear here with their accuracy, time, memory and "
                    "mistakes. You can also try the network on a drawing pad."),
                 empty);
  sentence->setAlignment(Qt::AlignCenter);
  sentence->setWordWrap(true);
  setRole(sentence, "muted");
  emptyLayout->addWidget(sentence);
  auto* train = new QPushButton(tr("Train"), empty);
  setRole(train, "primary");
  connect(train, &QPushButton::clicked, this,
          [this] { m_context.navigation.trigger(u"run.train"_s); });
  emptyLayout->addWidget(train, 0, Qt::AlignCenter);
  emptyLayout->addStretch();
  m_stack->addWidget(empty);

  m_scroll = new QScrollArea(this);
  m_scroll->setWidgetResizable(true);
  m_scroll->setAccessibleName(tr("The selected run"));
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  // The width of the cards must not depend on their height.
  m_scroll->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  auto* content = new QWidget(m_scroll);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(kPageSides / 2, 14, kPageSides / 2, 14);
  column->setSpacing(12);
  column->addLayout(makeNotes(content));
  column->addWidget(cardAround(makeRunCard(), content));
  m_mistakes = new MistakesCard(content);
  m_try = new TryCard(content);
  m_tryFrame = cardAround(m_try, content);
  m_mistakesFrame = cardAround(m_mistakes, content);
  m_values = new ValuesCard(content);
  m_valuesFrame = cardAround(m_values, content);
  m_valuesFrame->hide();
  m_grid = new QGridLayout;
  m_grid->setSpacing(12);
  m_grid->setColumnStretch(0, 1);
  m_grid->setRowStretch(1, 1);
  column->addLayout(m_grid, 1);
  layOut();
  m_scroll->setWidget(content);
  m_stack->addWidget(m_scroll);

  connect(m_try, &TryCard::asked, m_evaluator, &RunEvaluator::predict);
  connect(m_evaluator, &RunEvaluator::predicted, m_try, &TryCard::setAnswer);
  connect(m_evaluator, &RunEvaluator::evaluated, this,
          [this](const std::shared_ptr<const EvaluatedRun>& run) {
            m_mistakes->setRun(run);
            m_values->setRun(run);
            m_valuesFrame->setVisible(!run->values.empty());
            m_mistakesFrame->setVisible(run->values.empty());
            m_measuredOn->setText(
                tr("There is no test set, so the results were measured on the validation data."));
            m_measuredOn->setVisible(run->isOnValidation());
          });
  connect(m_evaluator, &RunEvaluator::unmeasurable, this, [this] {
    m_measuredOn->setText(
        tr("There is no test or validation data to evaluate on. Set a test or validation split on "
           "the Data page, then train a new run."));
    m_measuredOn->show();
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
            if (question == RunEvaluator::Question::Evaluate) {
              m_mistakes->setRun(nullptr, tr("not available; see the message above"));
              m_values->setRun(nullptr, tr("not available; see the message above"));
            }
            m_context.navigation.log(line);
          });
  connect(&m_run, &RunController::started, this, [this] {
    m_isStale = true;
    if (isVisible()) reload();
  });
  connect(&m_run, &RunController::ended, this, [this] {
    const std::string ended =
        m_run.shown().start ? m_run.shown().start->runDirectory : std::string();
    // Another run that the user looks at stays.
    const bool showsOther = isVisible() && chosen() && chosen()->directory != ended;
    // The run has new weights, so it must be evaluated again.
    if (!showsOther) m_shown.clear();
    m_projectOf.clear();
    reload(showsOther ? chosen()->directory : ended);
  });
  for (const auto signal : {&Document::changed, &Document::inspectionChanged})
    connect(&m_document, signal, this, &ResultsPage::refreshContinue);
  connect(&context.runs, &Runs::stateChanged, this, &ResultsPage::refreshContinue);
  // The runs belong to the path of the project, which may have changed.
  connect(&m_document, &Document::savedChanged, this, [this] { m_isStale = true; });
}

/// Makes the row of the page's message and of the line about changes of the design. It keeps its
/// place, so that the cards below it do not move.
QLayout* ResultsPage::makeNotes(QWidget* parent) {
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

QWidget* ResultsPage::makeRunCard() {
  auto* card = m_runCard = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(16, 12, 16, 14);
  layout->setSpacing(8);
  auto* head = new QHBoxLayout;
  auto* titles = new QVBoxLayout;
  titles->setSpacing(2);
  m_title = new ElidedLabel(card);
  setRole(m_title, "muted");
  m_headline = new QLabel(card);
  m_headline->setWordWrap(true);
  m_headline->setTextFormat(Qt::PlainText);
  setRole(m_headline, "title");
  m_measuredOn = new QLabel(card);
  m_measuredOn->setWordWrap(true);
  setRole(m_measuredOn, "muted");
  // It keeps its place, which needs a text.
  m_measuredOn->setText(u" "_s);
  keepPlace(m_measuredOn);
  m_measuredOn->hide();
  titles->addWidget(m_headline);
  titles->addWidget(m_measuredOn);
  head->addLayout(titles, 1);
  m_continue = new QPushButton(card);
  fixWidth(m_continue, {tr("Continue (step %1)").arg(formatCount(888'888)),
                        tr("Train %Ln more epoch(s)", nullptr, 888)});
  m_export = new QPushButton(tr("Export weights"), card);
  for (QPushButton* button : {m_continue, m_export})
    head->addWidget(button, 0, Qt::AlignTop);
  // It may be a long sentence, so it takes the whole width.
  layout->addWidget(m_title);
  layout->addLayout(head);
  m_figures = new QGridLayout;
  m_figures->setHorizontalSpacing(kFigureGap);
  m_figures->setVerticalSpacing(2);
  layout->addLayout(m_figures);
  connect(m_continue, &QPushButton::clicked, this, &ResultsPage::continueRun);
  connect(m_export, &QPushButton::clicked, this, &ResultsPage::chooseExport);
  return card;
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

/// Lets the lenses show the run that the user chooses.
void ResultsPage::showInLenses() {
  if (chosen()) m_context.runs.viewOf(&m_document).choose(chosen()->directory);
}

const RunInfo* ResultsPage::chosen() const {
  const int row = m_list->currentIndex().row();
  return row < 0 || row >= m_runs->rowCount() ? nullptr : &m_runs->runs()[static_cast<size_t>(row)];
}

void ResultsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_isStale)
    reload();
  else
    refreshContinue();
}

void ResultsPage::reload(const std::string& select) {
  std::string wanted = select;
  if (wanted.empty() && chosen()) wanted = chosen()->directory;
  m_isReloading = true;
  m_runs->setRuns(listRuns(m_document.project()));
  m_isStale = false;
  const int row = m_runs->rowOf(wanted);
  if (m_runs->rowCount() > 0) m_list->setCurrentIndex(m_runs->index(row >= 0 ? row : 0));
  m_isReloading = false;
  showRun();
}

void ResultsPage::showRun() {
  const RunInfo* run = chosen();
  m_stack->setCurrentIndex(run ? 1 : 0);
  if (!run) {
    m_evaluator->setRun({});
    m_shown.clear();
    m_changes->setRun({}, nullptr);
    return;
  }
  if (run->directory != m_projectOf) {
    const auto own = projectOfRun(run->directory, m_document.project().path());
    m_project = own ? std::make_shared<const Project>(*own) : nullptr;
    m_projectOf = run->directory;
  }
  fillCard(*run);
  if (run->directory == m_shown) return;
  const Project* project = m_project.get();
  m_changes->setRun(run->directory, m_project);
  m_banner->hide();
  m_measuredOn->hide();
  m_mistakes->setRun(nullptr, tr("Evaluating…"));
  m_values->setRun(nullptr, tr("Evaluating…"));
  m_try->clear();
  // Without weights, no result can be computed.
  const bool hasWeights = !run->weightsPath.empty(), hasNumbers = project && !hasClasses(*project);
  m_mistakesFrame->setVisible(hasWeights && !hasNumbers);
  m_valuesFrame->setVisible(hasWeights && hasNumbers);
  if (run->weightsPath.empty()) {
    m_shown.clear();
    m_evaluator->setRun({});
    m_tryFrame->hide();
    return;
  }
  // Evaluation takes computing time, so a hidden page evaluates only when it is shown.
  if (!isVisible()) {
    m_isStale = true;
    return;
  }
  m_shown = run->directory;
  m_evaluator->setRun(text(run->directory), m_document.path());
  const CheckedProject trained =
      project ? asTrained(*project, run->directory) : CheckedProject(Project());
  m_tryFrame->setVisible(project && takesDigits(trained));
  layOut();
  if (project) {
    const DatasetInfo& info = trained.data();
    if (info.isKnown && info.inputs[0].shape.rank() == 3)
      m_try->setInput(static_cast<int>(info.inputs[0].shape[0]),
                      static_cast<int>(info.inputs[0].shape[1]));
  }
}

/// Returns the most important result of a run, or "" if it has none.
static QString resultOf(const RunInfo& run) {
  const auto accuracyIn = [](const auto& metrics) {
    return !metrics.empty() && metrics.front().first.ends_with("accuracy");
  };
  if (accuracyIn(run.testMetrics))
    return ResultsPage::tr("%1 on new samples").arg(formatPercent(run.testMetrics.front().second));
  if (run.testLoss) return ResultsPage::tr("Test loss %1").arg(formatValue(*run.testLoss));
  if (accuracyIn(run.validationMetrics))
    return ResultsPage::tr("%1 on the validation data")
        .arg(formatPercent(run.validationMetrics.front().second));
  if (run.validationLoss)
    return ResultsPage::tr("Validation loss %1").arg(formatValue(*run.validationLoss));
  return {};
}

QString ResultsPage::headlineOf(const RunInfo& run) const {
  if (!run.error.empty()) return text(run.error);
  const QString result = resultOf(run);
  if (result.isEmpty()) return runStatusText(run);
  // The time of an interrupted run is unknown.
  return run.seconds > 0 ? tr("%1, %2").arg(result, formatSeconds(run.seconds)) : result;
}

void ResultsPage::fillCard(const RunInfo& run) {
  const QString title =
      tr("%1, %2, %3").arg(runTitle(run), runStatusText(run), deviceTitle(run.device));
  RunOutcome outcome;
  outcome.endedBy = run.endedBy;
  outcome.restoredBy = run.restoredBy;
  outcome.restoredEpoch = run.restoredEpoch;
  const int64_t perEpoch = std::max<int64_t>(1, run.start.stepsPerEpoch);
  outcome.epochs = (run.steps + perEpoch - 1) / perEpoch;
  const QString end = RunText::earlyEnd(outcome, m_project.get());
  m_title->setText(end.isEmpty() ? title : tr("%1. %2").arg(title, end));
  const QString headline = headlineOf(run);
  // An error message starts with a name, which keeps its case.
  m_headline->setText(run.error.empty() ? headline.left(1).toUpper() + headline.mid(1) : headline);

  for (const auto& [name, value] : m_cells) {
    delete name;
    delete value;
  }
  m_cells.clear();
  const auto figure = [&](const QString& name, const QString& value) {
    auto* nameLabel = new QLabel(name, m_runCard);
    setRole(nameLabel, "muted");
    auto* valueLabel = new QLabel(value, m_runCard);
    valueLabel->setTextFormat(Qt::RichText);
    m_cells.emplace_back(nameLabel, valueLabel);
  };
  if (run.testLoss) figure(tr("Test loss"), formatValue(*run.testLoss));
  for (const auto& [name, value] : run.testMetrics)
    figure(tr("Test %1").arg(metricTitle(name).toLower()),
           name.ends_with("accuracy") ? formatPercent(value) : formatValue(value));
  if (run.validationLoss) figure(tr("Validation loss"), formatValue(*run.validationLoss));
  if (!run.testLoss)
    for (const auto& [name, value] : run.validationMetrics)
      figure(tr("Validation %1").arg(metricTitle(name).toLower()),
             name.ends_with("accuracy") ? formatPercent(value) : formatValue(value));
  figure(tr("Steps"), run.totalSteps > 0
                          ? tr("%1 of %2").arg(formatCount(run.steps), formatCount(run.totalSteps))
                          : formatCount(run.steps));
  if (run.seconds > 0) figure(tr("Time"), formatSeconds(run.seconds));
  if (run.peakBytes > 0)
    figure(tr("Peak memory"), tr("%1, <i>predicted %2</i>&nbsp;")
                                  .arg(formatBytes(static_cast<double>(run.peakBytes)),
                                       formatBytes(static_cast<double>(run.plannedPeakBytes))));
  figure(tr("Parameters"), formatCount(run.parameters));
  layOutFigures();

  m_export->setEnabled(!run.weightsPath.empty());
  refreshContinue();
}

void ResultsPage::refreshContinue() {
  const RunInfo* run = isVisible() ? chosen() : nullptr;
  if (!run) return;
  const Continuation next = continuationOf(m_document, usedRun(*run, m_project));
  m_continue->setEnabled(next.canContinue && !m_context.runs.isActive());
  const bool hasCheckpoint = !run->checkpoint.empty();
  const QString words = hasCheckpoint ? next.text() : tr("Continue");
  m_continue->setText(words);
  const QFontMetrics metrics = m_continue->fontMetrics();
  const int sides = m_continue->sizeHint().width() - metrics.horizontalAdvance(words);
  m_continue->setText(
      metrics.elidedText(words, Qt::ElideRight, m_continue->maximumWidth() - sides));
  if (hasCheckpoint)
    m_continue->setToolTip(m_continue->text() == words ? QString() : words);
  else
    m_continue->setToolTip(tr("The run has no checkpoint from which it could continue"));
  m_continue->setAccessibleName(words);
}

/// Arranges the values in as many columns as fit without cutting text off.
void ResultsPage::layOutFigures() {
  const int room = width() - kScrollBar - kPageSides - kCardSides,
            count = static_cast<int>(m_cells.size());
  std::vector<int> widths;
  for (const auto& [name, value] : m_cells) {
    for (QLabel* label : {name, value})
      label->ensurePolished();
    widths.push_back(std::max(name->sizeHint().width(), value->sizeHint().width()) + kFigureGap);
  }
  // In a narrow page the number of rows must not depend on digits, which would move the cards.
  constexpr int kNarrowColumns = 3;
  int columns = std::max(1, width() < kRoomForBoth ? std::min(count, kNarrowColumns) : count);
  for (; columns > 1; --columns) {
    int total = 0;
    for (int column = 0; column < columns; ++column) {
      int widest = 0;
      for (int i = column; i < count; i += columns)
        widest = std::max(widest, widths[static_cast<size_t>(i)]);
      total += widest;
    }
    if (total <= room) break;
  }
  for (int column = 0; column < m_figures->columnCount(); ++column)
    m_figures->setColumnStretch(column, 0);
  for (int row = 0; row < m_figures->rowCount(); ++row)
    m_figures->setRowMinimumHeight(row, 0);
  for (int i = 0; i < count; ++i) {
    const auto& [name, value] = m_cells[static_cast<size_t>(i)];
    const int row = i / columns * 2;
    m_figures->removeWidget(name);
    m_figures->removeWidget(value);
    m_figures->addWidget(name, row, i % columns, Qt::AlignBottom);
    m_figures->addWidget(value, row + 1, i % columns);
    if (row > 0) m_figures->setRowMinimumHeight(row, name->sizeHint().height() + 6);
  }
  m_figures->setColumnStretch(columns, 1);
}

/// Puts the pad next to the mistakes if both fit, or else above them.
void ResultsPage::layOut() {
  m_isNarrow = width() < kRoomForBoth;
  // The mistakes take the remaining width.
  m_tryFrame->setMaximumWidth(m_isNarrow ? QWIDGETSIZE_MAX : kTryWidth);
  m_grid->removeWidget(m_tryFrame);
  m_grid->removeWidget(m_mistakesFrame);
  m_grid->removeWidget(m_valuesFrame);
  if (m_isNarrow || m_tryFrame->isHidden()) {
    m_grid->addWidget(m_tryFrame, 0, 0, 1, 2);
    m_grid->addWidget(m_mistakesFrame, 1, 0, 1, 2);
  }
  else {
    m_grid->addWidget(m_mistakesFrame, 0, 0, 2, 1);
    m_grid->addWidget(m_tryFrame, 0, 1, Qt::AlignTop);
  }
  m_grid->addWidget(m_valuesFrame, 1, 0, 1, 2);
}

void ResultsPage::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // Compare with m_isNarrow, because the old size in the event is invalid if the page was hidden.
  if (m_isNarrow != (width() < kRoomForBoth)) layOut();
  layOutFigures();
}

void ResultsPage::showMessage(const QString& line, bool isFailure) {
  setRole(m_banner, isFailure ? "banner" : "strip");
  m_message->setText(line);
  m_banner->show();
  m_scroll->ensureVisible(0, 0);
}

void ResultsPage::perform(const QString& action) {
  if (m_isStale)
    reload();
  else
    showRun();
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

void ResultsPage::chooseExport() {
  const RunInfo* run = chosen();
  if (!run || run->weightsPath.empty()) return;
  auto* dialog = new QFileDialog(this, tr("Export weights"));
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

void ResultsPage::continueRun() {
  const RunInfo* run = chosen();
  if (!run || m_context.runs.isActive()) return;
  continueOrAsk(
      window(), m_document, usedRun(*run, m_project), m_run,
      [this](const QString& weights) { m_context.navigation.trainFrom(weights); },
      [this] { m_context.navigation.showPage(PageId::Train); });
}

}  // namespace strata::ui
