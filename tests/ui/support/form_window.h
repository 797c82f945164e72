// SPDX-License-Identifier: GPL-3.0-or-later
// A window that shows the training form of a project, and ways to use its fields.
#pragma once

#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QtTest>
#include <utility>

#include <nlohmann/json.hpp>

#include "tests/ui/support/window.h"

namespace strata::ui {

class FormWindow : public TestWindow {
 public:
  explicit FormWindow(const QList<std::pair<QString, QString>>& replacements)
      : TestWindow(QStringLiteral("random-integers.json"), replacements) {
    waitForInspection();
    showTraining();
  }
  void showTraining() {
    click(buttonWith(window(), QStringLiteral("Training")));
    openSections();
  }
  const Json& training() { return document().json().at("training"); }
  static void reveal(QWidget* widget) { strata::ui::reveal(widget); }
  static void pressButton(QWidget* widget) {
    QVERIFY(widget);
    reveal(widget);
    click(widget);
    QTest::qWait(30);
  }
  /// Returns the visible marks of fields with this text.
  QList<QLabel*> marks(const QString& words) {
    QList<QLabel*> found;
    for (QLabel* label : window().findChildren<QLabel*>())
      if (label->isVisible() && label->objectName().endsWith(QStringLiteral("/mark")) &&
          label->text() == words)
        found << label;
    return found;
  }
  /// Chooses the item with this text in the open menu.
  static void choose(const QString& words) {
    QMenu* menu = nullptr;
    QTRY_VERIFY((menu = qobject_cast<QMenu*>(QApplication::activePopupWidget())) != nullptr);
    for (QAction* action : menu->actions()) {
      if (action->text() != words) continue;
      QTest::qWait(50);
      clickAt(menu, menu->actionGeometry(action).center());
      QTest::qWait(30);
      return;
    }
    QFAIL(qPrintable(QStringLiteral("no %1 in the menu").arg(words)));
  }
  /// Returns a field of an object in a list, such as "/training/callbacks/0".
  template <class T>
  T* field(const QString& item, const QString& name) {
    auto* body = window().findChild<QWidget*>(item);
    return body ? body->findChild<T*>(name) : nullptr;
  }
  static void type(QLineEdit* edit, const QString& words) {
    QVERIFY(edit);
    reveal(edit);
    clickAt(edit, QPoint(12, edit->height() / 2));
    edit->selectAll();
    QTest::keyClicks(edit, words);
    QTest::keyClick(edit, Qt::Key_Return);
    QTest::qWait(30);
  }
  QLabel* problem(const QString& words) {
    for (QLabel* label : window().findChildren<QLabel*>())
      if (label->property("role").toString() == QStringLiteral("problem") && label->isVisible() &&
          label->text().contains(words))
        return label;
    return nullptr;
  }
};

}  // namespace strata::ui
