// SPDX-License-Identifier: GPL-3.0-or-later
// The bottom row. It shows the number of problems, the state of the run, and when the project was
// saved. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QTimer>
#include <QWidget>

#include "ui/workspace/page_context.h"

class QPushButton;

namespace strata::ui {

class ActionTable;
class Document;
class ElidedLabel;
struct ShownRun;

class StatusRow : public QWidget {
  Q_OBJECT
 public:
  StatusRow(const PageContext& context, ActionTable& actions, QWidget* parent = nullptr);

 private:
  void refreshProblems();
  bool hasFailedRun() const;
  void refreshRun();
  void refreshSaved();
  QString progressOf(const ShownRun& run);
  QString idleText() const;

  PageContext m_context;
  QPushButton* m_problems;
  ElidedLabel* m_run;
  ElidedLabel* m_saved;
  QTimer m_timer;
  // The widest time so far of the run
  QString m_widestClock;
  QPointer<Document> m_document;
};

}  // namespace strata::ui
