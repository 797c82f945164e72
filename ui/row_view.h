// SPDX-License-Identifier: GPL-3.0-or-later
// Makes a tree view a table: one row per item, without branches. Not here: the widths of columns
// (column_widths.h). Thread: GUI thread.
#pragma once

class QTreeView;

namespace strata::ui {

/// Gives the view rows of equal height without branches, which are selected as a whole and scroll
/// by pixel. Its columns keep their order, and its titles are not highlighted.
void showRows(QTreeView* view);

}  // namespace strata::ui
