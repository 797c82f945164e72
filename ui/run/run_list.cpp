// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "gpu/base/error.h"
#include "ui/document/document.h"
#include "ui/document/latest_worker.h"
#include "ui/format.h"

namespace strata::ui {

RunList::RunList(const Document& document, QObject* parent)
    : QObject(parent), m_document(document) {
  // The requests keep their order
  m_pool.setMaxThreadCount(1);
}

RunList::~RunList() {
  // Notes and deletions that wait are still written
  m_pool.waitForDone();
}

/// Calls `work` on the worker, and what it returns on the GUI thread.
template <class Work>
void RunList::post(Work work) {
  m_pool.start([this, work = std::move(work)] {
    lowerPriorityOfThisThread();
    try {
      QMetaObject::invokeMethod(this, work(), Qt::QueuedConnection);
    }
    catch (const Error& error) {
      QMetaObject::invokeMethod(
          this, [this, line = text(error.line())] { Q_EMIT failed(line); }, Qt::QueuedConnection);
    }
  });
}

void RunList::read() {
  // A request that waits will find the present files
  if (m_waitingReads > 0) return;
  ++m_waitingReads;
  post([this, project = m_document.project()] {
    QMetaObject::invokeMethod(
        this, [this] { --m_waitingReads; }, Qt::QueuedConnection);
    auto content = std::make_shared<Content>();
    content->rows = readRunRows(project);
    content->columns = columnsOf(content->rows);
    content->settings = settingColumnsOf(content->rows);
    return [this, content] {
      m_content = content;
      m_isRead = true;
      Q_EMIT changed();
    };
  });
}

const RunRow* RunList::find(const std::string& listedAt) const {
  const auto found = std::ranges::find_if(
      m_content->rows, [&](const RunRow& row) { return row.info.listedAt == listedAt; });
  return found == m_content->rows.end() ? nullptr : &*found;
}

void RunList::setNotes(const RunRow& row, const RunNotes& notes) {
  post([this, directory = row.info.directory, notes] {
    std::optional<Error> problem;
    try {
      writeRunNotes(directory, notes);
    }
    catch (const Error& error) {
      problem = error;
    }
    return [this, problem] {
      if (problem) Q_EMIT failed(text(problem->line()));
      read();
    };
  });
}

void RunList::finishDeletion(const Deletion& deletion) {
  for (const Error& error : deletion.refused)
    Q_EMIT failed(text(error.line()));
  if (!deletion.deleted.empty()) {
    m_deletions.push_back(deletion.deleted);
    Q_EMIT undoableChanged();
  }
  read();
}

void RunList::remove(const std::vector<std::string>& runs) {
  post([this, runs] {
    const Deletion deletion = deleteRuns(runs);
    return [this, deletion] {
      finishDeletion(deletion);
    };
  });
}

void RunList::clean(const RetentionPlan& plan) {
  post([this, plan] {
    const Deletion deletion = applyRetention(plan);
    return [this, deletion] {
      finishDeletion(deletion);
    };
  });
}

std::vector<DeletedRun> RunList::undoable() const {
  return m_deletions.empty() ? std::vector<DeletedRun>() : m_deletions.back();
}

void RunList::undo() {
  if (m_deletions.empty()) return;
  const std::vector<DeletedRun> runs = std::move(m_deletions.back());
  m_deletions.pop_back();
  Q_EMIT undoableChanged();
  post([this, runs] {
    const Restoration restoration = undoDelete(runs);
    return [this, runs, restoration] {
      for (const Error& error : restoration.refused)
        Q_EMIT failed(text(error.line()));
      // The user may make room for a refused run, and then undo again
      std::vector<DeletedRun> refused = runs;
      std::erase_if(refused, [&](const DeletedRun& run) {
        return std::ranges::find(restoration.restored, run.directory()) !=
               restoration.restored.end();
      });
      if (!refused.empty()) m_deletions.push_back(std::move(refused));
      Q_EMIT undoableChanged();
      read();
    };
  });
}

}  // namespace strata::ui
