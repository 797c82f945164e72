// SPDX-License-Identifier: GPL-3.0-or-later
// A recovery file has one line of JSON, followed by the project as a save would write it. The JSON
// has the path of the project file, the time of the edit, and the hash of the project file on disk.
#include "ui/workspace/recovery.h"

#include <QCryptographicHash>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QJsonObject>
#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/project/edit.h"
#include "core/project/json.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/workspace/recovery_folder.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kVersion = 1;

QByteArray hashOf(const QByteArray& bytes) {
  return QCryptographicHash::hash(bytes, QCryptographicHash::Sha256).toHex();
}

}  // namespace

Recovery::Recovery(Workspace& workspace, QObject* parent)
    : QObject(parent), m_workspace(workspace), m_folder(std::make_unique<RecoveryFolder>()) {
  m_timer.setSingleShot(true);
  m_timer.setInterval(kDelayMilliseconds);
  connect(&m_timer, &QTimer::timeout, this, &Recovery::writeEdited);
  connect(&workspace, &Workspace::documentsChanged, this, &Recovery::onDocuments);
  connect(&workspace, &Workspace::aboutToClose, this, [this](Document* document) {
    forget(document);
    // The stack emits cleanChanged while it is destroyed. By then, another document may have the
    // same address.
    document->undoStack()->disconnect(this);
    document->disconnect(this);
    m_kept.erase(document);
    acknowledge(document);
  });
  m_writer = std::make_unique<LatestWorker<int>>([this](int, const std::stop_token&) { work(); });
}

Recovery::~Recovery() {
  m_writer.reset();
  for (const auto& [number, path] : m_replaced)
    QFile::remove(path);
  for (const auto& folder : m_unmoved) {
    if (folder->files().isEmpty()) folder->clear();
  }
  m_folder->clear();
}

void Recovery::onDocuments() {
  for (int i = 0; i < m_workspace.count(); ++i) {
    Document* document = m_workspace.document(i);
    if (m_kept.contains(document)) continue;
    m_kept[document].number = ++m_lastNumber;
    connect(document, &Document::changed, this, [this, document] {
      m_edited.insert(document);
      m_kept[document].editedAt = QDateTime::currentDateTime();
      if (!m_timer.isActive()) m_timer.start();
    });
    // During an undo or redo, the document does not know yet whether it is modified. The stack
    // does.
    connect(document->undoStack(), &QUndoStack::cleanChanged, this, [this, document](bool isClean) {
      if (!isClean) return;
      forget(document);
      acknowledge(document);
    });
  }
}

void Recovery::writeEdited() {
  {
    const std::lock_guard lock(m_mutex);
    for (Document* document : m_edited) {
      const auto kept = m_kept.find(document);
      if (kept == m_kept.end() || !document->isModified()) continue;
      m_pending[kept->second.number] =
          Snapshot{document->project(), document->file().bytes(), kept->second.editedAt};
    }
  }
  m_edited.clear();
  m_writer->post(0);
}

void Recovery::forget(Document* document) {
  m_edited.erase(document);
  const auto kept = m_kept.find(document);
  if (kept == m_kept.end()) return;
  {
    const std::lock_guard lock(m_mutex);
    m_pending[kept->second.number] = std::nullopt;
  }
  m_writer->post(0);
}

void Recovery::work() {
  std::map<int, std::optional<Snapshot>> pending;
  {
    const std::lock_guard lock(m_mutex);
    pending.swap(m_pending);
  }
  while (!pending.empty()) {
    auto node = pending.extract(pending.begin());
    const int number = node.key();
    const std::optional<Snapshot>& snapshot = node.mapped();
    const std::lock_guard lock(m_folderMutex);
    QString failure;
    try {
      if (snapshot) {
        write(number, *snapshot);
      }
      else {
        m_folder->remove(number);
      }
    }
    catch (const Error& error) {
      failure = text(error.line());
    }
    catch (const std::exception& error) {
      // For example, memory may be exhausted.
      failure = text(Error(ErrorCode::IoFailure, "unsaved changes",
                           std::string("they cannot be stored (") + error.what() + "). Save often.")
                         .line());
    }
    if (failure.isEmpty()) {
      m_failed.erase(number);
      removeReplaced(number);
      continue;
    }
    {
      const std::lock_guard pendingLock(m_mutex);
      // Try again later, unless a newer snapshot is waiting.
      m_pending.insert(std::move(node));
    }
    const bool isReported = !m_failed.empty();
    m_failed.insert(number);
    QMetaObject::invokeMethod(
        this,
        [this, isReported, failure] {
          if (!m_timer.isActive()) m_timer.start();
          if (!isReported) Q_EMIT logged(failure);
        },
        Qt::QueuedConnection);
  }
}

void Recovery::write(int number, const Snapshot& snapshot) {
  const QJsonObject head{{u"strata_recovery"_s, kVersion},
                         {u"path"_s, text(snapshot.project.path())},
                         {u"edited_at"_s, snapshot.editedAt.toString(Qt::ISODateWithMs)},
                         {u"file_sha256"_s, QLatin1String(hashOf(snapshot.onDisk))}};
  const std::string bytes = QJsonDocument(head).toJson(QJsonDocument::Compact).toStdString() +
                            '\n' + printJson(snapshot.project.document());
  writeFileAtomically(QFile::encodeName(m_folder->file(number)).toStdString(), bytes,
                      Links::Replace);
}

void Recovery::removeReplaced(int number) {
  const auto found = m_replaced.find(number);
  if (found != m_replaced.end() && (QFile::remove(found->second) || !QFile::exists(found->second)))
    m_replaced.erase(found);
}

void Recovery::restore() {
  std::vector<std::unique_ptr<RecoveryFolder>> abandoned;
  const auto log = [this](const Error& error) {
    Q_EMIT logged(text(error.line()));
  };
  try {
    abandoned = RecoveryFolder::abandoned(log);
  }
  catch (const Error& error) {
    log(error);
  }
  for (auto& folder : abandoned) {
    for (const QString& path : folder->files()) {
      try {
        restoreFile(path);
      }
      catch (const Error& error) {
        log(error);
      }
    }
    // Unreadable files stay, so that the user can inspect them.
    if (folder->files().isEmpty()) {
      folder->clear();
    }
    else if (holdsReplaced(*folder)) {
      m_unmoved.push_back(std::move(folder));
    }
  }
  if (!m_restored.empty()) Q_EMIT restoredChanged();
}

bool Recovery::holdsReplaced(const RecoveryFolder& folder) {
  const std::lock_guard lock(m_folderMutex);
  const QStringList files = folder.files();
  return std::any_of(m_replaced.begin(), m_replaced.end(),
                     [&](const auto& each) { return files.contains(each.second); });
}

void Recovery::restoreFile(const QString& path) {
  const std::string bytes = readFile(QFile::encodeName(path).toStdString(), kMaxJsonBytes);
  const size_t end = std::min(bytes.find('\n'), bytes.size());
  const QJsonObject head =
      QJsonDocument::fromJson(QByteArray(bytes.data(), static_cast<qsizetype>(end))).object();
  if (head[u"strata_recovery"_s].toInt() != kVersion)
    throw Error(ErrorCode::InvalidFile, path.toStdString(),
                "this is not a file of unsaved changes of this version of Strata. Check the file, "
                "or remove it.");
  Result<Project> parsed = parseProject(
      std::string_view(bytes).substr(std::min(end + 1, bytes.size())), path.toStdString());
  if (!parsed) throw parsed.error();
  Project project = std::move(parsed).value();
  project.setPath(head[u"path"_s].toString().toStdString());
  Document* document =
      openRestored(std::move(project), head[u"file_sha256"_s].toString().toLatin1());
  Kept& kept = m_kept[document];
  kept.editedAt = QDateTime::fromString(head[u"edited_at"_s].toString(), Qt::ISODateWithMs);
  // The project file already has the restored content.
  if (!document->isModified()) {
    QFile::remove(path);
    return;
  }
  m_restored.push_back({document, kept.editedAt});
  moveKept(path, document);
  Q_EMIT logged(tr("Restored the unsaved changes of %1").arg(document->name()));
}

/// Moves a recovery file from the folder of another window to the folder of this window. The rename
/// is atomic, so that the file is always in exactly one folder. If the rename fails, the edits are
/// written again before the old file is removed.
void Recovery::moveKept(const QString& path, Document* document) {
  const int number = m_kept[document].number;
  const std::lock_guard lock(m_folderMutex);
  try {
    if (QFile::rename(path, m_folder->file(number))) {
      m_edited.erase(document);
      return;
    }
  }
  catch (const Error& error) {
    Q_EMIT logged(text(error.line()));
  }
  m_replaced[number] = path;
  m_edited.insert(document);
  m_timer.start();
}

Document* Recovery::openRestored(Project project, const QByteArray& hash) {
  const QString path = text(project.path());
  const auto isOpen = [&] {
    for (int i = 0; i < m_workspace.count(); ++i) {
      if (!path.isEmpty() && m_workspace.document(i)->path() == path) return true;
    }
    return false;
  };
  // If the file is already open, for example because two windows had edited it, these edits become
  // a project without a file.
  if (path.isEmpty() || isOpen()) {
    Document* document = m_workspace.addNew(std::move(project));
    document->undoStack()->resetClean();
    return document;
  }
  if (QFileInfo::exists(path)) {
    if (const Result<Document*> opened = m_workspace.open(path)) {
      Document* document = *opened;
      if (document->json() == project.document()) return document;
      ProjectEdit edit;
      edit.name = STRATA_TEXT("strata::ui::edits", "Restore unsaved changes");
      edit.operations = {{EditOperation::Kind::Set, {}, project.document().dump(), 0}};
      if (!document->submit(edit))
        throw Error(ErrorCode::InvalidFile, path.toStdString(),
                    "the unsaved changes cannot be applied to this file. They are kept; see the "
                    "previous line of the log.");
      if (hashOf(document->file().bytes()) != hash) document->forgetFile();
      return document;
    }
  }
  Document* document = m_workspace.addRestored(std::move(project));
  document->undoStack()->resetClean();
  document->forgetFile();
  return document;
}

void Recovery::acknowledge(Document* document) {
  if (std::erase_if(m_restored, [&](const Restored& each) {
        return !each.document || each.document == document;
      }) > 0)
    Q_EMIT restoredChanged();
}

bool Recovery::discard(Document* document) {
  QUndoStack* undo = document->undoStack();
  if (undo->cleanIndex() < 0) return false;
  undo->setIndex(undo->cleanIndex());
  acknowledge(document);
  return true;
}

}  // namespace strata::ui
