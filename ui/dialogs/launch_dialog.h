// SPDX-License-Identifier: GPL-3.0-or-later
// Trains a project in several processes, on this machine or on others, and shows the state and the
// log of each process. The dialog can be closed while the run goes on.
// Thread: GUI thread.
#pragma once

#include <QDialog>
#include <QPointer>

#include "ui/document/document.h"
#include "ui/run/launched_run.h"

class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace strata::ui {

class FileDesk;

class LaunchDialog : public QDialog {
  Q_OBJECT
 public:
  LaunchDialog(FileDesk& files, QWidget* parent);
  /// Shows the dialog for this project. A run that is active stays.
  void openFor(Document* document);
  const LaunchedRun& run() const { return m_run; }

 private:
  void makeFields();
  void makeViews();
  void start();
  void refresh();
  void showLog();
  int chosenRank() const;

  FileDesk& m_files;
  LaunchedRun m_run;
  // The project that is started, and the name of the one that runs
  QPointer<Document> m_document;
  QString m_name;
  QLabel* m_status;
  QSpinBox* m_processes;
  QLineEdit* m_hosts;
  QPushButton *m_start, *m_stop;
  QTreeWidget* m_workers;
  QLabel* m_logTitle;
  QPlainTextEdit* m_log;
  // The number of the shown lines
  qsizetype m_shownLines = -1;
};

}  // namespace strata::ui
