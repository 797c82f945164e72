// SPDX-License-Identifier: GPL-3.0-or-later
// The runs that wait for the active run to end, in their order. Each one has a copy of the project
// as it was when it was queued. Not here: starting them (runs.h). Thread: GUI thread.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <optional>
#include <vector>

#include "core/project/project.h"
#include "ui/document/document.h"

namespace strata::ui {

struct QueuedRun {
  QPointer<Document> document;
  Project project;
  // A file or run directory with the first weights, or "" for initial weights
  QString weightsFrom = {};
  // Its number in the queue, which add() sets
  int id = 0;
};

class RunQueue : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;

  const std::vector<QueuedRun>& runs() const { return m_runs; }
  int count() const { return static_cast<int>(m_runs.size()); }
  int countOf(const Document* document) const;

  void add(QueuedRun run);
  /// Removes and returns the next run, or nullopt if none waits.
  std::optional<QueuedRun> takeNext();
  /// Both do nothing if the run with this number does not wait any more.
  void remove(int id);
  void makeNext(int id);
  /// Removes all runs of a document and returns how many there were.
  int removeOf(const Document* document);
  void clear();

 Q_SIGNALS:
  void changed();

 private:
  std::vector<QueuedRun>::iterator at(int id);

  std::vector<QueuedRun> m_runs;
  int m_lastId = 0;
};

}  // namespace strata::ui
