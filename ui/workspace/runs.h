// SPDX-License-Identifier: GPL-3.0-or-later
// The run controller of each document, and which of them trains now: one at a time on this machine.
// Thread: the window's.
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

  /// Made at the first question, and then shows the last run of the project as soon as that is
  /// read; goes with its document.
  RunController& of(Document* document);
  /// The controller whose run is active; null: none.
  RunController* active() const;
  Document* activeDocument() const;
  bool isActive() const { return active() != nullptr; }

  /// A new run from initial weights. While another document trains it waits for that run's end, and
  /// says so. Requires: a document without errors. `weightsFrom`: layers of equal name and shapes
  /// begin with these weights instead.
  void start(Document* document, const QString& weightsFrom = {});
  Document* waiting() const { return m_waiting; }

 Q_SIGNALS:
  // Of any
  void stateChanged();
  // Of the active one
  void progressed();
  void logged(const QString& line);

 private:
  struct Entry {
    std::unique_ptr<RunController> controller;
    // Of the last run; ends before the controller goes
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
