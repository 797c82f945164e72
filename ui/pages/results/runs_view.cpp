// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/runs_view.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFrame>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QItemSelectionModel>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSettings>
#include <QSignalBlocker>
#include <QStackedWidget>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/format.h"
#include "ui/models/run_table_model.h"
#include "ui/pages/results/notes_form.h"
#include "ui/pages/results/parallel_plot.h"
#include "ui/row_view.h"
#include "ui/run/run_list.h"
#include "ui/segments.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr QLatin1String kColumnsKey("results/columns"), kArchivedKey("results/archived"),
    kOrderKey("results/order"), kDescendingKey("results/descending");
static constexpr int kMaxColumnWidth = 220;
// The views of the runs
static constexpr int kTable = 0, kLines = 1;

RunsView::RunsView(RunList& runs, QWidget* parent)
    : QWidget(parent), m_runs(runs), m_model(new RunTableModel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(18, 4, 18, 14);
  column->setSpacing(8);
  column->addLayout(makeControls());
  makeTable();
  m_stack = new QStackedWidget(this);
  m_stack->addWidget(cardAround(m_table, this));
  m_stack->addWidget(makeLines());
  column->addWidget(m_stack, 1);
  m_status = new QLabel(this);
  m_status->setTextFormat(Qt::PlainText);
  m_status->setWordWrap(true);
  setRole(m_status, "muted");
  column->addWidget(m_status);
  column->addLayout(makeActions());
  m_notes = new NotesForm(this);
  column->addWidget(cardAround(m_notes, this));
  connect(m_notes, &NotesForm::edited, &m_runs, &RunList::setNotes);
  connect(&m_runs, &RunList::changed, this, &RunsView::showContent);
  const QSettings settings;
  m_model->setColumns(settings.value(kColumnsKey).toStringList());
  m_model->setOrder(
      settings.value(kOrderKey, u"number"_s).toString(),
      settings.value(kDescendingKey, true).toBool() ? Qt::DescendingOrder : Qt::AscendingOrder);
  m_archived->setChecked(settings.value(kArchivedKey, false).toBool());
  showContent();
}

QLayout* RunsView::makeControls() {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  m_views = new Segments(this);
  m_views->setAccessibleName(tr("How the runs are shown"));
  m_views->add(kTable, tr("Table"));
  m_views->add(kLines, tr("Lines"))
      ->setToolTip(tr("One line for each run, over an axis for each setting that differs"));
  m_views->setCurrent(kTable);
  connect(m_views, &Segments::chosen, this, [this](int view) {
    m_stack->setCurrentIndex(view);
    m_columns->setEnabled(view == kTable);
    fillLines();
  });
  row->addWidget(m_views);
  m_filter = new QLineEdit(this);
  m_filter->setPlaceholderText(tr("Filter, such as: good val_accuracy>0.9"));
  m_filter->setAccessibleName(tr("Filter of the runs"));
  m_filter->setToolTip(
      tr("Shows the runs that have all words in their title, notes, tags, status or device. "
         "Comparisons such as status=finished, tag=good or val_loss<0.1 use a column."));
  m_filter->setClearButtonEnabled(true);
  connect(m_filter, &QLineEdit::textChanged, this, &RunsView::filter);
  row->addWidget(m_filter, 1);
  m_archived = new QCheckBox(tr("Archived"), this);
  m_archived->setToolTip(tr("Also shows archived runs."));
  connect(m_archived, &QCheckBox::toggled, this, [this](bool on) {
    QSettings().setValue(kArchivedKey, on);
    m_model->setArchivedShown(on);
    Q_EMIT archivedShown();
    fillLines();
    onSelection();
  });
  row->addWidget(m_archived);
  m_columns = new QPushButton(tr("Columns"), this);
  setRole(m_columns, "menu");
  auto* menu = new QMenu(m_columns);
  menu->setToolTipsVisible(true);
  m_columns->setMenu(menu);
  connect(menu, &QMenu::aboutToShow, this, &RunsView::fillColumnMenu);
  row->addWidget(m_columns);
  m_clean = new QPushButton(tr("Clean up…"), this);
  m_clean->setToolTip(tr("Proposes runs to delete, by rules."));
  connect(m_clean, &QPushButton::clicked, this, &RunsView::cleanRequested);
  row->addWidget(m_clean);
  return row;
}

void RunsView::makeTable() {
  m_table = new QTableView(this);
  m_table->setModel(m_model);
  m_table->setAccessibleName(tr("Table of all runs"));
  m_table->setShowGrid(false);
  m_table->setWordWrap(false);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setSelectionMode(QAbstractItemView::ExtendedSelection);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setTabKeyNavigation(false);
  m_table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 12);
  QHeaderView* header = m_table->horizontalHeader();
  header->setSectionsClickable(true);
  header->setStretchLastSection(true);
  m_table->setSortingEnabled(true);
  connect(header, &QHeaderView::sortIndicatorChanged, this, [this](int section, auto order) {
    if (section < 0) return;
    QSettings settings;
    settings.setValue(kOrderKey, text(m_model->columns()[static_cast<size_t>(section)].id));
    settings.setValue(kDescendingKey, order == Qt::DescendingOrder);
  });
  alignTitles(m_table);
  m_table->installEventFilter(this);
  connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this, [this] {
    if (m_isReloading) return;
    m_problem.clear();
    onSelection();
  });
  connect(m_table, &QTableView::doubleClicked, this, [this](const QModelIndex& index) {
    Q_EMIT opened(m_model->run(index.row()).info.listedAt);
  });
}

QWidget* RunsView::makeLines() {
  auto* content = new QWidget(this);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(14, 10, 14, 10);
  auto* row = new QHBoxLayout;
  m_axes = new QLabel(content);
  m_axes->setTextFormat(Qt::PlainText);
  setRole(m_axes, "muted");
  row->addWidget(m_axes, 1);
  m_result = new QComboBox(content);
  m_result->setAccessibleName(tr("Result on the last axis"));
  m_result->setToolTip(m_result->accessibleName());
  connect(m_result, &QComboBox::currentIndexChanged, this, &RunsView::fillLines);
  row->addWidget(m_result);
  column->addLayout(row);
  m_lines = new ParallelPlot(content);
  connect(m_lines, &ParallelPlot::chosen, this, &RunsView::selectRow);
  column->addWidget(m_lines, 1);
  return cardAround(content, this);
}

/// Offers the results that runs have.
void RunsView::fillResults() {
  const QString before = m_result->currentData().toString();
  const QSignalBlocker blocker(m_result);
  m_result->clear();
  for (const RunColumn& column : m_model->allColumns()) {
    const bool hasValue = std::ranges::any_of(m_runs.content()->rows, [&](const RunRow& row) {
      return cellOf(row, column).number.has_value();
    });
    if (column.direction != Direction::None && hasValue)
      m_result->addItem(columnTitle(column), text(column.id));
  }
  int wanted = m_result->findData(before);
  // The best value on the validation data is what the user compares first
  for (int i = 0; wanted < 0 && i < m_result->count(); ++i)
    if (m_result->itemData(i).toString().startsWith(u"best_val_"_s)) wanted = i;
  m_result->setCurrentIndex(std::max(0, wanted));
}

/// Draws the runs of the table as lines.
void RunsView::fillLines() {
  if (m_views->current() != kLines) return;
  constexpr size_t kMaxSettings = 7;
  std::vector<const RunRow*> rows;
  for (int row = 0; row < m_model->rowCount(); ++row)
    rows.push_back(&m_model->run(row));
  std::vector<RunColumn> columns;
  size_t different = 0;
  QString result = m_result->currentData().toString();
  std::optional<RunColumn> last;
  for (const RunColumn& column : m_model->allColumns()) {
    if (text(column.id) == result) last = column;
    if (!column.id.starts_with('/')) continue;
    const auto cell = [&](const RunRow* row) {
      return cellOf(*row, column).toJson();
    };
    // The filter may have left runs with equal values
    const bool isEqual = std::ranges::all_of(
        rows, [&](const RunRow* row) { return cell(row) == cell(rows.front()); });
    if (isEqual) continue;
    ++different;
    if (columns.size() < kMaxSettings) columns.push_back(column);
  }
  if (different == 0)
    m_axes->setText(tr("All settings of these runs are equal."));
  else if (different > columns.size())
    m_axes->setText(tr("The first %1 of %2 settings that differ. A filter of runs leaves fewer.")
                        .arg(columns.size())
                        .arg(different));
  else
    m_axes->setText(tr("%Ln setting(s) that differ", nullptr, pluralOf(std::ssize(columns))));
  if (last) columns.push_back(*last);
  m_lines->setRuns(rows, columns);
  m_lines->setSelected(selected());
}

QLayout* RunsView::makeActions() {
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  const auto add = [&](const QString& words, const QString& tip, auto signal) {
    auto* button = new QPushButton(words, this);
    button->setToolTip(tip);
    connect(button, &QPushButton::clicked, this, signal);
    row->addWidget(button);
    return button;
  };
  m_compare = add(tr("Compare"), tr("Compares the settings, layers and results of these runs."),
                  &RunsView::compareRequested);
  m_curves = add(tr("Show curves"), tr("Shows the curves of these runs in the same plots."),
                 &RunsView::curvesRequested);
  m_again = add(tr("Train again"),
                tr("Trains a new run with the design and the settings of each of these runs, "
                   "from initial weights. They wait while another run is active."),
                &RunsView::trainAgainRequested);
  m_clone = add(tr("Clone"), tr("Opens the project of the run as a new project."),
                &RunsView::cloneRequested);
  row->addStretch();
  m_delete = add(tr("Delete"), tr("Moves the runs to the trash. This can be undone."),
                 &RunsView::deleteRequested);
  return row;
}

bool RunsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched != m_table || event->type() != QEvent::KeyPress)
    return QWidget::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key == Qt::Key_Delete && m_delete->isEnabled()) {
    Q_EMIT deleteRequested();
    return true;
  }
  if ((key == Qt::Key_Return || key == Qt::Key_Enter) && m_table->currentIndex().isValid()) {
    Q_EMIT opened(m_model->run(m_table->currentIndex().row()).info.listedAt);
    return true;
  }
  return false;
}

void RunsView::fillColumnMenu() {
  QMenu* menu = m_columns->menu();
  menu->clear();
  QStringList shown;
  for (const RunColumn& column : m_model->columns())
    shown << text(column.id);
  bool isSetting = false;
  for (const RunColumn& column : m_model->allColumns()) {
    if (!isSetting && column.id.starts_with('/')) menu->addSeparator();
    isSetting = isSetting || column.id.starts_with('/');
    const QString id = text(column.id);
    QAction* action = menu->addAction(columnTitle(column));
    action->setCheckable(true);
    action->setChecked(shown.contains(id));
    connect(action, &QAction::toggled, this, [this, id](bool on) { setColumn(id, on); });
  }
  menu->addSeparator();
  menu->addAction(tr("Usual columns"), this, [this] {
    QSettings().remove(kColumnsKey);
    useColumns({});
  });
}

void RunsView::setColumn(const QString& id, bool isShown) {
  QStringList ids;
  for (const RunColumn& column : m_model->columns())
    ids << text(column.id);
  ids.removeAll(id);
  if (isShown) ids << id;
  if (ids.isEmpty()) return;
  QSettings().setValue(kColumnsKey, ids);
  useColumns(ids);
}

/// Shows these columns. The selection stays.
void RunsView::useColumns(const QStringList& ids) {
  const std::vector<std::string> before = selected();
  m_isReloading = true;
  m_model->setColumns(ids);
  selectAgain(before);
  m_isReloading = false;
  showOrder();
  fitColumns();
  onSelection();
}

/// Marks the column by which the model sorts. The model keeps the order; the view sorts only when
/// the user clicks.
void RunsView::showOrder() {
  QHeaderView* header = m_table->horizontalHeader();
  const QSignalBlocker blocker(header);
  header->setSortIndicator(m_model->sortedColumn(), m_model->sortOrder());
  header->viewport()->update();
}

/// Selects runs again whose rows the model has moved or rebuilt.
void RunsView::selectAgain(const std::vector<std::string>& runs) {
  for (const std::string& run : runs)
    if (const int row = m_model->rowOf(run); row >= 0)
      m_table->selectionModel()->select(m_model->index(row, 0),
                                        QItemSelectionModel::Select | QItemSelectionModel::Rows);
}

void RunsView::filter() {
  const QString problem = m_model->setFilter(m_filter->text());
  m_problem.clear();
  m_filter->setProperty("isWrong", !problem.isEmpty());
  restyle(m_filter);
  fillLines();
  onSelection();
  if (!problem.isEmpty()) showProblem(problem);
}

std::vector<std::string> RunsView::selected() const {
  QList<int> rows;
  for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
    rows << index.row();
  std::ranges::sort(rows);
  std::vector<std::string> runs;
  for (const int row : rows)
    runs.push_back(m_model->run(row).info.listedAt);
  return runs;
}

bool RunsView::isArchivedShown() const { return m_archived->isChecked(); }

void RunsView::select(const std::string& listedAt) {
  const std::vector<std::string> before = selected();
  if (std::ranges::find(before, listedAt) != before.end()) return;
  selectRow(listedAt);
}

void RunsView::selectRow(const std::string& listedAt) {
  const int row = m_model->rowOf(listedAt);
  if (row < 0) return;
  m_table->selectRow(row);
  m_table->scrollTo(m_model->index(row, 0));
}

void RunsView::showContent() {
  const std::vector<std::string> before = selected();
  m_isReloading = true;
  m_model->setContent(m_runs.content());
  selectAgain(before);
  m_isReloading = false;
  showOrder();
  fitColumns();
  fillResults();
  fillLines();
  onSelection();
}

/// Fits the columns to their titles and to the first rows.
void RunsView::fitColumns() {
  const QHeaderView* header = m_table->horizontalHeader();
  for (int column = 0; column < m_model->columnCount(); ++column) {
    constexpr int kReadRows = 40, kSides = 24;
    int width = header->sectionSizeHint(column);
    for (int row = 0; row < std::min(kReadRows, m_model->rowCount()); ++row)
      width = std::max(width, kSides + m_table->fontMetrics().horizontalAdvance(
                                           m_model->index(row, column).data().toString()));
    m_table->setColumnWidth(column, std::min(width, kMaxColumnWidth));
  }
}

void RunsView::onSelection() {
  const std::vector<std::string> runs = selected();
  uint64_t all = 0, chosen = 0;
  for (int row = 0; row < m_model->rowCount(); ++row)
    all += m_model->run(row).diskBytes;
  for (const std::string& run : runs)
    chosen += m_runs.find(run)->diskBytes;
  const int count = m_model->rowCount(), selectedCount = static_cast<int>(runs.size());
  QString words =
      m_runs.isRead()
          ? tr("%Ln run(s), %1", nullptr, count).arg(formatBytes(static_cast<double>(all)))
          : tr("Reading the runs…");
  if (selectedCount > 0)
    words = tr("%1. Selected: %2, %3")
                .arg(words, formatCount(selectedCount), formatBytes(static_cast<double>(chosen)));
  setRole(m_status, m_problem.isEmpty() ? "muted" : "problem");
  m_status->setText(m_problem.isEmpty() ? words : m_problem);
  m_compare->setEnabled(runs.size() >= 2);
  m_curves->setEnabled(!runs.empty());
  m_again->setEnabled(!runs.empty());
  m_clone->setEnabled(runs.size() == 1);
  m_delete->setEnabled(!runs.empty());
  m_clean->setEnabled(!m_runs.content()->rows.empty());
  m_lines->setSelected(runs);
  m_notes->setRun(runs.size() == 1 ? m_runs.find(runs.front()) : nullptr);
  if (runs.size() == 1 && !m_isReloading) Q_EMIT selectedOne(runs.front());
}

void RunsView::showProblem(const QString& line) {
  m_problem = line;
  setRole(m_status, "problem");
  m_status->setText(line);
}

}  // namespace strata::ui
