// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/network_list.h"

#include <QListView>
#include <QPushButton>
#include <QVBoxLayout>
#include <map>

#include <nlohmann/json.hpp>

#include "ui/document/document.h"
#include "ui/models/cost_menu.h"
#include "ui/models/layer_delegate.h"
#include "ui/models/layer_item_model.h"
#include "ui/models/selection_link.h"
#include "ui/run/run_controller.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

namespace {

const Json* layerNamed(const Json& document, const std::string& name) {
  const Json::json_pointer place("/model/layers");
  if (!document.contains(place) || !document.at(place).is_array()) return nullptr;
  for (const Json& layer : document.at(place)) {
    if (layer.is_object() && layer.contains("name") && layer["name"] == name) return &layer;
  }
  return nullptr;
}

}  // namespace

NetworkList::NetworkList(const PageContext& context, QWidget* parent) : QWidget(parent), m_runs(context.runs) {
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
  m_model = model;
  connect(&context.workspace, &Workspace::currentChanged, this, [this, link](Document* document) {
    for (QObject* sender : {static_cast<QObject*>(m_document), static_cast<QObject*>(m_run)})
      if (sender) sender->disconnect(this);
    m_document = document;
    m_run = document ? &m_runs.of(document) : nullptr;
    m_model->setDocument(document);
    link->setDocument(document);
    if (document) connect(document, &Document::changed, this, &NetworkList::refreshMeasured);
    if (m_run) {
      connect(m_run, &RunController::started, this, &NetworkList::refreshMeasured);
      connect(m_run, &RunController::profileArrived, this, &NetworkList::refreshMeasured);
    }
    refreshMeasured();
  });
}

/// Times of the run, on layers that are still what they were in it.
void NetworkList::refreshMeasured() {
  std::map<std::string, double> seconds;
  if (m_document && m_run && m_run->profile() && m_run->runProject() && m_run->profile()->steps > 0) {
    std::map<std::string, double> all;
    for (const ProfileRow& row : m_run->profile()->rows) {
      if (row.phase != Phase::Update && !row.layer.empty())
        all[row.layer] += static_cast<double>(row.total.count()) * 1e-9 / static_cast<double>(m_run->profile()->steps);
    }
    for (const auto& [layer, time] : all) {
      const Json* now = layerNamed(m_document->json(), layer);
      const Json* then = layerNamed(m_run->runProject()->document(), layer);
      if (now && then && *now == *then) seconds[layer] = time;
    }
  }
  m_model->setMeasuredSeconds(std::move(seconds));
}

}  // namespace strata::ui
