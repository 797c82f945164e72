// SPDX-License-Identifier: GPL-3.0-or-later
// The open documents, which of them is current, and the recent files. It opens and closes; it shows
// nothing. Thread: the window's.
#pragma once

#include <QObject>
#include <QStringList>
#include <QUndoGroup>
#include <memory>
#include <vector>

#include "gpu/base/error.h"
#include "ui/document/document.h"

namespace strata::ui {

class Workspace : public QObject {
  Q_OBJECT
 public:
  explicit Workspace(QObject* parent = nullptr);
  ~Workspace() override;

  int count() const { return static_cast<int>(m_documents.size()); }
  Document* document(int index) const { return m_documents[static_cast<size_t>(index)].get(); }
  Document* current() const { return m_current; }
  int currentIndex() const;
  QUndoGroup* undoGroup() { return &m_undoGroup; }

  /// A file that is open already becomes current. Fails: as loadProject.
  Result<Document*> open(const QString& path);
  /// A project that has no file yet; `path` of the value is dropped.
  Document* addNew(Project project);
  /// Keeps its path; the file may be gone or unreadable.
  Document* addRestored(Project project) { return add(std::move(project)); }
  void setCurrent(Document* document);
  /// Without asking; the last one may go, too: then current() is null.
  void close(Document* document);
  /// Fails: IoFailure.
  Result<void> save(Document* document, const QString& path);

  QStringList recentFiles() const;
  void clearRecentFiles();

 Q_SIGNALS:
  // Opened, closed, renamed, saved
  void documentsChanged();
  void currentChanged(Document* document);
  void aboutToClose(Document* document);
  void recentChanged();
  // For the Log
  void logged(const QString& line);

 private:
  Document* add(Project project);
  void remember(const QString& path);

  QUndoGroup m_undoGroup;
  std::vector<std::unique_ptr<Document>> m_documents;
  Document* m_current = nullptr;
};

}  // namespace strata::ui
