// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a project as a table: the chosen columns of the runs that a filter keeps, sorted by
// one of them. Not here: reading the runs (run/run_list.h). Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "ui/run/run_list.h"

namespace strata::ui {

/// Returns the heading of a column in the language of the window.
QString columnTitle(const RunColumn& column);
/// Returns a value of a run for a person. Unknown values are empty.
QString runCellText(const RunRow& row, const RunColumn& column);
QString runCellText(const RunCell& cell, const RunColumn& column);
/// Whether numbers of this column are aligned to the right.
bool isNumeric(const RunColumn& column);
/// Returns the title of a run, such as "Run 3" or "Run 3: wider".
QString runTitleWithNotes(const RunRow& row);

class RunTableModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;

  void setContent(std::shared_ptr<const RunList::Content> content);
  /// Sets the columns by their ids, in the order of allColumns(). An empty list means
  /// usualColumns().
  void setColumns(const QStringList& ids);
  /// Returns the columns that exist, those of settings last.
  std::vector<RunColumn> allColumns() const;
  /// Returns the ids of the columns that a user sees first: those that have values.
  QStringList usualColumns() const;
  const std::vector<RunColumn>& columns() const { return m_columns; }
  /// Chooses the runs by words, as RunFilter. Returns "", or the reason why the text is wrong. The
  /// last right filter then stays.
  QString setFilter(const QString& words);
  /// Also shows archived runs.
  void setArchivedShown(bool isShown);
  int archivedCount() const { return m_archived; }
  /// Sorts by the column of this id, also if it is not shown.
  void setOrder(const QString& id, Qt::SortOrder order);
  /// Returns the place of the column by which rows are sorted, or -1 if it is not shown.
  int sortedColumn() const;
  Qt::SortOrder sortOrder() const { return m_order; }
  /// Returns the run of a row.
  const RunRow& run(int row) const { return m_content->rows[m_shown[static_cast<size_t>(row)]]; }
  /// Returns the row of a run by RunInfo::listedAt, or -1.
  int rowOf(const std::string& listedAt) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  void sort(int column, Qt::SortOrder order) override;

 private:
  void choose();
  void chooseRows();
  void order();

  std::shared_ptr<const RunList::Content> m_content = std::make_shared<const RunList::Content>();
  // Empty for the usual ones
  QStringList m_wanted;
  std::vector<RunColumn> m_columns;
  // Places in the content
  std::vector<size_t> m_shown;
  std::string m_filter;
  bool m_isArchivedShown = false;
  int m_archived = 0;
  std::string m_sorted = "number";
  Qt::SortOrder m_order = Qt::DescendingOrder;
};

}  // namespace strata::ui
