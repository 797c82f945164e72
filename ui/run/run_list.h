// SPDX-License-Identifier: GPL-3.0-or-later
// The runs of a document as rows of a table, and what the user does with them: notes, deletion with
// undo, rules of retention. Not here: the values of a row (core/run_list), the table
// (models/run_table_model.h). Thread: GUI thread. A worker reads and changes the files, one request
// after the other.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <memory>
#include <string>
#include <vector>

#include "core/run_list/retention.h"
#include "core/run_list/run_table.h"
#include "core/run_list/trash.h"

namespace strata::ui {

class Document;

class RunList : public QObject {
  Q_OBJECT
 public:
  struct Content {
    // Oldest first
    std::vector<RunRow> rows;
    std::vector<RunColumn> columns;
    // The settings with several values
    std::vector<RunColumn> settings;
  };
  explicit RunList(const Document& document, QObject* parent = nullptr);
  ~RunList() override;

  /// Returns what was read last. It is empty before the first changed().
  const std::shared_ptr<const Content>& content() const { return m_content; }
  /// Whether the runs have been read at least once.
  bool isRead() const { return m_isRead; }
  /// Reads the runs again.
  void read();
  /// Returns the row of a run by RunInfo::listedAt, or null.
  const RunRow* find(const std::string& listedAt) const;

  /// Replaces the notes of a run.
  void setNotes(const RunRow& row, const RunNotes& notes);
  /// Moves runs to the trash, named by RunInfo::listedAt.
  void remove(const std::vector<std::string>& runs);
  /// Moves the runs of a plan to the trash.
  void clean(const RetentionPlan& plan);
  /// Restores the runs of the last deletion that was not undone.
  void undo();
  /// Returns the runs of the last deletion that was not undone; empty if there is none.
  std::vector<DeletedRun> undoable() const;

 Q_SIGNALS:
  void changed();
  /// Emitted when undoable() has changed, and when runs have been restored.
  void undoableChanged();
  /// Emitted with the reason why a request was refused.
  void failed(const QString& line);

 private:
  void finishDeletion(const Deletion& deletion);
  template <class Work>
  void post(Work work);

  const Document& m_document;
  std::shared_ptr<const Content> m_content = std::make_shared<const Content>();
  bool m_isRead = false;
  // The requests to read that have not begun
  int m_waitingReads = 0;
  // The latest deletion is last
  std::vector<std::vector<DeletedRun>> m_deletions;
  QThreadPool m_pool;
};

}  // namespace strata::ui
