// SPDX-License-Identifier: GPL-3.0-or-later
// The open documents, the current one, and the recent files. It opens and closes documents but has
// no widgets. Thread: GUI thread.
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

  /// Opens a file. If it is already open, its document becomes current. Fails: with the same errors
  /// as loadProject().
  Result<Document*> open(const QString& path);
  /// Opens a file like open(), but keeps the order of the recent files.
  Result<Document*> reopen(const QString& path);
  /// Adds a project without a file. Removes the path of the project.
  Document* addNew(Project project);
  /// Adds a project and keeps its path, even if the file is missing or unreadable.
  Document* addRestored(Project project) { return add(std::move(project)); }
  void setCurrent(Document* document);
  /// Closes a document without asking. After the last one is closed, current() is null.
  void close(Document* document);
  /// Saves the document at `path`. Fails: IoFailure.
  Result<void> save(Document* document, const QString& path);

  QStringList recentFiles() const;
  void clearRecentFiles();

 Q_SIGNALS:
  /// Emitted when a document is opened, closed, renamed or saved.
  void documentsChanged();
  void currentChanged(Document* document);
  void aboutToClose(Document* document);
  void saved(Document* document);
  void recentChanged();
  /// Emitted with a line for the log.
  void logged(const QString& line);

 private:
  Document* add(Project project);
  void remember(const QString& path);

  QUndoGroup m_undoGroup;
  std::vector<std::unique_ptr<Document>> m_documents;
  Document* m_current = nullptr;
};

}  // namespace strata::ui
