// SPDX-License-Identifier: GPL-3.0-or-later
// A row of joined buttons, of which one is checked. It switches pages and views. Thread: GUI
// thread.
#pragma once

#include <QList>
#include <QWidget>

class QButtonGroup;
class QPushButton;

namespace strata::ui {

class Segments : public QWidget {
  Q_OBJECT
 public:
  explicit Segments(QWidget* parent = nullptr);
  QPushButton* add(int id, const QString& title);
  void setCurrent(int id);
  int current() const;

 Q_SIGNALS:
  /// Emitted when the user chooses a button, but not by setCurrent().
  void chosen(int id);

 private:
  QButtonGroup* m_group;
  QList<QPushButton*> m_buttons;
};

}  // namespace strata::ui
