// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of Design's Compiled: how their rows are drawn, and how wide their columns are. Not
// what stands in them (ui/models). Thread: the window's.
#pragma once

#include <QString>
#include <initializer_list>
#include <vector>

class QAbstractItemModel;
class QTreeView;
class QWidget;

namespace strata::ui {

/// Rows of one height with a line under each; a node that the pass touched has a mark on its edge.
QTreeView* makeGraphTable(QAbstractItemModel* model, const QString& name, QWidget* parent);

/// What a column takes to show its words and its title, up to `most`.
int columnNeed(const QTreeView* table, int column, int most);

/// Columns as wide as their words need, up to a limit; the first one takes what is left. Where all
/// do not fit, those of `dropped` go, in this order.
void layOutColumns(QTreeView* table, std::vector<int> shown, std::initializer_list<int> dropped);

/// The limit of layOutColumns().
constexpr int kMostWords = 190;

}  // namespace strata::ui
