// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/cost_menu.h"

#include <QActionGroup>
#include <QMenu>
#include <QPushButton>

#include "ui/models/layer_item_model.h"

namespace strata::ui {

void attachCostMenu(QPushButton* button, LayerItemModel* model,
                    std::function<QString(const QString&)> label) {
  auto* menu = new QMenu(button);
  auto* group = new QActionGroup(menu);
  const auto show = [button, model, group, label = std::move(label)] {
    for (QAction* action : group->actions())
      action->setChecked(action->data().toInt() == static_cast<int>(model->costKind()));
    button->setText(label(LayerItemModel::costTitle(model->costKind())));
    button->setAccessibleName(button->text());
    button->setStyleSheet(QStringLiteral("padding-right: 18px;"));
  };
  for (const CostKind kind :
       {CostKind::Time, CostKind::Memory, CostKind::Parameters, CostKind::MultiplyAdds}) {
    QAction* action = menu->addAction(LayerItemModel::costTitle(kind));
    action->setCheckable(true);
    action->setData(static_cast<int>(kind));
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, model,
                     [model, kind] { model->setCostKind(kind); });
  }
  QObject::connect(model, &LayerItemModel::headerDataChanged, button, show);
  button->setMenu(menu);
  show();
}

}  // namespace strata::ui
