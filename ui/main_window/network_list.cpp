// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/network_list.h"

#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>

#include "ui/models/cost_menu.h"
#include "ui/models/layer_delegate.h"
#include "ui/models/layer_item_model.h"
#include "ui/models/selection_link.h"
#include "ui/run/run_text.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

NetworkList::NetworkList(const PageContext& context, QWidget* parent)
    : QWidget(parent), m_runs(context.runs) {
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
  connect(&context.workspace, &Workspace::currentChanged, this, [this, link](Document* document) {
    if (m_document) m_document->disconnect(this);
    if (m_run) m_run->disconnect(this);
    m_document = document;
    m_run = document ? &m_runs.of(document) : nullptr;
    m_model->setDocument(document);
    link->setDocument(document);
    if (document) {
      connect(document, &Document::changed, this, &NetworkList::refreshMeasured);
      connect(m_run, &RunController::profileArrived, this, &NetworkList::refreshMeasured);
      connect(m_run, &RunController::stateChanged, this, &NetworkList::refreshMeasured);
    }
    refreshMeasured();
  });
  connect(&context.navigation, &Navigation::actionRequested, this, [this](const QString& action) {
    if (action == "train.time"_L1) m_model->setCostKind(CostKind::Time);
  });
}

/// Shows the times of the run's profile.
void NetworkList::refreshMeasured() {
  std::optional<MeasuredTimes> measured;
  if (m_run && m_run->shown().profile && m_run->shown().start && m_run->shown().project) {
    measured = measuredTimes(*m_run->shown().profile);
    measured->run = RunText::title(m_run->shown().start->runDirectory);
    measured->changes = designChanges(*m_run->shown().project, m_document->project());
  }
  m_model->setMeasured(std::move(measured));
}

}  // namespace strata::ui
