// SPDX-License-Identifier: GPL-3.0-or-later
// Preserves unsaved edits when the window is killed. Each edited document is stored in the user's
// data folder until it is saved, discarded or closed. A starting window restores the files of
// windows that have ended. A file lock shows whether a window still runs. This is not a backup of
// saved files. Thread: GUI thread. A worker thread writes the files.
#pragma once

#include <QDateTime>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <vector>

#include "core/project/project.h"
#include "ui/document/latest_worker.h"

namespace strata::ui {

class Document;
class RecoveryFolder;
class Workspace;

class Recovery : public QObject {
  Q_OBJECT
 public:
  /// The delay between an edit and its write to disk.
  static constexpr int kDelayMilliseconds = 2000;
  explicit Recovery(Workspace& workspace, QObject* parent = nullptr);
  /// Removes the stored edits, because a normal exit leaves nothing to restore.
  ~Recovery() override;

  struct Restored {
    QPointer<Document> document;
    QDateTime editedAt;
  };
  /// Opens the recovery files of windows that have ended. Each becomes a document with unsaved
  /// changes.
  void restore();
  const std::vector<Restored>& restored() const { return m_restored; }
  /// Removes the notice for this document after the user has seen it. The edits stay.
  void acknowledge(Document* document);
  /// Reverts the document to the saved file. Returns false if that is impossible. The document can
  /// then only be closed.
  bool discard(Document* document);

 Q_SIGNALS:
  void restoredChanged();
  void logged(const QString& line);

 private:
  struct Snapshot {
    Project project;
    QByteArray onDisk;
    QDateTime editedAt;
  };
  struct Kept {
    int number = 0;
    QDateTime editedAt;
  };
  void onDocuments();
  void writeEdited();
  void forget(Document* document);
  void work();
  void write(int number, const Snapshot& snapshot);
  void removeReplaced(int number);
  bool holdsReplaced(const RecoveryFolder& folder);
  void restoreFile(const QString& path);
  void moveKept(const QString& path, Document* document);
  Document* openRestored(Project project, const QByteArray& hash);

  Workspace& m_workspace;
  std::map<Document*, Kept> m_kept;
  std::set<Document*> m_edited;
  std::vector<Restored> m_restored;
  int m_lastNumber = 0;
  QTimer m_timer;
  std::mutex m_folderMutex;
  std::unique_ptr<RecoveryFolder> m_folder;
  // Recovery files that were restored but could not be moved, by number. Each is removed after this
  // window has written the same edits.
  std::map<int, QString> m_replaced;
  // The folders of those files, which stay locked until this window ends.
  std::vector<std::unique_ptr<RecoveryFolder>> m_unmoved;
  std::mutex m_mutex;
  // Snapshots to write, by file number. nullopt means that the file is to be removed.
  std::map<int, std::optional<Snapshot>> m_pending;
  // The numbers of files that could not be written. While there are any, further failures are not
  // reported. Only the worker uses this set.
  std::set<int> m_failed;
  // Declared last, so that its thread ends before the other members are destroyed.
  std::unique_ptr<LatestWorker<int>> m_writer;
};

}  // namespace strata::ui
