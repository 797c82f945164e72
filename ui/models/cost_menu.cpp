// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/cost_menu.h"

#include <QActionGroup>
#include <QMenu>
#include <QPushButton>

#include "ui/models/layer_item_model.h"

namespace strata::ui {

void attachCostMenu(QPushButton* button, LayerItemModel* model, std::function<QString(const QString&)> label) {
  auto* menu = new QMenu(button);
  auto* group = new QActionGroup(menu);
  const auto show = [button, model, label = std::move(label)] {
    button->setText(label(LayerItemModel::costTitle(model->costKind())));
    button->setAccessibleName(button->text());
    button->setStyleSheet(QStringLiteral("padding-right: 18px;"));
  };
  for (const CostKind kind : {CostKind::Time, CostKind::Memory, CostKind::Parameters, CostKind::MultiplyAdds}) {
    QAction* action = menu->addAction(LayerItemModel::costTitle(kind));
    action->setCheckable(true);
    action->setChecked(kind == model->costKind());
    group->addAction(action);
    QObject::connect(action, &QAction::triggered, model, [model, kind, show] {
      model->setCostKind(kind);
      show();
    });
  }
  button->setMenu(menu);
  show();
}

}  // namespace strata::ui
