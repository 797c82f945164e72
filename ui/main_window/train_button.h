// SPDX-License-Identifier: GPL-3.0-or-later
// The button that starts training. It shows one of several actions, and a menu next to it has the
// others. Thread: GUI thread.
#pragma once

#include <QList>
#include <QWidget>

class QAction;
class QLabel;
class QPushButton;
class QWidgetAction;

namespace strata::ui {

class TrainButton : public QWidget {
  Q_OBJECT
 public:
  /// The button shows the first visible action of high priority, or the first visible one if none
  /// has high priority. Neither the button nor the menu offers hidden actions. The button has the
  /// icon text of the action, which is short, and the menu its text.
  TrainButton(QList<QAction*> actions, QWidget* parent);
  /// Fixes the width of the button to that of the widest of these texts. It elides longer ones.
  void reserve(const QStringList& texts);
  /// Sets the sentence at the top of the menu. An empty sentence removes it.
  void setNotice(const QString& sentence);
  QString notice() const;

 private:
  void refresh();

  const QList<QAction*> m_actions;
  QAction* m_first = nullptr;
  QPushButton* m_button;
  // The space around its text; 0 before reserve()
  int m_padding = 0;
  QPushButton* m_more;
  QLabel* m_notice;
  QWidgetAction* m_noticeAction;
};

}  // namespace strata::ui
