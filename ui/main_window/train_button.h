// SPDX-License-Identifier: GPL-3.0-or-later
// The button that starts training: one of several actions on the button, the others in a menu next
// to it. Thread: GUI thread.
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
  /// The button shows the first visible action of high priority, else the first visible one. Hidden
  /// actions are not offered.
  TrainButton(QList<QAction*> actions, QWidget* parent);
  /// A sentence at the top of the menu; "" removes it.
  void setNotice(const QString& sentence);
  QString notice() const;

 private:
  void refresh();

  const QList<QAction*> m_actions;
  QAction* m_first = nullptr;
  QPushButton* m_button;
  QPushButton* m_more;
  QLabel* m_notice;
  QWidgetAction* m_noticeAction;
};

}  // namespace strata::ui
