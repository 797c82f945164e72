// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/network_list.h"

#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/models/cost_menu.h"
#include "ui/models/layer_delegate.h"
#include "ui/models/layer_item_model.h"
#include "ui/models/selection_link.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

NetworkList::NetworkList(const PageContext& context, QWidget* parent) : QWidget(parent) {
  setRole(this, "pane");
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 6, 0, 0);
  column->setSpacing(2);
  auto* model = new LayerItemModel(this);
  auto* cost = new QPushButton(this);
  setRole(cost, "link");
  attachCostMenu(cost, model, [](const QString& title) { return tr("Network: %1").arg(title); });
  column->addWidget(cost, 0, Qt::AlignLeft);
  auto* list = new QListView(this);
  list->setAccessibleName(tr("Layers of the network"));
  list->setModel(model);
  list->setItemDelegate(new NetworkListDelegate(list));
  list->setSelectionMode(QAbstractItemView::ExtendedSelection);
  list->setMouseTracking(true);
  list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column->addWidget(list, 1);
  auto* link = new SelectionLink(list, model);
  connect(list, &QListView::doubleClicked, this,
          [model, &navigation = context.navigation](const QModelIndex& index) { navigation.showLayer(model->layerAt(index)); });
  connect(&context.workspace, &Workspace::currentChanged, this, [model, link](Document* document) {
    model->setDocument(document);
    link->setDocument(document);
  });
}

}  // namespace strata::ui
