// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of Compiled on the Design page: how rows are drawn and how wide columns are. Not their
// contents (ui/models). Thread: GUI thread.
#pragma once

#include <QString>
#include <initializer_list>
#include <vector>

class QAbstractItemModel;
class QTreeView;
class QWidget;

namespace strata::ui {

/// A table with rows of equal height and a line under each. A node that the pass changed has a mark
/// on its edge.
QTreeView* makeGraphTable(QAbstractItemModel* model, const QString& name, QWidget* parent);

/// The width that a column needs for its contents and its title, up to `maximum`
int columnNeed(const QTreeView* table, int column, int maximum);

/// Makes columns as wide as their contents, up to a limit; the first one takes the remaining width.
/// If they do not fit, hides the columns in `dropped`, in this order.
void layOutColumns(QTreeView* table, std::vector<int> shown, std::initializer_list<int> dropped);

/// The width limit of layOutColumns()
constexpr int kMaxColumnWidth = 190;

}  // namespace strata::ui
