// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/network_list.h"

#include <QHBoxLayout>
#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/elided_label.h"
#include "ui/models/cost_menu.h"
#include "ui/models/layer_delegate.h"
#include "ui/models/layer_item_model.h"
#include "ui/models/selection_link.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/shown_times.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

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
  // The model has more columns than the list shows. Without this call, no row would count as
  // selected.
  list->setSelectionBehavior(QAbstractItemView::SelectRows);
  list->setMouseTracking(true);
  list->setEditTriggers(QAbstractItemView::NoEditTriggers);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  column->addWidget(list, 1);
  auto* link = new SelectionLink(list, model);
  connect(list, &QListView::doubleClicked, this,
          [model, &navigation = context.navigation](const QModelIndex& index) {
            navigation.showLayer(model->layerAt(index));
          });
  m_model = model;
  // One line that is always there, so that the list does not move
  m_source = new ElidedLabel(this);
  setRole(m_source, "muted");
  // The style sheet replaces margins of the label itself.
  auto* place = new QHBoxLayout;
  place->setContentsMargins(12, 2, 6, 4);
  place->addWidget(m_source);
  column->addLayout(place);
  m_times = new ShownTimes(context, this);
  connect(m_times, &ShownTimes::changed, this, &NetworkList::refreshTimes);
  connect(model, &LayerItemModel::headerDataChanged, this, &NetworkList::refreshSource);
  connect(&context.workspace, &Workspace::currentChanged, this, [this, link](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    m_model->setDocument(document);
    link->setDocument(document);
    if (document) connect(document, &Document::estimateChanged, this, &NetworkList::refreshSource);
    refreshTimes();
  });
  connect(&context.navigation, &Navigation::actionRequested, this, [this](const QString& action) {
    if (action == "train.time"_L1) m_model->setCostKind(CostKind::Time);
  });
}

void NetworkList::refreshTimes() {
  m_model->setMeasured(m_times->measured());
  refreshSource();
}

/// Says which run and device the times are of.
void NetworkList::refreshSource() {
  m_source->setText(m_model->costSource());
  m_source->setToolTip(m_model->costSourceTip());
}

}  // namespace strata::ui
