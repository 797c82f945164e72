// SPDX-License-Identifier: GPL-3.0-or-later
// The bottom drawer with the tabs Problems and Log. It starts closed. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "ui/workspace/page_context.h"

class QFrame;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QStackedWidget;

namespace strata::ui {

class ProblemList;

class Drawer : public QWidget {
  Q_OBJECT
 public:
  enum class Tab { Problems, Log };
  explicit Drawer(const PageContext& context, QWidget* parent = nullptr);
  void showTab(Tab tab);
  Tab tab() const;
  ProblemList& problems() { return *m_problems; }
  void log(const QString& line);
  /// Shows a message next to the tabs that training did not start, until the problems change. Moves
  /// the focus to the first error.
  void showRefusal(int errors);

 Q_SIGNALS:
  void tabChosen(Tab tab);
  void closeRequested();

 private:
  QStackedWidget* m_stack;
  ProblemList* m_problems;
  QPlainTextEdit* m_log;
  QPushButton* m_tabs[2];
  QFrame* m_refusal;
  QLabel* m_refusalWords;
};

}  // namespace strata::ui
