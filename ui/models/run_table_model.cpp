// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/run_table_model.h"

#include <QCoreApplication>
#include <QDateTime>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "gpu/base/error.h"
#include "ui/device_text.h"
#include "ui/format.h"
#include "ui/models/run_item_model.h"
#include "ui/run/run_text.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

QString columnTitle(const RunColumn& column) {
  // The pointer of a setting is the same in every language
  if (column.title.isEmpty()) return text(column.subject);
  const QString metric = metricTitle(column.subject);
  // A metric that starts with a name keeps the case of the name
  const bool hasName = metric.contains(u": "_s);
  return translated(column.title, {(hasName ? metric : metric.toLower()).toStdString()});
}

bool isNumeric(const RunColumn& column) {
  return column.kind == ColumnKind::Number || column.kind == ColumnKind::Bytes ||
         column.kind == ColumnKind::Duration;
}

QString runCellText(const RunCell& cell, const RunColumn& column) {
  if (cell.isEmpty()) return {};
  if (!cell.number) {
    if (column.kind != ColumnKind::Time) return text(cell.text).replace(u'\n', u' ');
    const QDateTime time = QDateTime::fromString(text(cell.text), Qt::ISODate);
    return time.isValid() ? QLocale().toString(time.toLocalTime(), u"yyyy-MM-dd HH:mm"_s)
                          : text(cell.text);
  }
  const double value = *cell.number;
  switch (column.kind) {
    case ColumnKind::Bytes: return formatBytes(value);
    case ColumnKind::Duration: return formatSeconds(value);
    case ColumnKind::Flag:
      return value == 0 ? QString() : QCoreApplication::translate("RunTableModel", "yes");
    default: break;
  }
  if (column.subject.ends_with("accuracy")) return formatPercent(value, 2);
  const bool isCount = column.subject.empty() && value == std::floor(value);
  return isCount ? formatCount(static_cast<int64_t>(value)) : formatValue(value);
}

QString runCellText(const RunRow& row, const RunColumn& column) {
  if (column.id == "status") return runStatusText(row.info);
  if (column.id == "devices") return deviceTitle(row.info.device);
  if (column.id == "from" && !row.startsFrom.empty()) return RunText::title(row.startsFrom);
  return runCellText(cellOf(row, column), column);
}

QString runTitleWithNotes(const RunRow& row) {
  const QString title = RunText::title(row.info.listedAt);
  return row.notes.title.empty() ? title
                                 : QCoreApplication::translate("RunTableModel", "%1: %2")
                                       .arg(title, text(row.notes.title));
}

void RunTableModel::setContent(std::shared_ptr<const RunList::Content> content) {
  m_content = std::move(content);
  choose();
}

void RunTableModel::setColumns(const QStringList& ids) {
  m_wanted = ids;
  choose();
}

std::vector<RunColumn> RunTableModel::allColumns() const {
  std::vector<RunColumn> all = m_content->columns;
  all.insert(all.end(), m_content->settings.begin(), m_content->settings.end());
  return all;
}

QStringList RunTableModel::usualColumns() const {
  static const QStringList kAlways{u"number"_s,   u"title"_s, u"status"_s,    u"started"_s,
                                   u"duration"_s, u"tags"_s,  u"disk_bytes"_s};
  QStringList ids;
  for (const RunColumn& column : m_content->columns) {
    const bool isMetric = column.id.starts_with("best_val_") || column.id.starts_with("test_");
    if (!isMetric && !kAlways.contains(text(column.id))) continue;
    const bool hasValue = std::ranges::any_of(
        m_content->rows, [&](const RunRow& row) { return !cellOf(row, column).isEmpty(); });
    if (hasValue || column.id == "number" || column.id == "title") ids << text(column.id);
  }
  return ids;
}

/// Finds the columns and rows to show.
void RunTableModel::choose() {
  beginResetModel();
  const QStringList ids = m_wanted.isEmpty() ? usualColumns() : m_wanted;
  m_columns.clear();
  for (RunColumn& column : allColumns())
    if (ids.contains(text(column.id))) m_columns.push_back(std::move(column));
  chooseRows();
  endResetModel();
}

void RunTableModel::chooseRows() {
  m_shown.clear();
  m_archived = 0;
  std::optional<RunFilter> filter;
  try {
    filter.emplace(m_filter, m_content->rows);
  }
  catch (const Error&) {
    // The filter names a column that no run has any more
    filter.emplace("", m_content->rows);
  }
  for (size_t i = 0; i < m_content->rows.size(); ++i) {
    const RunRow& row = m_content->rows[i];
    m_archived += row.notes.isArchived ? 1 : 0;
    if ((!row.notes.isArchived || m_isArchivedShown) && filter->isMatch(row)) m_shown.push_back(i);
  }
  order();
}

void RunTableModel::order() {
  RunColumn column;
  bool isDescending = m_order == Qt::DescendingOrder;
  try {
    column = columnOf(m_sorted, m_content->rows);
  }
  catch (const Error&) {
    // The order was chosen for runs that have other columns
    column = columnOf("number", m_content->rows);
    isDescending = true;
  }
  std::vector<RunCell> cells(m_content->rows.size());
  for (const size_t i : m_shown)
    cells[i] = cellOf(m_content->rows[i], column);
  // The newest run comes first among equal ones
  std::ranges::sort(m_shown, std::greater());
  std::ranges::stable_sort(m_shown, [&](size_t one, size_t two) {
    const RunCell &a = cells[one], &b = cells[two];
    if (a.isEmpty() || b.isEmpty()) return !a.isEmpty() && b.isEmpty();
    if (a.number.has_value() != b.number.has_value()) return a.number.has_value();
    if (a.number) return isDescending ? *a.number > *b.number : *a.number < *b.number;
    return isDescending ? a.text > b.text : a.text < b.text;
  });
}

QString RunTableModel::setFilter(const QString& words) {
  try {
    const RunFilter filter(words.toStdString(), m_content->rows);
  }
  catch (const Error& error) {
    return text(error.line());
  }
  m_filter = words.toStdString();
  beginResetModel();
  chooseRows();
  endResetModel();
  return {};
}

void RunTableModel::setArchivedShown(bool isShown) {
  m_isArchivedShown = isShown;
  beginResetModel();
  chooseRows();
  endResetModel();
}

void RunTableModel::setOrder(const QString& id, Qt::SortOrder order) {
  m_sorted = id.toStdString();
  m_order = order;
  choose();
}

int RunTableModel::sortedColumn() const {
  const auto found = std::ranges::find(m_columns, m_sorted, &RunColumn::id);
  return found == m_columns.end() ? -1 : static_cast<int>(found - m_columns.begin());
}

int RunTableModel::rowOf(const std::string& listedAt) const {
  for (size_t i = 0; i < m_shown.size(); ++i)
    if (m_content->rows[m_shown[i]].info.listedAt == listedAt) return static_cast<int>(i);
  return -1;
}

int RunTableModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_shown.size());
}

int RunTableModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_columns.size());
}

QVariant RunTableModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const RunColumn& column = m_columns[static_cast<size_t>(index.column())];
  const RunRow& row = run(index.row());
  switch (role) {
    case Qt::DisplayRole:
    case Qt::AccessibleTextRole: return runCellText(row, column);
    case Qt::TextAlignmentRole:
      return QVariant((isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    case Qt::ToolTipRole:
      return row.notesProblem.empty() || column.id != "title" ? QVariant() : text(row.notesProblem);
    default: return {};
  }
}

QVariant RunTableModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  const RunColumn& column = m_columns[static_cast<size_t>(section)];
  if (role == Qt::DisplayRole) return columnTitle(column);
  if (role == Qt::TextAlignmentRole)
    return QVariant((isNumeric(column) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
  return {};
}

void RunTableModel::sort(int column, Qt::SortOrder order) {
  if (column < 0 || column >= columnCount()) return;
  m_sorted = m_columns[static_cast<size_t>(column)].id;
  m_order = order;
  Q_EMIT layoutAboutToBeChanged();
  const QModelIndexList before = persistentIndexList();
  std::vector<size_t> places;
  for (const QModelIndex& index : before)
    places.push_back(m_shown[static_cast<size_t>(index.row())]);
  this->order();
  QModelIndexList after;
  for (qsizetype i = 0; i < before.size(); ++i) {
    const auto place = std::ranges::find(m_shown, places[static_cast<size_t>(i)]);
    after << index(static_cast<int>(place - m_shown.begin()), before[i].column());
  }
  changePersistentIndexList(before, after);
  Q_EMIT layoutChanged();
}

}  // namespace strata::ui
