// SPDX-License-Identifier: GPL-3.0-or-later
// Creates the tables of the compiled graph, draws their rows and sets the widths of their columns.
// The item models are in ui/models. Thread: GUI thread.
#pragma once

#include <QString>
#include <functional>
#include <vector>

class QAbstractItemModel;
class QTreeView;
class QWidget;

namespace strata::ui {

/// Creates a table with rows of equal height and a line below each row. A node that the pass
/// changed has a mark at its edge. `layOut` lays out the columns after the user has resized one;
/// their widths are stored as `key`.
QTreeView* makeGraphTable(QAbstractItemModel* model, const QString& name, const QString& key,
                          const std::function<void()>& layOut, QWidget* parent);

/// Returns the width that a column needs for its contents and its title, but at most `maximum`.
int columnNeed(const QTreeView* table, int column, int maximum);

/// Makes columns as wide as their contents, up to a limit, or as the user wants. The first column
/// takes the remaining width. If the columns do not fit, hides the first one in `dropped`, then
/// narrows those in `narrowed`, then hides the others in `dropped`, in this order.
void layOutColumns(QTreeView* table, std::vector<int> shown, const std::vector<int>& dropped,
                   const std::vector<int>& narrowed = {});

/// The largest width that layOutColumns() gives to a column.
constexpr int kMaxColumnWidth = 190;

}  // namespace strata::ui
