// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/row_view.h"

#include <QHeaderView>
#include <QTableView>
#include <QTreeView>

#include "ui/theme/style_sheet.h"

namespace strata::ui {

void showRows(QTreeView* view) {
  view->setRootIsDecorated(false);
  view->setItemsExpandable(false);
  view->setIndentation(0);
  view->setUniformRowHeights(true);
  view->setSelectionBehavior(QAbstractItemView::SelectRows);
  view->setEditTriggers(QAbstractItemView::NoEditTriggers);
  view->setMouseTracking(true);
  view->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  QHeaderView* header = view->header();
  header->setSectionsMovable(false);
  header->setStretchLastSection(false);
  header->setHighlightSections(false);
}

void alignTitles(QTableView* table) {
  setRole(table, "columns");
  QHeaderView* header = table->horizontalHeader();
  header->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  header->setHighlightSections(false);
  // The style keeps room for the arrow next to each title, which is a part of the gap
  setRole(header, table->isSortingEnabled() ? "sorted" : "plain");
}

}  // namespace strata::ui
