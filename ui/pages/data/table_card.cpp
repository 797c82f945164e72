// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/table_card.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QMetaObject>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <QVBoxLayout>
#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/data/likely_label.h"
#include "core/data/table_edits.h"
#include "core/data/table_network.h"
#include "ui/column_widths.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/inspector/fix_buttons.h"
#include "ui/pages/data/column_item_model.h"
#include "ui/pages/data/role_delegate.h"
#include "ui/row_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;
using Role = ColumnDescription::Role;

namespace {

/// The list of columns. Left and Right choose the role in the current row.
class ColumnView : public QTreeView {
 public:
  using QTreeView::QTreeView;
  using QTreeView::sizeHintForColumn;
  std::function<void(int row, int by)> shiftRole;

 protected:
  void keyPressEvent(QKeyEvent* event) override {
    const bool isLeft = event->key() == Qt::Key_Left, isRight = event->key() == Qt::Key_Right;
    if ((!isLeft && !isRight) || !currentIndex().isValid() || event->modifiers() != Qt::NoModifier)
      return QTreeView::keyPressEvent(event);
    shiftRole(currentIndex().row(), isLeft ? -1 : 1);
  }
};

/// Draws the first values of a column that fit into its cell as a whole.
class ValuesDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;

 protected:
  void initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const override {
    QStyledItemDelegate::initStyleOption(option, index);
    // Without a width, the view asks for the width of all values.
    constexpr int kMargins = 10;
    const int room = option->rect.width() - kMargins;
    if (room <= 0) return;
    for (qsizetype end = option->text.size();
         end > 0 && option->fontMetrics.horizontalAdvance(option->text) > room;) {
      end = option->text.lastIndexOf(u", "_s);
      if (end > 0) option->text.truncate(end);
    }
  }
};

QString delimiterText(char delimiter) {
  switch (delimiter) {
    case '\t': return TableCard::tr("tab");
    case ' ': return TableCard::tr("space");
    default: return u'"' + QString(QLatin1Char(delimiter)) + u'"';
  }
}

}  // namespace

TableCard::TableCard(Document& document, QWidget* parent)
    : QWidget(parent),
      m_document(document),
      m_isLabelChosen(!document.path().isEmpty()),
      m_columns(new ColumnItemModel(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(6);
  auto* title = new QLabel(tr("Table"), this);
  setRole(title, "section");
  m_summary = new QLabel(this);
  m_problem = new QLabel(this);
  m_advice = new QLabel(this);
  for (QLabel* label : {m_summary, m_problem, m_advice}) {
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
  }
  setRole(m_summary, "muted");
  setRole(m_advice, "muted");
  setRole(m_problem, "problem");
  m_problem->hide();
  m_advice->hide();
  m_view = makeView();
  m_missing = new FixButtons(this);
  m_networks = new FixButtons(this);
  for (QWidget* each : {static_cast<QWidget*>(title), static_cast<QWidget*>(m_summary),
                        static_cast<QWidget*>(m_problem)})
    layout->addWidget(each);
  layout->addWidget(m_view, 1);
  layout->addWidget(m_advice);
  auto* fixes = new QHBoxLayout;
  fixes->setSpacing(12);
  fixes->addWidget(m_missing, 0, Qt::AlignTop);
  fixes->addWidget(m_networks, 0, Qt::AlignTop);
  fixes->addStretch(1);
  layout->addLayout(fixes);
  for (FixButtons* each : {m_missing, m_networks})
    connect(each, &FixButtons::chosen, this,
            [this](const ProjectEdit& edit) { m_document.submit(edit); });
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& wanted, const std::stop_token& stop) {
        Reading reading = read(wanted);
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this, [this, reading = std::move(reading)] { accept(reading); }, Qt::QueuedConnection);
      });
  connect(&m_document, &Document::inspectionChanged, this, &TableCard::refreshFixes);
}

TableCard::~TableCard() = default;

QTreeView* TableCard::makeView() {
  auto* view = new ColumnView(this);
  view->setModel(m_columns);
  view->setAccessibleName(tr("Columns of the table"));
  view->setItemDelegateForColumn(ColumnItemModel::kValues, new ValuesDelegate(view));
  auto* roles = new RoleDelegate(view);
  view->setItemDelegateForColumn(ColumnItemModel::kRole, roles);
  showRows(view);
  view->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  QHeaderView* header = view->header();
  // The number of rows that determine a column's width.
  constexpr int kRowsMeasured = 100;
  header->setResizeContentsPrecision(kRowsMeasured);
  m_widths = new ColumnWidths(header, u"columns"_s, [this] { layOutColumns(); });
  connect(roles, &RoleDelegate::chosen, this, &TableCard::chooseRole);
  view->shiftRole = [this](int row, int by) {
    const auto now = static_cast<Role>(
        m_columns->index(row, ColumnItemModel::kRole).data(ColumnItemModel::kRoleRole).toInt());
    const auto& all = ColumnItemModel::kRoles;
    const auto place = std::find(all.begin(), all.end(), now) - all.begin() + by;
    if (place >= 0 && place < std::ssize(all)) chooseRole(row, all[static_cast<size_t>(place)]);
  };
  return view;
}

bool TableCard::hasTable() const {
  const Json& source = memberOf(memberOf(m_document.json(), "data"), "source");
  const Json& path = memberOf(source, "path");
  return memberOf(source, "type") == "csv" && path.is_string() && path != "";
}

void TableCard::refresh() {
  if (!hasTable()) {
    m_description.clear();
    return;
  }
  const Json& json = m_document.json();
  const std::string description = json["data"].dump(-1, ' ', false, Json::error_handler_t::replace);
  if (description == m_description) return;
  m_description = description;
  if (!m_reading.table) m_summary->setText(tr("Reading the table…"));
  m_worker->post({m_document.revision(), m_document.project()});
}

TableCard::Reading TableCard::read(const Request& wanted) {
  Reading reading;
  reading.revision = wanted.revision;
  const Json& document = wanted.project.document();
  const std::string folder = std::filesystem::path(wanted.project.path()).parent_path().string();
  try {
    reading.table = describeTable(document["data"]["source"], folder);
    reading.networks = networkFixes(wanted.project, *reading.table);
  }
  catch (const Error& error) {
    reading.problem = text(error.line());
  }
  return reading;
}

void TableCard::accept(const Reading& reading) {
  if (!hasTable()) return;
  m_reading = reading;
  if (m_reading.table) markGuess(*m_reading.table);
  m_summary->setText(reading.table ? summaryText(*reading.table) : QString());
  m_columns->show(m_reading.table.value_or(TableDescription()), canSetRoles(m_document.json()));
  // The first columns are visible without scrolling.
  constexpr int kRowsVisible = 8;
  const int rows = std::min(m_columns->rowCount(), kRowsVisible);
  m_view->setMinimumHeight(m_view->header()->height() + rows * m_view->sizeHintForRow(0) +
                           2 * m_view->frameWidth());
  layOutColumns();
  refreshFixes();
}

/// Marks a label that was set by its name when the table was chosen, until the user chooses one.
void TableCard::markGuess(TableDescription& table) const {
  const Json& source = memberOf(memberOf(m_document.json(), "data"), "source");
  if (memberOf(source, "label").is_null()) return;
  std::vector<std::string> names;
  for (const ColumnDescription& each : table.columns)
    names.push_back(each.name);
  const std::string likely = likelyLabel(names);
  for (ColumnDescription& each : table.columns)
    each.isLabelGuessed = each.role == Role::Label && each.name == likely && !m_isLabelChosen;
}

QString TableCard::summaryText(const TableDescription& table) const {
  const QString rows = tr("%Ln row(s)", nullptr, pluralOf(table.rows)),
                columns = tr("%Ln column(s)", nullptr, pluralOf(std::ssize(table.columns)));
  QString words = tr("%1: %2, %3, delimiter %4, %5.")
                      .arg(QFileInfo(text(table.path)).fileName(), rows, columns,
                           delimiterText(table.delimiter),
                           table.hasHeader ? tr("names in the first row") : tr("no names"));
  if (table.damaged > 0)
    words +=
        u' ' + tr("%Ln row(s) have a different number of cells.", nullptr, pluralOf(table.damaged));
  return words;
}

void TableCard::chooseRole(int row, Role role) {
  const TableDescription& table = m_columns->table();
  if (row < 0 || row >= std::ssize(table.columns)) return;
  const ProjectEdit edit =
      setRoleEdit(m_document.json(), table, table.columns[static_cast<size_t>(row)].name, role);
  m_document.submit(edit);
  if (role != Role::Label) return;
  // If this confirms a guess, only its mark changes.
  m_isLabelChosen = true;
  accept(Reading(m_reading));
}

/// Shows the fixes for missing cells, and the networks if the present one does not fit. While cells
/// are missing, the samples are not known, so that only other problems count.
void TableCard::refreshFixes() {
  if (!hasTable() || !m_document.checks().isCurrent()) return;
  bool hasDataError = false, hasOtherError = false;
  for (const Diagnostic& each : m_document.checks().inspection().diagnostics) {
    if (each.severity != Severity::Error) continue;
    (each.field.starts_with("/data") ? hasDataError : hasOtherError) = true;
  }
  m_problem->setText(m_reading.problem);
  m_problem->setVisible(!m_reading.problem.isEmpty() && !hasDataError);
  std::vector<Fix> missing;
  if (m_reading.table) missing = missingFixes(m_document.json(), *m_reading.table);
  const bool needsNetwork = hasOtherError || (hasDataError && missing.empty());
  const bool hasNone = m_reading.table && m_reading.networks.empty() && needsNetwork &&
                       canSetRoles(m_document.json());
  m_advice->setText(hasNone ? tr("Choose as label a column with few different words, or with "
                                 "numbers, to get a network for it.")
                            : QString());
  m_advice->setVisible(hasNone);
  m_missing->setFixes(std::move(missing));
  m_networks->setFixes(needsNetwork ? m_reading.networks : std::vector<Fix>());
}

/// Fits the columns to their contents. The first values get what is left, and the names are
/// shortened if the view is too narrow.
void TableCard::layOutColumns() {
  const auto* view = static_cast<const ColumnView*>(m_view);
  QHeaderView* header = m_view->header();
  constexpr int kMaxName = 220, kMaxType = 160, kMinValues = 70, kMinName = 80;
  std::array<int, ColumnItemModel::kColumns> widths{};
  int sum = 0;
  for (int column = 0; column < ColumnItemModel::kColumns; ++column) {
    int& width = widths[static_cast<size_t>(column)];
    width = std::max(view->sizeHintForColumn(column), header->sectionSizeHint(column));
    if (column == ColumnItemModel::kName) width = std::min(width, kMaxName);
    if (column == ColumnItemModel::kType) width = std::min(width, kMaxType);
    sum += width;
  }
  const auto take = [&](ColumnItemModel::Column column, int minimum) {
    int& width = widths[column];
    const int missing = sum - m_view->viewport()->width();
    const int given = std::clamp(missing, 0, std::max(0, width - minimum));
    width -= given;
    sum -= given;
  };
  take(ColumnItemModel::kValues, kMinValues);
  take(ColumnItemModel::kName, kMinName);
  widths[ColumnItemModel::kValues] += std::max(0, m_view->viewport()->width() - sum);
  for (int column = 0; column < ColumnItemModel::kColumns; ++column) {
    const int width = m_widths->of(column).value_or(widths[static_cast<size_t>(column)]);
    if (header->sectionSize(column) != width) header->resizeSection(column, width);
  }
}

void TableCard::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOutColumns();
}

}  // namespace strata::ui
