// SPDX-License-Identifier: GPL-3.0-or-later
// Owns the run controller of each document. Only one run is active at a time on this machine, and
// others wait in a queue.
// Thread: GUI thread.
#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <thread>

#include "ui/desktop/sleep_guard.h"
#include "ui/run/replay.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_view.h"
#include "ui/workspace/run_queue.h"

namespace strata::ui {

class Document;
class Workspace;

class Runs : public QObject {
  Q_OBJECT
 public:
  explicit Runs(Workspace& workspace, QObject* parent = nullptr);
  ~Runs() override;

  /// Returns the controller of the document. The first call creates it and loads the project's last
  /// run in the background. The controller is destroyed with its document.
  RunController& of(Document* document);
  /// Returns what the lenses of the document show. It lives as long as the controller.
  RunView& viewOf(Document* document);
  /// Shows a recording in the lenses of the document, which does not train from then on. Requires:
  /// viewOf(document) shows no run.
  Replay& play(Document* document, std::shared_ptr<const Recording> recording);
  /// Returns the recording that the document shows, or null.
  Replay* replayOf(Document* document) const;
  /// Returns the controller with the active run, or null.
  RunController* active() const;
  Document* activeDocument() const;
  bool isActive() const { return active() != nullptr; }
  /// Whether the document has runs that are not among those of its project, because it had no file
  /// when they began.
  bool hasRunsWithoutFile(Document* document) const;

  /// Reads the last run of the document again, because runs were deleted or restored.
  void reread(Document* document);

  /// Starts a new run of the document from initial weights. While another run is active, the new
  /// one waits in the queue, and a log line says so. Requires a document without errors. With
  /// `weightsFrom`, layers with equal names and shapes start from these weights instead.
  void start(Document* document, const QString& weightsFrom = {});
  /// Starts or queues a run of this design and these settings, which becomes a run of the document.
  void start(Document* document, const Project& project, const QString& weightsFrom = {});
  /// The runs that wait. The next one starts when the active run ends, however it ends.
  RunQueue& queue() { return m_queue; }
  /// Keeps the machine awake while a run is active.
  const SleepGuard& sleepGuard() const { return m_sleep; }

 Q_SIGNALS:
  /// Emitted when the state of any run changes.
  void stateChanged();
  /// Emitted when the run of a document has ended.
  void ended(Document* document);
  /// Emitted when the active run makes progress.
  void progressed();
  void logged(const QString& line);

 private:
  struct Entry {
    std::unique_ptr<RunController> controller;
    std::unique_ptr<RunView> view;
    std::unique_ptr<Replay> replay;
    // Reads the last run. It ends before the controller is destroyed.
    std::jthread reader;
    // The directories of these runs
    QStringList withoutFile;
  };
  void readLastRunOf(const Document& document, Entry& entry);
  void onState();
  void startNext();
  /// Adds the runs of a document that was saved to the runs of its project.
  void adoptRuns(Document* document);

  Workspace& m_workspace;
  SleepGuard m_sleep;
  // The log says only once that the machine may sleep
  bool m_hasToldSleep = false;
  std::map<Document*, Entry> m_entries;
  RunQueue m_queue;
  // Whether startNext() is about to be called
  bool m_isStarting = false;
};

}  // namespace strata::ui
