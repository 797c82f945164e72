// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/row_view.h"

#include <QHeaderView>
#include <QTreeView>

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

}  // namespace strata::ui
