// SPDX-License-Identifier: GPL-3.0-or-later
// The page that is shown while no project is open. It offers New, Open, recent projects and
// templates. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "ui/workspace/page_context.h"

class QLabel;
class QListWidget;

namespace strata::ui {

class FileDesk;

class StartPage : public QWidget {
  Q_OBJECT
 public:
  StartPage(const PageContext& context, FileDesk& files, QWidget* parent);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* makeActions();
  QListWidget* makeList(const QString& name, Qt::TextElideMode elide);
  void fillRecent();
  void fillTemplates();
  void openItem(QListWidget* list);

  PageContext m_context;
  FileDesk& m_files;
  QListWidget* m_recent;
  QLabel* m_noRecent;
  QListWidget* m_templates;
};

}  // namespace strata::ui
