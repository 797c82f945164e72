// SPDX-License-Identifier: GPL-3.0-or-later
// The button that starts training: one action of several that stand for choice, the others in a
// menu beside it. Thread: the window's.
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
  /// The first visible action of high priority is the button's, else the first visible one; hidden
  /// ones are no choice.
  TrainButton(QList<QAction*> actions, QWidget* parent);
  /// A sentence at the top of the menu; "" none.
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
