// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/shown_times.h"

#include "ui/document/document.h"
#include "ui/run/run_controller.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

ShownTimes::ShownTimes(const PageContext& context, QObject* parent)
    : QObject(parent), m_runs(context.runs) {
  connect(&context.workspace, &Workspace::currentChanged, this, &ShownTimes::setDocument);
  setDocument(context.workspace.current());
}

void ShownTimes::setDocument(Document* document) {
  if (m_document) m_document->disconnect(this);
  if (m_run) m_run->disconnect(this);
  m_document = document;
  m_run = document ? &m_runs.of(document) : nullptr;
  if (document) {
    connect(document, &Document::changed, this, &ShownTimes::refresh);
    connect(m_run, &RunController::profileArrived, this, &ShownTimes::refresh);
    connect(m_run, &RunController::stateChanged, this, &ShownTimes::refresh);
  }
  refresh();
}

void ShownTimes::refresh() {
  m_measured = m_run && m_document ? measuredTimes(*m_run, *m_document) : std::nullopt;
  Q_EMIT changed();
}

}  // namespace strata::ui
