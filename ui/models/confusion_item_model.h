// SPDX-License-Identifier: GPL-3.0-or-later
// A confusion matrix as a table: rows are true classes, columns predicted ones. Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <QColor>
#include <QStringList>
#include <optional>

#include "core/evaluation/confusion.h"

namespace strata::ui {

struct Colors;

class ConfusionItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  using QAbstractTableModel::QAbstractTableModel;
  /// Shows a matrix with the names of its classes.
  void setConfusion(std::optional<Confusion> confusion, QStringList names);
  void setColors(const Colors& colors);
  /// Shows or hides the counts, for cells without room for them.
  void setCountsShown(bool isShown);
  bool areCountsShown() const { return m_areCountsShown; }
  const std::optional<Confusion>& confusion() const { return m_confusion; }
  QString className(int index) const { return m_names.value(index, QString::number(index)); }
  /// Returns the largest count.
  int64_t largest() const { return m_largest; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override { return rowCount(parent); }
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::optional<Confusion> m_confusion;
  QStringList m_names;
  std::optional<QColor> fillOf(const QModelIndex& index) const;

  QColor m_fill, m_hits, m_behind;
  // Of all cells, and of those off the diagonal
  int64_t m_largest = 0, m_largestMistake = 1;
  bool m_areCountsShown = true;
};

}  // namespace strata::ui
