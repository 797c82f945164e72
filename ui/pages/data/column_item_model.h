// SPDX-License-Identifier: GPL-3.0-or-later
// The columns of a table, one per row: name, type, first values, missing cells and role. Thread:
// GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <array>

#include "core/data/describe_table.h"

namespace strata::ui {

class ColumnItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kName, kType, kValues, kMissing, kRole, kColumns };
  /// The role of a column as an int, whether it is guessed, and whether it can change.
  enum DataRole { kRoleRole = Qt::UserRole, kGuessedRole, kEditableRole };
  static constexpr std::array kRoles = {
      ColumnDescription::Role::Input, ColumnDescription::Role::Label,
      ColumnDescription::Role::Weight, ColumnDescription::Role::Ignored};

  using QAbstractTableModel::QAbstractTableModel;
  /// Shows the columns of a table. Without `canSetRoles`, the roles cannot be clicked.
  void show(TableDescription table, bool canSetRoles);
  const TableDescription& table() const { return m_table; }
  /// Returns the name of a role, as its button shows it.
  static QString roleName(ColumnDescription::Role role);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString words(const ColumnDescription& column, int place) const;
  QString typeText(const ColumnDescription& column) const;
  QString tip(const ColumnDescription& column, int place) const;
  /// Whether the column is the only label, which keeps its role until another column is the label.
  bool isOnlyLabel(const ColumnDescription& column) const;

  TableDescription m_table;
  bool m_canSetRoles = true;
  int m_labels = 0;
};

}  // namespace strata::ui
