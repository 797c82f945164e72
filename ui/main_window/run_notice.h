// SPDX-License-Identifier: GPL-3.0-or-later
// Notifies the user on the desktop when a run has ended while no window of the program is in front.
// A click on the notification brings the window to the front. Thread: GUI thread.
#pragma once

#include <QObject>
#include <QPointer>

#include "ui/desktop/desktop_notice.h"
#include "ui/document/document.h"

class QWidget;

namespace strata::ui {

class Runs;

class RunNotice : public QObject {
  Q_OBJECT
 public:
  RunNotice(Runs& runs, QWidget& window);

 Q_SIGNALS:
  // The user clicked a notification, so the window is in front. `document` is that of the last run
  // that has ended, or null if it was closed.
  void raised(strata::ui::Document* document);

 private:
  void onEnd(Document* document);
  void raise();

  Runs& m_runs;
  QWidget& m_window;
  DesktopNotice m_notice;
  // The document of the last notification
  QPointer<Document> m_document;
};

}  // namespace strata::ui
