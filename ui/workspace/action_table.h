// SPDX-License-Identifier: GPL-3.0-or-later
// Stores every action of the window by name. Menus, shortcuts, Ctrl+K and buttons share one QAction
// each. The window connects the actions. Thread: GUI thread.
#pragma once

#include <QAction>
#include <QHash>
#include <QKeySequence>
#include <QList>
#include <QObject>

namespace strata::ui {

class ActionTable : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// Adds an action. `name` is for example "file.open". Ctrl+K lists `title` without its mnemonic.
  QAction* add(const QString& name, const QString& title, const QList<QKeySequence>& keys = {},
               const QString& iconName = {});
  /// Returns the action, or null if no action has this name.
  QAction* find(const QString& name) const;
  /// Returns the action. Requires that an action with this name was added.
  QAction* operator[](const QString& name) const;
  const QList<QAction*>& all() const { return m_order; }

 private:
  QHash<QString, QAction*> m_byName;
  QList<QAction*> m_order;
};

}  // namespace strata::ui
