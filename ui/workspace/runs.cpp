// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/runs.h"

#include <QTimer>

#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_text.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

Runs::Runs(Workspace& workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {
  connect(&workspace, &Workspace::aboutToClose, this, [this](Document* document) {
    // Views of the document hold the controller until they are gone, too.
    if (auto node = m_controllers.extract(document)) node.mapped().release()->deleteLater();
  });
}

Runs::~Runs() = default;

RunController& Runs::of(Document* document) {
  auto& controller = m_controllers[document];
  if (!controller) {
    controller = std::make_unique<RunController>();
    RunController* run = controller.get();
    connect(run, &RunController::stateChanged, this, &Runs::onState);
    connect(run, &RunController::metricsArrived, this, &Runs::progressed);
    connect(run, &RunController::warned, this, &Runs::logged);
    connect(run, &RunController::started, this,
            [this, run] { Q_EMIT logged(tr("Run started: %1").arg(text(run->runStart()->runDirectory))); });
    connect(run, &RunController::ended, this, [this, run] { Q_EMIT logged(RunText::outcome(*run->outcome(), run->runStart().get())); });
  }
  return *controller;
}

RunController* Runs::active() const {
  for (const auto& [document, controller] : m_controllers) {
    if (controller->isActive()) return controller.get();
  }
  return nullptr;
}

Document* Runs::activeDocument() const {
  for (const auto& [document, controller] : m_controllers) {
    if (controller->isActive()) return document;
  }
  return nullptr;
}

void Runs::start(Document* document) {
  if (of(document).isActive()) return;
  if (const Document* busy = activeDocument()) {
    m_waiting = document;
    Q_EMIT logged(tr("%1 waits until the run of %2 ends").arg(document->name(), busy->name()));
    Q_EMIT stateChanged();
    return;
  }
  launch(document);
}

void Runs::launch(Document* document) { of(document).start(document->project()); }

void Runs::onState() {
  // Trial steps of any design would compete with a run.
  const bool hasRun = isActive();
  for (int i = 0; i < m_workspace.count(); ++i) m_workspace.document(i)->setTrialsAllowed(!hasRun);
  if (!hasRun && m_waiting) {
    // The controller that ended is still inside its own call.
    QTimer::singleShot(0, this, [this, next = std::exchange(m_waiting, QPointer<Document>())] {
      if (!next) return;
      next->inspectNow();
      if (next->errorCount() == 0) start(next);
    });
  }
  Q_EMIT stateChanged();
}

}  // namespace strata::ui
