// SPDX-License-Identifier: GPL-3.0-or-later
// The open documents, the current one, and the recent files. It opens and closes; it shows nothing.
// Thread: GUI thread.
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

  /// If the file is already open, its document becomes current. Fails: as loadProject.
  Result<Document*> open(const QString& path);
  /// Adds a project without a file; `path` of the value is dropped.
  Document* addNew(Project project);
  /// Keeps its path, even if the file is missing or unreadable.
  Document* addRestored(Project project) { return add(std::move(project)); }
  void setCurrent(Document* document);
  /// Closes without asking. After closing the last one, current() is null.
  void close(Document* document);
  /// Fails: IoFailure.
  Result<void> save(Document* document, const QString& path);

  QStringList recentFiles() const;
  void clearRecentFiles();

 Q_SIGNALS:
  // Opened, closed, renamed or saved
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
