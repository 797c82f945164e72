// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/design/compiled_view.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QProgressBar>
#include <QPushButton>
#include <QScopedValueRollback>
#include <QSplitter>
#include <QStackedWidget>
#include <QStringListModel>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/models/node_item_model.h"
#include "ui/models/pass_item_model.h"
#include "ui/pages/design/graph_tables.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The delay between an edit and the compilation, in milliseconds.
constexpr int kDebounce = 250;
constexpr int kSideBySideFrom = 820, kNodesBesidePassesFrom = 1000;
constexpr int kMaxDetailsHeight = 120;
const std::string kDisabledPasses = "/execution/disabled_passes";

/// Returns the layer of the design to which a path of the graph belongs, or "".
QString rowShowing(QString path, const QSet<QString>& rows) {
  while (!path.isEmpty() && !rows.contains(path))
    path.truncate(path.lastIndexOf(u'/'));
  return path;
}

QSet<QString> rowsOf(const Document& document) {
  QSet<QString> rows;
  for (const LayerEntry& entry : document.layers())
    rows.insert(entry.name);
  return rows;
}

QStringList disabledPasses(const Document& document) {
  QStringList names;
  const Json::json_pointer pointer(kDisabledPasses);
  if (!document.json().contains(pointer) || !document.json().at(pointer).is_array()) return names;
  for (const Json& name : document.json().at(pointer)) {
    if (name.is_string()) names << text(name.get<std::string>());
  }
  return names;
}

}  // namespace

CompiledView::CompiledView(const PageContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_passes(new PassItemModel(this)),
      m_nodes(new NodeItemModel(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(8);
  column->addWidget(makeStatus());
  m_pages = new QStackedWidget(this);
  auto* empty = new QWidget(m_pages);
  auto* emptyColumn = new QVBoxLayout(empty);
  emptyColumn->setContentsMargins(0, 0, 0, 0);
  m_why = new QLabel(empty);
  m_why->setWordWrap(true);
  setRole(m_why, "muted");
  emptyColumn->addWidget(m_why, 0, Qt::AlignTop);
  m_sides = new QSplitter(Qt::Horizontal, m_pages);
  m_sides->setChildrenCollapsible(false);
  m_sides->setHandleWidth(12);
  m_sides->setStyleSheet(u"QSplitter::handle { background: transparent; }"_s);
  m_sides->addWidget(makePasses());
  m_sides->addWidget(makeNodes());
  m_sides->setStretchFactor(1, 1);
  m_pages->addWidget(empty);
  m_pages->addWidget(m_sides);
  column->addWidget(m_pages, 1);
  for (QTreeView* table : {m_passList, m_nodeTable})
    table->viewport()->installEventFilter(this);

  m_debounce.setSingleShot(true);
  m_debounce.setInterval(kDebounce);
  connect(&m_debounce, &QTimer::timeout, this, &CompiledView::start);
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& request, const std::stop_token& stop) { compile(request, stop); });
}

CompiledView::~CompiledView() { m_worker.reset(); }

QWidget* CompiledView::makeStatus() {
  auto* holder = new QWidget(this);
  auto* row = new QHBoxLayout(holder);
  row->setContentsMargins(0, 0, 0, 0);
  m_status = new QLabel(holder);
  m_status->setWordWrap(true);
  m_status->setObjectName(u"status"_s);
  setRole(m_status, "muted");
  m_progress = new QProgressBar(holder);
  m_progress->setTextVisible(false);
  m_progress->setFixedWidth(120);
  m_progress->setAccessibleName(tr("Completed passes"));
  m_cancel = new QPushButton(holder);
  setRole(m_cancel, "link");
  connect(m_cancel, &QPushButton::clicked, this, [this] {
    if (m_isCancelled) {
      m_isCancelled = false;
      showStatus(tr("Compiling the graph…"), true, false);
      // Call schedule() and not start(), because the design may not have been checked yet.
      schedule();
    }
    else {
      m_isCancelled = true;
      cancel();
      showStatus(tr("Compilation was canceled. There is no graph for this version of the design."),
                 false, true);
    }
  });
  row->addWidget(m_status, 1);
  row->addWidget(m_progress);
  row->addWidget(m_cancel);
  // These widgets keep their space while they are hidden, so that the layout does not jump.
  for (QWidget* widget : {static_cast<QWidget*>(m_progress), static_cast<QWidget*>(m_cancel)}) {
    QSizePolicy policy = widget->sizePolicy();
    policy.setRetainSizeWhenHidden(true);
    widget->setSizePolicy(policy);
    widget->hide();
  }
  return holder;
}

QWidget* CompiledView::makePasses() {
  m_passList = makeGraphTable(
      m_passes, tr("Passes"), u"passes"_s, [this] { layOutColumns(); }, this);
  m_passList->setSelectionMode(QAbstractItemView::SingleSelection);
  connect(m_passList->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) { showStage(current.row()); });
  connect(m_passes, &PassItemModel::switched, this, &CompiledView::switchPass);
  return m_passList;
}

QWidget* CompiledView::makeNodes() {
  auto* side = new QWidget(this);
  auto* column = new QVBoxLayout(side);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  m_title = new QLabel(side);
  m_title->setWordWrap(true);
  m_title->setTextFormat(Qt::RichText);
  column->addWidget(m_title);
  m_figures = new QLabel(side);
  m_figures->setObjectName(u"figures"_s);
  m_figures->setWordWrap(true);
  m_figures->setTextFormat(Qt::RichText);
  setRole(m_figures, "muted");
  column->addWidget(m_figures);
  m_details = new QListView(side);
  m_details->setAccessibleName(tr("Rewrites made by the pass"));
  setRole(m_details, "card");
  m_details->setMaximumHeight(kMaxDetailsHeight);
  m_details->setUniformItemSizes(true);
  m_details->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_details->setTextElideMode(Qt::ElideNone);
  m_detailModel = new QStringListModel(this);
  m_details->setModel(m_detailModel);
  m_details->hide();
  column->addWidget(m_details);

  auto* tools = new QHBoxLayout;
  tools->setSpacing(4);
  m_find = new QLineEdit(side);
  m_find->setPlaceholderText(tr("Find a layer or op"));
  m_find->setAccessibleName(tr("Find a layer or op"));
  m_find->setClearButtonEnabled(true);
  m_find->addAction(icon(u"search"_s), QLineEdit::LeadingPosition);
  m_find->setMaximumWidth(240);
  m_find->setMinimumWidth(190);
  tools->addWidget(m_find, 1);
  const auto addToggle = [&](QPushButton*& button, const QString& title, const QString& help) {
    button = new QPushButton(title, side);
    button->setCheckable(true);
    button->setAccessibleName(title);
    button->setToolTip(help);
    setRole(button, "link");
    tools->addWidget(button);
  };
  addToggle(m_changesOnly, tr("Changes"), tr("Show only the nodes that this pass changed"));
  addToggle(m_selectedOnly, tr("Selected layers"),
            tr("Show only the nodes of the selected layers"));
  addToggle(m_showDetails, tr("Rewrites"), tr("List the rewrites of this pass, one per line"));
  tools->addStretch(1);
  column->addLayout(tools);
  connect(m_find, &QLineEdit::textChanged, this, &CompiledView::applyFilter);
  connect(m_changesOnly, &QPushButton::toggled, this, &CompiledView::applyFilter);
  connect(m_selectedOnly, &QPushButton::toggled, this, &CompiledView::applyFilter);
  connect(m_showDetails, &QPushButton::toggled, this,
          [this](bool isShown) { m_details->setVisible(isShown); });

  m_nodeTable = makeGraphTable(
      m_nodes, tr("Nodes of the graph"), u"nodes"_s, [this] { layOutColumns(); }, side);
  m_nodeTable->setSelectionMode(QAbstractItemView::ExtendedSelection);
  column->addWidget(m_nodeTable, 1);
  connect(m_nodeTable->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &CompiledView::fromNodes);
  connect(m_nodeTable, &QTreeView::doubleClicked, this, [this](const QModelIndex& index) {
    const QString layer =
        m_document ? rowShowing(m_nodes->layerAt(index.row()), rowsOf(*m_document)) : QString();
    if (!layer.isEmpty()) m_context.navigation.showLayer(layer);
  });
  return side;
}

void CompiledView::setDocument(Document* document) {
  if (m_document) m_document->disconnect(this);
  cancel();
  m_document = document;
  m_trace.reset();
  m_shown = 0;
  m_passes->setTrace(nullptr);
  m_nodes->setStage(nullptr, 0);
  m_why->clear();
  m_pages->setCurrentIndex(0);
  m_isCancelled = false;
  if (document) {
    connect(document, &Document::changed, this, &CompiledView::onEdit);
    connect(document, &Document::inspectionChanged, this, &CompiledView::schedule);
    connect(document, &Document::selectionChanged, this, &CompiledView::fromDocument);
    refreshDisabled();
  }
  schedule();
}

bool CompiledView::isCurrent() const { return m_document && m_shown == m_document->revision(); }

void CompiledView::onEdit() {
  m_isCancelled = false;
  cancel();
  refreshDisabled();
  if (isVisible())
    showStatus(tr("This graph predates your last edit, which is being checked."), true, false);
}

/// Requests the graph as soon as the design is known to have no errors.
void CompiledView::schedule() {
  if (!m_document || !isVisible() || m_isCancelled || isCurrent() ||
      !m_document->checks().isCurrent())
    return;
  if (m_document->checks().errorCount() > 0) {
    showResult(m_document->revision(), nullptr,
               tr("There is no graph, because the network has problems."));
    return;
  }
  m_debounce.setInterval(m_shown == 0 ? 0 : kDebounce);
  m_debounce.start();
}

void CompiledView::start() {
  if (!m_document || !isVisible()) return;
  m_progress->setRange(0, 0);
  showStatus(tr("Compiling the graph…"), true, false);
  m_worker->post({++m_ticket, m_document->revision(), m_document->project()});
}

void CompiledView::cancel() {
  m_debounce.stop();
  ++m_ticket;
  if (m_worker) m_worker->cancel();
}

/// Compiles the graph. Runs on the worker thread.
void CompiledView::compile(const Request& request, const std::stop_token& stop) {
  std::shared_ptr<const PassTrace> trace;
  QString why;
  PassTraceOptions options;
  options.niceness = kNice;
  options.stop = stop;
  options.onProgress = [&](int done, int total) {
    QMetaObject::invokeMethod(
        this, [this, ticket = request.ticket, done, total] { onProgress(ticket, done, total); },
        Qt::QueuedConnection);
  };
  try {
    trace = std::make_shared<const PassTrace>(tracePasses(request.project, options));
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    why = tr("The graph could not be compiled: %1").arg(text(error.line()));
  }
  catch (const std::exception& error) {
    why = tr("The graph could not be compiled: %1").arg(text(std::string(error.what())));
  }
  QMetaObject::invokeMethod(
      this,
      [this, ticket = request.ticket, revision = request.revision, trace, why] {
        accept(ticket, revision, trace, why);
      },
      Qt::QueuedConnection);
}

void CompiledView::onProgress(quint64 ticket, int done, int total) {
  if (ticket != m_ticket) return;
  m_progress->setRange(0, total);
  m_progress->setValue(done);
  m_status->setText(tr("Compiling the graph: %1 of %2 passes…").arg(done).arg(total));
}

void CompiledView::accept(quint64 ticket, quint64 revision, std::shared_ptr<const PassTrace> trace,
                          const QString& why) {
  if (m_document && ticket == m_ticket) showResult(revision, std::move(trace), why);
}

void CompiledView::showResult(quint64 revision, std::shared_ptr<const PassTrace> trace,
                              const QString& why) {
  m_shown = revision;
  const int rowBefore = m_passList->currentIndex().row();
  const bool wasLast = rowBefore < 0 || rowBefore == m_passes->rowCount() - 1;
  const QString passBefore = m_passes->passAt(rowBefore);
  m_trace = std::move(trace);
  m_why->setText(why);
  m_pages->setCurrentIndex(m_trace ? 1 : 0);
  m_passes->setTrace(m_trace);
  if (!m_trace) {
    m_nodes->setStage(nullptr, 0);
    showStatus({}, false, false);
    return;
  }
  int row = m_passes->rowCount() - 1;
  for (int i = 0; !wasLast && i < m_passes->rowCount(); ++i) {
    if (m_passes->passAt(i) != passBefore) continue;
    row = i;
    if (i >= rowBefore) break;
  }
  const QString samples = formatCount(m_trace->samples), device = deviceTitle(m_trace->device);
  showStatus(
      m_trace->pieces == 1
          ? tr("A training step of %1 samples on %2, read-only. Unchecked passes are skipped.")
                .arg(samples, device)
          : tr("The step of the last of %1 micro-batches, which updates the weights. It processes "
               "%2 of the %3 samples of a batch on %4. Read-only. Unchecked passes are skipped.")
                .arg(formatCount(m_trace->pieces), samples, formatCount(m_trace->batchSize),
                     device),
      false, false);
  layOutColumns();
  m_passList->setCurrentIndex(m_passes->index(row, 0));
  if (m_nodes->rowCount() == 0) showStage(row);
}

void CompiledView::showStatus(const QString& words, bool isBusy, bool offersRestart) {
  m_status->setText(words);
  m_progress->setVisible(isBusy);
  m_cancel->setVisible(isBusy || offersRestart);
  m_cancel->setText(offersRestart ? tr("Compile") : tr("Cancel"));
  m_cancel->setAccessibleName(offersRestart ? tr("Compile the graph now")
                                            : tr("Cancel compiling the graph"));
}

void CompiledView::showStage(int row) {
  if (!m_trace || row < 0 || row >= static_cast<int>(m_trace->stages.size())) return;
  const TraceStage& stage = m_trace->stages[static_cast<size_t>(row)];
  const QString name = stage.isBuilt() ? tr("initial graph") : text(stage.report.pass);
  const QString help = stage.isBuilt() ? tr("The forward, backward and update ops before any pass")
                                       : translated(stage.help);
  m_title->setText(tr("<b>%1</b>: %2").arg(name.toHtmlEscaped(), help.toHtmlEscaped()));
  m_figures->setText(stageFigures(stage));
  QStringList lines;
  for (const std::string& line : stage.report.details)
    lines << text(line);
  m_detailModel->setStringList(lines);
  m_showDetails->setEnabled(!lines.isEmpty());
  m_details->setVisible(m_showDetails->isChecked() && !lines.isEmpty());
  {
    const QScopedValueRollback syncing(m_isSyncing, true);
    m_nodes->setStage(m_trace, row);
  }
  layOutColumns();
  fromDocument();
}

void CompiledView::refreshDisabled() {
  if (m_document) m_passes->setDisabled(disabledPasses(*m_document));
}

/// Edits the list of disabled passes in one undo step.
void CompiledView::switchPass(const QString& pass, bool isOn) {
  if (!m_document) return;
  for (int row = 0; row < m_passes->rowCount(); ++row) {
    if (m_passes->passAt(row) != pass || m_passes->passAt(m_passList->currentIndex().row()) == pass)
      continue;
    // A click on the check box does not select the row, so it is selected here.
    m_passList->setCurrentIndex(m_passes->index(row, 0));
  }
  QStringList names = disabledPasses(*m_document);
  if (isOn)
    names.removeAll(pass);
  else
    names << pass;
  const QString title = tr("Disabled passes");
  if (names.isEmpty()) {
    submitResetValue(*m_document, kDisabledPasses, title);
    return;
  }
  Json list = Json::array();
  for (const QString& name : names)
    list.push_back(name.toStdString());
  submitValue(*m_document, kDisabledPasses, list, title);
}

void CompiledView::applyFilter() {
  NodeFilter filter;
  filter.words = m_find->text().trimmed();
  filter.changesOnly = m_changesOnly->isChecked();
  if (m_selectedOnly->isChecked() && m_document) {
    const QStringList selection = m_document->selection();
    filter.layers = QSet<QString>(selection.begin(), selection.end());
  }
  if (filter == m_nodes->filter()) return;
  {
    const QScopedValueRollback syncing(m_isSyncing, true);
    m_nodes->setFilter(std::move(filter));
  }
  layOutColumns();
  fromDocument();
}

void CompiledView::fromNodes() {
  if (m_isSyncing || !m_document) return;
  const QSet<QString> rows = rowsOf(*m_document);
  QSet<QString> chosen;
  QStringList layers;
  for (const QModelIndex& row : m_nodeTable->selectionModel()->selectedRows()) {
    const QString layer = rowShowing(m_nodes->layerAt(row.row()), rows);
    if (layer.isEmpty() || chosen.contains(layer)) continue;
    chosen.insert(layer);
    layers << layer;
  }
  const QScopedValueRollback syncing(m_isSyncing, true);
  m_document->setSelection(layers);
}

void CompiledView::fromDocument() {
  if (m_isSyncing || !m_document || !m_trace) return;
  applyFilter();
  const QStringList selection = m_document->selection();
  const std::vector<char> chosen =
      m_nodes->namesWithin(QSet<QString>(selection.begin(), selection.end()));
  const auto isChosen = [&](int row) {
    return chosen[static_cast<size_t>(m_nodes->nodeAt(row).layer)] != 0;
  };
  QItemSelection rows;
  int first = -1;
  const int count = m_nodes->rowCount();
  for (int row = 0; row < count; ++row) {
    if (!isChosen(row)) continue;
    if (first < 0) first = row;
    const int begin = row;
    while (row + 1 < count && isChosen(row + 1))
      ++row;
    rows.append(QItemSelectionRange(m_nodes->index(begin, 0),
                                    m_nodes->index(row, NodeItemModel::NumColumns - 1)));
  }
  const QScopedValueRollback syncing(m_isSyncing, true);
  QItemSelectionModel* model = m_nodeTable->selectionModel();
  // Clear the selection separately. Comparing two large selections takes time proportional to the
  // product of their sizes.
  model->clearSelection();
  if (first < 0) return;
  model->select(rows, QItemSelectionModel::Select);
  if (!model->isRowSelected(model->currentIndex().row())) {
    const QModelIndex index = m_nodes->index(first, 0);
    model->setCurrentIndex(index, QItemSelectionModel::NoUpdate);
    m_nodeTable->scrollTo(index, QAbstractItemView::PositionAtCenter);
  }
}

/// Sets the columns of both tables. If they do not fit, hides the phase, narrows names and shapes,
/// and hides the costs last.
void CompiledView::layOutColumns() {
  std::vector<int> ofPasses{PassItemModel::Name, PassItemModel::Rewrites, PassItemModel::Nodes};
  // Omit the numbers of nodes if the text next to the list shows them.
  if (width() >= kSideBySideFrom && width() < kNodesBesidePassesFrom) ofPasses.pop_back();
  std::vector<int> ofNodes{NodeItemModel::Op,    NodeItemModel::Layer,  NodeItemModel::Phase,
                           NodeItemModel::Shape, NodeItemModel::Memory, NodeItemModel::Time};
  const int row = m_passList->currentIndex().row();
  if (m_trace && row >= 0 && row < static_cast<int>(m_trace->stages.size())) {
    const TraceStage& stage = m_trace->stages[static_cast<size_t>(row)];
    if (stage.added + stage.changed + stage.moved + stage.removed > 0)
      ofNodes.push_back(NodeItemModel::Change);
  }
  int wanted = m_passList->width() - m_passList->viewport()->width();
  for (const int column : ofPasses)
    wanted += columnNeed(m_passList, column, 2 * kMaxColumnWidth);
  ui::layOutColumns(m_passList, ofPasses, {PassItemModel::Nodes});
  ui::layOutColumns(
      m_nodeTable, ofNodes,
      {NodeItemModel::Phase, NodeItemModel::Time, NodeItemModel::Memory, NodeItemModel::Shape},
      {NodeItemModel::Layer, NodeItemModel::Shape, NodeItemModel::Op});
  constexpr int kMinHeight = 140;
  const bool isWide = m_sides->orientation() == Qt::Horizontal;
  const QSize minimum(isWide ? std::min(wanted, width() / 2) : 0, isWide ? 0 : kMinHeight);
  if (m_passList->minimumSize() != minimum) m_passList->setMinimumSize(minimum);
}

void CompiledView::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  schedule();
}

void CompiledView::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  cancel();
}

bool CompiledView::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() == QEvent::Resize) layOutColumns();
  return QWidget::eventFilter(watched, event);
}

/// Shows passes and nodes side by side if there is enough space, or else one above the other.
void CompiledView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  const Qt::Orientation wanted = width() < kSideBySideFrom ? Qt::Vertical : Qt::Horizontal;
  if (m_sides->orientation() == wanted) return;
  m_sides->setOrientation(wanted);
  // The passes take their minimum height, because the nodes need more space.
  if (wanted == Qt::Vertical) m_sides->setSizes({1, height()});
}

}  // namespace strata::ui
