// SPDX-License-Identifier: GPL-3.0-or-later
// The run controller of each document, and which of them is training: one at a time on this
// machine. Thread: GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <map>
#include <memory>
#include <thread>

#include "ui/run/run_controller.h"

namespace strata::ui {

class Document;
class Workspace;

class Runs : public QObject {
  Q_OBJECT
 public:
  explicit Runs(Workspace& workspace, QObject* parent = nullptr);
  ~Runs() override;

  /// Created on first use; then it loads the last run of the project in the background. Destroyed
  /// with its document.
  RunController& of(Document* document);
  /// The controller whose run is active, or null
  RunController* active() const;
  Document* activeDocument() const;
  bool isActive() const { return active() != nullptr; }

  /// Starts a new run from initial weights. If another document is training, the run waits for its
  /// end and says so. Requires: a document without errors. `weightsFrom`: layers with equal name
  /// and shapes start from these weights instead.
  void start(Document* document, const QString& weightsFrom = {});
  Document* waiting() const { return m_waiting; }

 Q_SIGNALS:
  // Of any run
  void stateChanged();
  // Of the active run
  void progressed();
  void logged(const QString& line);

 private:
  struct Entry {
    std::unique_ptr<RunController> controller;
    // Reads the last run; ends before the controller is destroyed
    std::jthread reader;
  };
  void readLastRunOf(const Document& document, Entry& entry);
  void onState();

  Workspace& m_workspace;
  std::map<Document*, Entry> m_entries;
  QString m_waitingWeights;
  QPointer<Document> m_waiting;
};

}  // namespace strata::ui
