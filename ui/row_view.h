// SPDX-License-Identifier: GPL-3.0-or-later
// What tables have in common: a tree view becomes a table with one row per item, and titles stand
// above their columns. Not here: the widths of columns (column_widths.h). Thread: GUI thread.
#pragma once

class QTableView;
class QTreeView;

namespace strata::ui {

/// Gives the view rows of equal height without branches, which are selected as a whole and scroll
/// by pixel. Its columns keep their order, and its titles are not highlighted.
void showRows(QTreeView* view);

/// Aligns the titles of a table with their columns. Titles are at the left, unless the model aligns
/// them at the right, as it must for numbers. The table gets a role, and its columns get a gap.
void alignTitles(QTableView* table);

}  // namespace strata::ui
