// SPDX-License-Identifier: GPL-3.0-or-later
// Creates the tables of the compiled graph, draws their rows and sets the widths of their columns.
// The item models are in ui/models. Thread: GUI thread.
#pragma once

#include <QString>
#include <initializer_list>
#include <vector>

class QAbstractItemModel;
class QTreeView;
class QWidget;

namespace strata::ui {

/// Creates a table with rows of equal height and a line below each row. A node that the pass
/// changed has a mark at its edge.
QTreeView* makeGraphTable(QAbstractItemModel* model, const QString& name, QWidget* parent);

/// Returns the width that a column needs for its contents and its title, but at most `maximum`.
int columnNeed(const QTreeView* table, int column, int maximum);

/// Makes columns as wide as their contents, up to a limit. The first column takes the remaining
/// width. If the columns do not fit, hides those in `dropped`, in this order.
void layOutColumns(QTreeView* table, std::vector<int> shown, std::initializer_list<int> dropped);

/// The largest width that layOutColumns() gives to a column.
constexpr int kMaxColumnWidth = 190;

}  // namespace strata::ui
