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
  /// has high priority. Neither the button nor the menu offers hidden actions.
  TrainButton(QList<QAction*> actions, QWidget* parent);
  /// Sets the sentence at the top of the menu. An empty sentence removes it.
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
