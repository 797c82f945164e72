// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/runs.h"

#include <QTimer>
#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/runs/run_directory.h"
#include "gpu/base/error.h"
#include "ui/document/document.h"
#include "ui/document/latest_worker.h"
#include "ui/format.h"
#include "ui/run/run_text.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

/// Returns true if the designs differ only in parts that do not affect training, such as name and
/// notes.
static bool isSameToTrain(const Json& design, const Project* project) {
  static constexpr const char* kParts[] = {"/data", "/model", "/training", "/execution"};
  return project && std::ranges::all_of(kParts, [&](const char* part) {
           const Json::json_pointer pointer(part);
           return design.value(pointer, Json()) == project->document().value(pointer, Json());
         });
}

Runs::Runs(Workspace& workspace, QObject* parent) : QObject(parent), m_workspace(workspace) {
  connect(&workspace, &Workspace::aboutToClose, this, [this](Document* document) {
    if (const int dropped = m_queue.removeOf(document))
      Q_EMIT logged(tr("%1 was closed, so %n queued run(s) will not start", nullptr, dropped)
                        .arg(document->name()));
    // The views of the document use the controller until they are destroyed.
    if (auto node = m_entries.extract(document)) {
      node.mapped().reader = {};
      RunController* run = node.mapped().controller.release();
      const bool wasActive = run->isActive();
      // The view is destroyed with the controller that it shows, and before its recording
      node.mapped().view.release()->setParent(run);
      if (Replay* replay = node.mapped().replay.release()) {
        replay->setPlaying(false);
        replay->setParent(run);
      }
      run->deleteLater();
      if (wasActive) onState();
    }
  });
  connect(&workspace, &Workspace::saved, this, &Runs::adoptRuns);
  connect(&m_sleep, &SleepGuard::changed, this, [this] {
    const QString problem = m_sleep.problem();
    if (problem.isEmpty() || std::exchange(m_hasToldSleep, true)) return;
    Q_EMIT logged(problem);
  });
}

Runs::~Runs() = default;

bool Runs::hasRunsWithoutFile(Document* document) const {
  const auto found = m_entries.find(document);
  return found != m_entries.end() && !found->second.withoutFile.isEmpty();
}

void Runs::adoptRuns(Document* document) {
  const auto found = m_entries.find(document);
  if (found == m_entries.end()) return;
  found->second.withoutFile.removeIf([&](const QString& directory) {
    try {
      adoptRun(document->project(), directory.toStdString());
      return true;
    }
    catch (const Error& error) {
      Q_EMIT logged(text(error.line()));
      return false;
    }
  });
}

RunController& Runs::of(Document* document) {
  Entry& entry = m_entries[document];
  if (!entry.controller) {
    entry.controller = std::make_unique<RunController>();
    RunController* run = entry.controller.get();
    entry.view = std::make_unique<RunView>(*run, *document);
    connect(run, &RunController::stateChanged, this, &Runs::onState);
    connect(run, &RunController::metricsArrived, this, &Runs::progressed);
    connect(document, &Document::changed, run, [this, document, run] {
      run->follow(document->json());
      // A refusal to start the run does not apply to the edited design. Show the last run again, so
      // that it can continue.
      if (!isSameToTrain(document->json(), run->shown().project.get()) && run->forgetRefused())
        readLastRunOf(*document, m_entries[document]);
    });
    connect(run, &RunController::warned, this, &Runs::logged);
    connect(run, &RunController::started, this, [this, run, document] {
      const RunStart& start = *run->shown().start;
      const QString directory = text(start.runDirectory);
      const bool hadFile = !run->shown().project || !run->shown().project->path().empty();
      QStringList& withoutFile = m_entries[document].withoutFile;
      if (!hadFile && !directory.isEmpty() && !withoutFile.contains(directory)) {
        withoutFile << directory;
        // It may have been saved while the run was prepared
        if (!document->path().isEmpty()) adoptRuns(document);
      }
      Q_EMIT logged(tr("%1: %2").arg(RunText::activity(&start), text(start.runDirectory)));
    });
    connect(run, &RunController::ended, this, [this, run, document] {
      Q_EMIT logged(RunText::outcome(*run->shown().outcome, run->shown().start.get(),
                                     run->shown().project.get()));
      Q_EMIT ended(document);
    });
    readLastRunOf(*document, entry);
  }
  return *entry.controller;
}

RunView& Runs::viewOf(Document* document) {
  of(document);
  return *m_entries[document].view;
}

Replay& Runs::play(Document* document, std::shared_ptr<const Recording> recording) {
  RunView& view = viewOf(document);
  std::unique_ptr<Replay>& replay = m_entries[document].replay;
  replay = std::make_unique<Replay>(std::move(recording));
  view.play(*replay);
  connect(replay.get(), &Replay::moved, this, &Runs::progressed);
  Q_EMIT stateChanged();
  return *replay;
}

Replay* Runs::replayOf(Document* document) const {
  const auto found = m_entries.find(document);
  return found == m_entries.end() ? nullptr : found->second.replay.get();
}

void Runs::readLastRunOf(const Document& document, Entry& entry) {
  // Without a file, the last run under this name may belong to another unsaved project.
  if (document.path().isEmpty()) return;
  entry.reader = std::jthread(
      [run = entry.controller.get(), project = document.project()](const std::stop_token& stop) {
        lowerPriorityOfThisThread();
        auto past = std::make_shared<std::optional<PastRun>>(readLastRun(project, stop));
        if (*past && !stop.stop_requested())
          QMetaObject::invokeMethod(
              run, [run, past] { run->show(std::move(**past)); }, Qt::QueuedConnection);
      });
}

void Runs::reread(Document* document) {
  if (of(document).isActive()) return;
  viewOf(document).showCurrent();
  of(document).forget();
  readLastRunOf(*document, m_entries[document]);
}

RunController* Runs::active() const {
  for (const auto& [document, entry] : m_entries) {
    if (entry.controller->isActive()) return entry.controller.get();
  }
  return nullptr;
}

Document* Runs::activeDocument() const {
  for (const auto& [document, entry] : m_entries) {
    if (entry.controller->isActive()) return document;
  }
  return nullptr;
}

void Runs::start(Document* document, const QString& weightsFrom) {
  start(document, document->project(), weightsFrom);
}

void Runs::start(Document* document, const Project& project, const QString& weightsFrom) {
  if (replayOf(document)) return;
  m_queue.add({document, project, weightsFrom});
  if (const Document* busy = activeDocument())
    Q_EMIT logged(tr("%1 is waiting for the run of %2 to end").arg(document->name(), busy->name()));
  else
    startNext();
}

/// Starts the next run of the queue, unless a run is active.
void Runs::startNext() {
  m_isStarting = false;
  if (isActive()) return;
  std::optional<QueuedRun> next = m_queue.takeNext();
  if (!next) return;
  // The document may have been saved as another file since
  next->project.setPath(next->document->project().path());
  of(next->document).start(next->project, false, next->weightsFrom, &next->document->json());
}

void Runs::onState() {
  // The trial steps of a design would compete with a run.
  const bool hasRun = isActive();
  if (hasRun)
    m_sleep.hold(tr("A network is being trained"));
  else
    m_sleep.release();
  for (int i = 0; i < m_workspace.count(); ++i)
    m_workspace.document(i)->checks().setTrialsAllowed(!hasRun);
  if (!hasRun && m_queue.count() > 0 && !m_isStarting) {
    // Start the next run later, because the controller of the ended run is still executing.
    m_isStarting = true;
    QTimer::singleShot(0, this, &Runs::startNext);
  }
  Q_EMIT stateChanged();
}

}  // namespace strata::ui
