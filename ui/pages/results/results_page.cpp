// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/results_page.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListView>
#include <QPushButton>
#include <QStackedWidget>
#include <QVBoxLayout>
#include <filesystem>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/runs/run_directory.h"
#include "gpu/base/error.h"
#include "ui/dialogs/clean_dialog.h"
#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/models/run_item_model.h"
#include "ui/pages/pages.h"
#include "ui/pages/results/comparison_view.h"
#include "ui/pages/results/run_results.h"
#include "ui/pages/results/runs_view.h"
#include "ui/run/recording.h"
#include "ui/run/replay.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_list.h"
#include "ui/run/run_text.h"
#include "ui/segments.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/per_document.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

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
        auto* page = static_cast<ResultsPage*>(view->of(context.workspace.current()));
        // From another page, it means the run that the lenses show
        const auto& start = context.runs.viewOf(context.workspace.current()).shown().start;
        const std::string run = !page->isVisible() && start ? start->runDirectory : std::string();
        context.navigation.showPage(PageId::Results);
        page->perform(action, run);
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
      m_list(new RunList(document, this)),
      m_items(new RunItemModel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  makePane();
  layout->addLayout(makeHead());
  m_stack = new QStackedWidget(this);
  layout->addWidget(m_stack, 1);
  // A blank page, until the runs are read
  m_stack->addWidget(new QWidget(this));
  m_empty = makeEmptyView();
  m_results = new RunResults(context, document, this);
  m_table = new RunsView(*m_list, this);
  m_comparison = new ComparisonView(document, this);
  for (QWidget* view : std::initializer_list<QWidget*>{m_empty, m_results, m_table, m_comparison})
    m_stack->addWidget(view);
  connectViews();

  connect(m_list, &RunList::changed, this, &ResultsPage::onRunsRead);
  connect(m_list, &RunList::undoableChanged, this, [this] {
    m_hasOtherRuns = true;
    showUndo();
  });
  connect(m_list, &RunList::failed, this, &ResultsPage::showFailure);
  connect(&m_run, &RunController::started, this, [this] {
    m_isStale = true;
    if (isVisible()) reload();
  });
  connect(&m_run, &RunController::ended, this, [this] {
    const std::string ended =
        m_run.shown().start ? m_run.shown().start->runDirectory : std::string();
    // Another run that the user looks at stays.
    const RunInfo* run = isVisible() ? chosen() : nullptr;
    const bool showsOther = run && run->directory != ended;
    // The run has new weights, so it must be evaluated again.
    m_hasNewWeights = m_hasNewWeights || !showsOther;
    reload(showsOther ? run->directory : ended);
  });
  // The runs belong to the path of the project, which may have changed.
  connect(&m_document, &Document::savedChanged, this, [this] { m_isStale = true; });
}

void ResultsPage::makePane() {
  m_runPane = new QWidget(this);
  setRole(m_runPane, "pane");
  // The left pane shows it, unless it is folded
  m_runPane->hide();
  auto* column = new QVBoxLayout(m_runPane);
  column->setContentsMargins(10, 12, 10, 10);
  column->setSpacing(6);
  auto* title = new QLabel(tr("RUNS"), m_runPane);
  setRole(title, "group");
  column->addWidget(title);
  m_pane = new QListView(m_runPane);
  m_pane->setModel(m_items);
  m_pane->setUniformItemSizes(true);
  m_pane->setAccessibleName(tr("Runs of this project"));
  setRole(m_pane, "runs");
  m_pane->installEventFilter(this);
  column->addWidget(m_pane, 1);
  connect(m_pane->selectionModel(), &QItemSelectionModel::currentChanged, this, [this] {
    if (m_isReloading) return;
    showRun();
    showInLenses();
  });
  connect(m_pane, &QListView::clicked, this, &ResultsPage::showInLenses);
}

/// Makes the row of the views and of the notice that offers to undo a deletion. The notice keeps
/// its place.
QLayout* ResultsPage::makeHead() {
  auto* row = new QHBoxLayout;
  row->setContentsMargins(18, 10, 18, 6);
  row->setSpacing(12);
  m_views = new Segments(this);
  m_views->setAccessibleName(tr("Views of the runs"));
  m_views->add(kOneRun, tr("Run"));
  m_views->add(kAllRuns, tr("All runs"));
  m_views->add(kComparison, tr("Compare"));
  m_views->setCurrent(kOneRun);
  m_views->setEnabled(false);
  connect(m_views, &Segments::chosen, this, [this](int id) {
    if (id == kComparison && m_table->selected().size() >= 2)
      compare();
    else
      showView(static_cast<View>(id));
  });
  row->addWidget(m_views);
  m_undo = new QFrame(this);
  setRole(m_undo, "strip");
  auto* notice = new QHBoxLayout(m_undo);
  notice->setContentsMargins(10, 0, 4, 0);
  m_undoText = new ElidedLabel(m_undo);
  notice->addWidget(m_undoText, 1);
  auto* undo = new QPushButton(tr("Undo"), m_undo);
  setRole(undo, "link");
  undo->setToolTip(tr("Restores the runs."));
  connect(undo, &QPushButton::clicked, m_list, &RunList::undo);
  notice->addWidget(undo);
  keepPlace(m_undo);
  m_undo->hide();
  row->addWidget(m_undo, 1);
  return row;
}

QWidget* ResultsPage::makeEmptyView() {
  auto* empty = new QWidget(this);
  auto* column = new QVBoxLayout(empty);
  column->addStretch();
  auto* sentence =
      new QLabel(tr("Runs of this project appear here with their accuracy, time, memory and "
                    "mistakes. You can also try the network on a drawing pad."),
                 empty);
  sentence->setAlignment(Qt::AlignCenter);
  sentence->setWordWrap(true);
  setRole(sentence, "muted");
  column->addWidget(sentence);
  auto* train = new QPushButton(tr("Train"), empty);
  setRole(train, "primary");
  connect(train, &QPushButton::clicked, this, [this] {
    if (m_context.runs.replayOf(&m_document))
      m_context.navigation.showPage(PageId::Train);
    else
      m_context.navigation.trigger(u"run.train"_s);
  });
  m_emptyText = sentence;
  m_emptyButton = train;
  column->addWidget(train, 0, Qt::AlignCenter);
  column->addStretch();
  return empty;
}

/// Says where the run of a recording is, which has no weights to evaluate.
void ResultsPage::describeRecording() {
  const Replay* replay = m_context.runs.replayOf(&m_document);
  if (!replay) return;
  const Recording& recording = replay->recording();
  m_emptyText->setText(tr("%1, %2. Its curves, memory and times are on Train. To evaluate its "
                          "network, open the project in which it was trained.")
                           .arg(RunText::recording(recording), runStatusText(recording.run.info)));
  m_emptyButton->setText(tr("Show on Train"));
}

void ResultsPage::connectViews() {
  connect(m_results, &RunResults::cloneRequested, this, [this] {
    if (chosen()) clone(chosen()->listedAt);
  });
  connect(m_results, &RunResults::trainAgainRequested, this, [this] {
    if (chosen()) trainAgain({chosen()->listedAt});
  });
  connect(m_table, &RunsView::trainAgainRequested, this,
          [this] { trainAgain(m_table->selected()); });
  connect(m_results, &RunResults::deleteRequested, this, [this] {
    if (chosen()) m_list->remove({chosen()->listedAt});
  });
  connect(m_table, &RunsView::selectedOne, this, [this](const std::string& run) {
    if (const int row = m_items->rowOf(run); row >= 0) m_pane->setCurrentIndex(m_items->index(row));
  });
  const auto open = [this](const std::string& run) {
    if (const int row = m_items->rowOf(run); row >= 0) m_pane->setCurrentIndex(m_items->index(row));
    showView(kOneRun);
  };
  connect(m_table, &RunsView::opened, this, open);
  connect(m_comparison, &ComparisonView::opened, this, open);
  connect(m_table, &RunsView::compareRequested, this, &ResultsPage::compare);
  connect(m_table, &RunsView::curvesRequested, this, [this] { showCurves(m_table->selected()); });
  connect(m_comparison, &ComparisonView::curvesRequested, this, [this] {
    std::vector<std::string> runs;
    for (const RunRow& row : m_comparison->rows())
      runs.push_back(row.info.listedAt);
    showCurves(runs);
  });
  connect(m_table, &RunsView::cloneRequested, this, [this] {
    if (!m_table->selected().empty()) clone(m_table->selected().front());
  });
  connect(m_table, &RunsView::deleteRequested, this,
          [this] { m_list->remove(m_table->selected()); });
  connect(m_table, &RunsView::cleanRequested, this, &ResultsPage::clean);
  connect(m_table, &RunsView::archivedShown, this, &ResultsPage::onRunsRead);
}

/// Lets the lenses show the run that the user chooses.
void ResultsPage::showInLenses() {
  if (chosen()) m_context.runs.viewOf(&m_document).choose(chosen()->directory);
}

const RunInfo* ResultsPage::chosen() const {
  const int row = m_pane->currentIndex().row();
  return row < 0 || row >= m_items->rowCount() ? nullptr
                                               : &m_items->runs()[static_cast<size_t>(row)];
}

void ResultsPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  describeRecording();
  if (m_isStale) reload();
}

void ResultsPage::reload(const std::string& select) {
  if (!select.empty()) m_wanted = select;
  m_isStale = false;
  m_list->read();
}

void ResultsPage::onRunsRead() {
  const std::string asked = std::exchange(m_wanted, {});
  const RunInfo* former = chosen();
  const std::string wanted = asked.empty() && former ? former->listedAt : asked;
  std::vector<RunInfo> runs;
  QStringList titles;
  for (const RunRow& row : m_list->content()->rows) {
    // A run that is asked for is listed, too
    const bool isAsked = row.info.listedAt == asked || row.info.directory == asked;
    if (row.notes.isArchived && !m_table->isArchivedShown() && !isAsked) continue;
    runs.push_back(row.info);
    titles << text(row.notes.title);
  }
  if (std::exchange(m_hasNewWeights, false)) m_results->forget();
  if (std::exchange(m_hasOtherRuns, false)) followRuns();
  m_isReloading = true;
  m_items->setRuns(std::move(runs), std::move(titles));
  const int row = m_items->rowOf(wanted);
  if (m_items->rowCount() > 0) m_pane->setCurrentIndex(m_items->index(row >= 0 ? row : 0));
  m_isReloading = false;
  showRun();
  leaveDeleted();
  if (const QString action = std::exchange(m_action, {}); !action.isEmpty())
    m_results->perform(action);
}

/// Lets the lenses leave a run that is no longer listed, and no longer compare those.
void ResultsPage::leaveDeleted() {
  const auto isListed = [this](const std::string& run) {
    return std::ranges::any_of(m_list->content()->rows, [&](const RunRow& row) {
      return row.info.directory == run || row.info.listedAt == run;
    });
  };
  RunView& view = m_context.runs.viewOf(&m_document);
  const auto& start = view.shown().start;
  if (view.isChosen() && start && !isListed(start->runDirectory)) {
    if (chosen())
      showInLenses();
    else
      view.showCurrent();
  }
  std::vector<std::string> compared = view.compared();
  std::erase_if(compared, [&](const std::string& run) { return !isListed(run); });
  if (compared.size() != view.compared().size()) view.compareWith(std::move(compared));
}

/// Reads the last run of the project again if another one is the last one now.
void ResultsPage::followRuns() {
  std::string last;
  for (const RunRow& row : m_list->content()->rows)
    if (row.info.steps > 0) last = row.info.directory;
  const auto& start = m_run.shown().start;
  if (last != (start ? start->runDirectory : std::string())) m_context.runs.reread(&m_document);
}

void ResultsPage::showView(View view) {
  m_views->setCurrent(view);
  showStack();
  if (view == kAllRuns && chosen() && m_table->selected().empty())
    m_table->select(chosen()->listedAt);
}

void ResultsPage::showStack() {
  const bool hasRuns = !m_list->content()->rows.empty();
  m_views->setEnabled(hasRuns);
  if (!m_list->isRead())
    m_stack->setCurrentIndex(0);
  else if (hasRuns && m_views->current() == kAllRuns)
    m_stack->setCurrentWidget(m_table);
  else if (hasRuns && m_views->current() == kComparison)
    m_stack->setCurrentWidget(m_comparison);
  else
    m_stack->setCurrentWidget(chosen() ? static_cast<QWidget*>(m_results) : m_empty);
}

void ResultsPage::showRun() {
  showStack();
  m_results->setRun(chosen());
}

void ResultsPage::showUndo() {
  const std::vector<DeletedRun> runs = m_list->undoable();
  m_undo->setVisible(!runs.empty());
  if (runs.empty()) return;
  m_undoText->setText(
      runs.size() == 1
          ? tr("%1 is in the trash.").arg(RunText::title(runs[0].directory()))
          : tr("%Ln run(s) are in the trash.", nullptr, static_cast<int>(runs.size())));
}

/// Handles the key that undoes, if there is a deletion to undo. Text fields with a change of their
/// own take the key before.
bool ResultsPage::undoDeletion(QEvent* event) {
  if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress) return false;
  auto* key = static_cast<QKeyEvent*>(event);
  if (!key->matches(QKeySequence::Undo) || m_list->undoable().empty()) return false;
  key->accept();
  if (event->type() == QEvent::KeyPress) m_list->undo();
  return true;
}

bool ResultsPage::event(QEvent* event) { return undoDeletion(event) || QWidget::event(event); }

bool ResultsPage::eventFilter(QObject* watched, QEvent* event) {
  return (watched == m_pane && undoDeletion(event)) || QWidget::eventFilter(watched, event);
}

void ResultsPage::compare() {
  std::vector<RunRow> rows;
  for (const std::string& run : m_table->selected())
    if (const RunRow* row = m_list->find(run)) rows.push_back(*row);
  m_comparison->setRuns(std::move(rows));
  showView(kComparison);
}

void ResultsPage::showCurves(const std::vector<std::string>& runs) {
  std::vector<std::string> directories;
  for (const std::string& run : runs)
    if (const RunRow* row = m_list->find(run)) directories.push_back(row->info.directory);
  if (directories.empty()) return;
  RunView& view = m_context.runs.viewOf(&m_document);
  view.choose(directories.front());
  view.compareWith(directories);
  m_context.navigation.showLens(u"curves"_s);
}

/// Makes paths of files absolute that are relative to the project of the run, because the new
/// project has no file yet.
static void makePathsAbsolute(Json& project, const std::string& projectFile) {
  namespace fs = std::filesystem;
  if (projectFile.empty() || !project.contains("data") || !project["data"].contains("source"))
    return;
  for (auto& [key, value] : project["data"]["source"].items()) {
    if (!value.is_string()) continue;
    const fs::path path = value.get<std::string>();
    std::error_code error;
    if (path.empty() || path.is_absolute()) continue;
    const fs::path whole = fs::path(projectFile).parent_path() / path;
    if (fs::exists(whole, error)) value = whole.lexically_normal().string();
  }
}

void ResultsPage::clone(const std::string& listedAt) {
  const RunRow* row = m_list->find(listedAt);
  if (!row || !row->project) {
    showFailure(tr("The project of this run cannot be read, so it cannot be cloned."));
    return;
  }
  Project copy = *row->project;
  makePathsAbsolute(copy.document(), m_document.project().path());
  copy.document()["name"] =
      tr("%1, %2").arg(m_document.name(), RunText::title(listedAt).toLower()).toStdString();
  m_context.workspace.addNew(std::move(copy));
  m_context.navigation.showPage(PageId::Design);
}

/// Trains new runs of the open project, each with the design and the settings of one of these runs.
void ResultsPage::trainAgain(const std::vector<std::string>& runs) {
  const bool isFirst = !m_context.runs.isActive();
  for (const std::string& run : runs) {
    const RunRow* row = m_list->find(run);
    if (!row || !row->project) {
      showFailure(tr("The project of %1 cannot be read, so it cannot be trained again.")
                      .arg(RunText::title(run)));
      return;
    }
    Project project = *row->project;
    project.setPath(m_document.project().path());
    try {
      CheckedProject(project).requireSound();
    }
    catch (const Error& error) {
      showFailure(text(error.line()));
      return;
    }
    m_context.runs.start(&m_document, project);
  }
  if (isFirst) m_context.navigation.showPage(PageId::Train);
}

void ResultsPage::clean() {
  auto* dialog = new CleanDialog(m_list->content(), window());
  connect(dialog, &CleanDialog::agreed, m_list, &RunList::clean);
  dialog->open();
}

void ResultsPage::showFailure(const QString& line) {
  m_results->showMessage(line, true);
  m_table->showProblem(line);
  m_context.navigation.log(line);
}

void ResultsPage::perform(const QString& action, const std::string& run) {
  showView(kOneRun);
  const int row = m_items->rowOf(run);
  if (m_isStale || !m_list->isRead() || (row < 0 && !run.empty())) {
    m_action = action;
    reload(run);
    return;
  }
  if (row >= 0) m_pane->setCurrentIndex(m_items->index(row));
  showRun();
  m_results->perform(action);
}

}  // namespace strata::ui
