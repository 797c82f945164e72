// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/action_table.h"

#include "gpu/base/error.h"
#include "ui/theme/icons.h"

namespace strata::ui {

QAction* ActionTable::add(const QString& name, const QString& title,
                          const QList<QKeySequence>& keys, const QString& iconName) {
  auto* action = new QAction(title, this);
  action->setObjectName(name);
  action->setShortcuts(keys);
  if (!iconName.isEmpty()) action->setIcon(icon(iconName));
  m_byName.insert(name, action);
  m_order << action;
  return action;
}

QAction* ActionTable::find(const QString& name) const { return m_byName.value(name); }

QAction* ActionTable::operator[](const QString& name) const {
  QAction* action = m_byName.value(name);
  require(action != nullptr, "an action is asked for by the name it was added with");
  return action;
}

}  // namespace strata::ui
