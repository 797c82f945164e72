// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/column_item_model.h"

#include <QCoreApplication>
#include <algorithm>

#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;
using Role = ColumnDescription::Role;

namespace {

/// Describes a notation of numbers by an example, such as "1.234,5 %".
QString notationText(const NumberFormat& format) {
  QString example = u"1"_s;
  if (format.thousands != '\0') example += QLatin1Char(format.thousands);
  example += u"234"_s;
  example += QLatin1Char(format.decimal);
  example += u'5';
  if (format.isPercent) example += u'%';
  return format.currency.empty() ? example : text(format.currency) + u' ' + example;
}

}  // namespace

void ColumnItemModel::show(TableDescription table, bool canSetRoles) {
  // A reset would scroll to the top, so a table with the same columns only changes its cells.
  const auto isSame = [](const ColumnDescription& a, const ColumnDescription& b) {
    return a.name == b.name;
  };
  const bool keepsRows = std::equal(table.columns.begin(), table.columns.end(),
                                    m_table.columns.begin(), m_table.columns.end(), isSame);
  if (!keepsRows) beginResetModel();
  m_table = std::move(table);
  m_canSetRoles = canSetRoles;
  m_labels = static_cast<int>(
      std::count_if(m_table.columns.begin(), m_table.columns.end(),
                    [](const ColumnDescription& each) { return each.role == Role::Label; }));
  if (!keepsRows)
    endResetModel();
  else if (rowCount() > 0)
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kColumns - 1));
}

QString ColumnItemModel::roleName(Role role) {
  switch (role) {
    case Role::Input: return tr("Input");
    case Role::Label: return tr("Label");
    case Role::Weight: return tr("Weight");
    case Role::Ignored: return tr("Ignore");
  }
  return {};
}

int ColumnItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_table.columns.size());
}

int ColumnItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : int{kColumns};
}

QVariant ColumnItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::ToolTipRole && section == kRole)
    return tr(
        "Inputs enter the network, which predicts the label. A weight is the weight of each "
        "sample in the loss.");
  if (role == Qt::TextAlignmentRole) {
    const Qt::Alignment side = section == kMissing ? Qt::AlignRight : Qt::AlignLeft;
    return QVariant::fromValue(side | Qt::AlignVCenter);
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName: return tr("Column");
    case kType: return tr("Type");
    case kValues: return tr("First values");
    case kMissing: return tr("Missing");
    case kRole: return tr("Role");
    default: return {};
  }
}

bool ColumnItemModel::isOnlyLabel(const ColumnDescription& column) const {
  return column.role == Role::Label && m_labels == 1;
}

QVariant ColumnItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const ColumnDescription& column = m_table.columns[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return words(column, index.column());
    case Qt::ToolTipRole: return tip(column, index.column());
    case Qt::TextAlignmentRole: {
      const Qt::Alignment side = index.column() == kMissing ? Qt::AlignRight : Qt::AlignLeft;
      return QVariant::fromValue(side | Qt::AlignVCenter);
    }
    case kRoleRole: return static_cast<int>(column.role);
    case kGuessedRole: return column.isLabelGuessed;
    case kEditableRole: return m_canSetRoles && (!isOnlyLabel(column) || column.isLabelGuessed);
    default: return {};
  }
}

QString ColumnItemModel::words(const ColumnDescription& column, int place) const {
  switch (place) {
    case kName:
      return column.unit.empty() ? text(column.name) : text(column.name + " " + column.unit);
    case kType: return typeText(column);
    case kValues: {
      QStringList cells;
      for (const std::string& cell : column.samples)
        cells << (cell.empty() ? u"–"_s : text(cell));
      return cells.join(u", "_s);
    }
    case kMissing:
      return column.missing == 0
                 ? QString()
                 : tr("%1 of %2").arg(formatCount(column.missing), formatCount(m_table.rows));
    case kRole: return column.isLabelGuessed ? tr("Label (guessed)") : roleName(column.role);
    default: return {};
  }
}

QString ColumnItemModel::typeText(const ColumnDescription& column) const {
  switch (column.kind) {
    case ColumnDescription::Kind::Empty: return tr("Empty");
    case ColumnDescription::Kind::Category:
      return column.categories >= ColumnDescription::kMaxCountedCategories
                 ? tr("More than %1 words").arg(formatCount(column.categories - 1))
                 : tr("%Ln word(s)", nullptr, pluralOf(column.categories));
    case ColumnDescription::Kind::Number: break;
  }
  return column.format ? tr("Number, as %1").arg(notationText(*column.format)) : tr("Number");
}

QString ColumnItemModel::tip(const ColumnDescription& column, int place) const {
  if (place == kMissing && column.filled > 0)
    return tr("%1 missing cells are filled").arg(formatCount(column.filled));
  if (place != kRole) return {};
  if (!m_canSetRoles)
    return tr(
        "The source names columns for each input or output, so that roles are set in the "
        "form.");
  if (column.isLabelGuessed)
    return tr(
        "The last column is the label, because the project does not name one. Click Label to "
        "confirm it, or choose another column.");
  if (isOnlyLabel(column)) return tr("To change this role, first make another column the label.");
  return {};
}

}  // namespace strata::ui
