// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/workspace.h"

#include <QFileInfo>
#include <QSettings>
#include <algorithm>

#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr qsizetype kMaxRecent = 10;
const QString kRecentKey = u"files/recent"_s;

}  // namespace

Workspace::Workspace(QObject* parent) : QObject(parent) {}

Workspace::~Workspace() = default;

int Workspace::currentIndex() const {
  for (int i = 0; i < count(); ++i) {
    if (document(i) == m_current) return i;
  }
  return -1;
}

Result<Document*> Workspace::open(const QString& path) {
  const int before = count();
  Result<Document*> opened = reopen(path);
  if (opened && count() > before) remember(opened.value()->path());
  return opened;
}

Result<Document*> Workspace::reopen(const QString& path) {
  const QString absolute = QFileInfo(path).absoluteFilePath();
  for (const auto& document : m_documents) {
    if (document->path() == absolute) {
      setCurrent(document.get());
      return document.get();
    }
  }
  Result<Project> loaded = loadProject(absolute.toStdString());
  if (!loaded) return loaded.error();
  Project project = std::move(loaded).value();
  project.setPath(absolute.toStdString());
  Document* document = add(std::move(project));
  Q_EMIT logged(tr("Opened %1").arg(absolute));
  return document;
}

Document* Workspace::addNew(Project project) {
  project.setPath({});
  return add(std::move(project));
}

Document* Workspace::add(Project project) {
  m_documents.push_back(std::make_unique<Document>(std::move(project)));
  Document* document = m_documents.back().get();
  m_undoGroup.addStack(document->undoStack());
  connect(document, &Document::savedChanged, this, &Workspace::documentsChanged);
  connect(document, &Document::editRefused, this, &Workspace::logged);
  Q_EMIT documentsChanged();
  setCurrent(document);
  return document;
}

void Workspace::setCurrent(Document* document) {
  if (document == m_current) return;
  m_current = document;
  m_undoGroup.setActiveStack(document ? document->undoStack() : nullptr);
  Q_EMIT currentChanged(document);
}

void Workspace::close(Document* document) {
  const auto found = std::find_if(m_documents.begin(), m_documents.end(),
                                  [&](const auto& each) { return each.get() == document; });
  if (found == m_documents.end()) return;
  Q_EMIT aboutToClose(document);
  const std::unique_ptr<Document> closing = std::move(*found);
  const auto next = m_documents.erase(found);
  if (m_current == document) {
    Document* successor = nullptr;
    if (next != m_documents.end())
      successor = next->get();
    else if (!m_documents.empty())
      successor = m_documents.back().get();
    setCurrent(successor);
  }
  Q_EMIT documentsChanged();
}

Result<void> Workspace::save(Document* document, const QString& path) {
  Result<void> result = document->save(QFileInfo(path).absoluteFilePath());
  if (result) {
    Q_EMIT saved(document);
    remember(document->path());
    Q_EMIT logged(tr("Saved %1").arg(document->path()));
  }
  else {
    Q_EMIT logged(text(result.error().line()));
  }
  return result;
}

QStringList Workspace::recentFiles() const { return QSettings().value(kRecentKey).toStringList(); }

void Workspace::remember(const QString& path) {
  QStringList files = recentFiles();
  files.removeAll(path);
  files.prepend(path);
  while (files.size() > kMaxRecent)
    files.removeLast();
  QSettings().setValue(kRecentKey, files);
  Q_EMIT recentChanged();
}

void Workspace::clearRecentFiles() {
  QSettings().remove(kRecentKey);
  Q_EMIT recentChanged();
}

}  // namespace strata::ui
