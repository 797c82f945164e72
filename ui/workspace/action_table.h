// SPDX-License-Identifier: GPL-3.0-or-later
// Every action of the window by name. Menus, shortcuts, Ctrl+K and buttons share one QAction each.
// Connections are made elsewhere. Thread: GUI thread.
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
  /// `name` is for example "file.open". Ctrl+K lists `title` without its mnemonic.
  QAction* add(const QString& name, const QString& title, const QList<QKeySequence>& keys = {},
               const QString& iconName = {});
  // null if there is none
  QAction* find(const QString& name) const;
  /// Requires: a name that was added.
  QAction* operator[](const QString& name) const;
  const QList<QAction*>& all() const { return m_order; }

 private:
  QHash<QString, QAction*> m_byName;
  QList<QAction*> m_order;
};

}  // namespace strata::ui
