// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/run_notice.h"

#include <QApplication>
#include <QWidget>

#include "ui/run/run_text.h"
#include "ui/workspace/runs.h"

namespace strata::ui {

RunNotice::RunNotice(Runs& runs, QWidget& window)
    : QObject(&window), m_runs(runs), m_window(window), m_notice(window) {
  connect(&runs, &Runs::ended, this, &RunNotice::onEnd);
  connect(&m_notice, &DesktopNotice::clicked, this, &RunNotice::raise);
}

void RunNotice::onEnd(Document* document) {
  const ShownRun& run = m_runs.of(document).shown();
  // Nobody needs to be told what they have asked for
  const bool isAsked = run.isStopping && run.outcome->outcome == Outcome::Stopped;
  if (QApplication::activeWindow() || isAsked) return;
  m_document = document;
  const QString title = run.outcome->outcome == Outcome::Failed
                            ? tr("Training failed: %1").arg(document->name())
                            : tr("Training finished: %1").arg(document->name());
  m_notice.show(title, RunText::outcome(*run.outcome, run.start.get(), run.project.get()));
}

void RunNotice::raise() {
  m_window.setWindowState(m_window.windowState() & ~Qt::WindowMinimized);
  m_window.show();
  m_window.raise();
  m_window.activateWindow();
  Q_EMIT raised(m_document);
}

}  // namespace strata::ui
