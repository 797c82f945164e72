// SPDX-License-Identifier: GPL-3.0-or-later
// Unsaved edits outlive the window that made them: each edited document is kept in a file of the
// user's data folder until it is saved, discarded or closed. A window that starts takes over what
// windows that are no more have left; the kernel's lock on a window's files says whether it lives.
// Not a backup of saved files.
// Thread: the window's; files are written on a thread of its own.
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
  /// An edit is on disk so long after it was made.
  static constexpr int kDelayMilliseconds = 2000;
  explicit Recovery(Workspace& workspace, QObject* parent = nullptr);
  /// The window went in good order, so nothing is left to restore.
  ~Recovery() override;

  struct Restored {
    QPointer<Document> document;
    QDateTime editedAt;
  };
  /// Opens what windows that are no more have left, each as an edited document of its file.
  void restore();
  const std::vector<Restored>& restored() const { return m_restored; }
  /// The person has seen it; the edits stay.
  void acknowledge(Document* document);
  /// Back to the saved file; false: it has none that could be read, so that nothing is left but to
  /// close the document.
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
  // By number: a restored file that could not be moved, and goes once the edits are written here
  std::map<int, QString> m_replaced;
  // Where those lie, locked until this window goes
  std::vector<std::unique_ptr<RecoveryFolder>> m_unmoved;
  std::mutex m_mutex;
  // By number of the file; none: it goes
  std::map<int, std::optional<Snapshot>> m_pending;
  // The worker's: numbers of files not written yet; told once
  std::set<int> m_failed;
  // last: its thread ends before the rest goes
  std::unique_ptr<LatestWorker<int>> m_writer;
};

}  // namespace strata::ui
