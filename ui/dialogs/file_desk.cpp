// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/file_desk.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <nlohmann/json.hpp>

#include "core/data/table_network.h"
#include "core/project/resources.h"
#include "ui/dialogs/file_dialog.h"
#include "ui/dialogs/template_dialog.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The largest number of projects that a question lists by name.
constexpr int kMaxNamed = 6;
// The network of a new project is only built at once for tables that are read quickly.
constexpr size_t kSmallTableBytes = size_t{8} << 20;

QString suggestedName(const QString& name) {
  QString file = name.toLower();
  for (QChar& c : file) {
    if (!c.isLetterOrNumber() && c != u'-' && c != u'_') c = u'-';
  }
  return file.isEmpty() ? u"project"_s : file;
}

}  // namespace

FileDesk::FileDesk(const PageContext& context, QWidget* window)
    : QObject(window), m_context(context), m_window(window) {}

void FileDesk::showMessage(const QString& title, const QString& message) {
  auto* box = new QMessageBox(QMessageBox::Warning, title, message, QMessageBox::Ok, m_window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  box->open();
}

void FileDesk::showOpenFailure(const Error& error) {
  m_context.navigation.log(text(error.line()));
  showMessage(tr("The project was not opened"), text(error.line()));
}

void FileDesk::showRecordingFailure(const Error& error) {
  m_context.navigation.log(text(error.line()));
  showMessage(tr("The recording was not opened"), text(error.line()));
}

void FileDesk::newFromTemplate() {
  auto* dialog = new TemplateDialog(m_window);
  connect(dialog, &TemplateDialog::templateChosen, this, &FileDesk::createFrom);
  connect(dialog, &TemplateDialog::emptyChosen, this, &FileDesk::newEmpty);
  connect(dialog, &TemplateDialog::tableChosen, this, &FileDesk::newFromTable);
  dialog->open();
}

void FileDesk::createFrom(const QString& path) {
  Result<Project> loaded = loadProject(path.toStdString());
  if (!loaded) {
    showOpenFailure(loaded.error());
    return;
  }
  m_context.workspace.addNew(std::move(loaded).value());
  m_context.navigation.showPage(PageId::Design);
}

void FileDesk::newEmpty() {
  Project project = emptyProject();
  project.document()["name"] = tr("Untitled").toStdString();
  m_context.workspace.addNew(std::move(project));
  m_context.navigation.showPage(PageId::Data);
}

void FileDesk::newFromTable() {
  askForTable(m_window, [this](const QString& path) { createForTable(path); });
}

void FileDesk::newFromImages() {
  QFileDialog* dialog = makeFileDialog(
      tr("Choose the folder that contains one folder of images per class"), m_window);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this, &FileDesk::createForImages);
  dialog->open();
}

/// Creates a project for the table at `path`, with the network that is offered first.
void FileDesk::createForTable(const QString& path) {
  Project project = emptyProject();
  Json& json = project.document();
  json["name"] = QFileInfo(path).completeBaseName().toStdString();
  applyEdit(json, useTableEdit(project, path.toStdString(), kSmallTableBytes));
  m_context.workspace.addNew(std::move(project));
  m_context.navigation.showPage(PageId::Data);
}

/// Creates a project for a folder of images, with the network of a template. Layers that do not fit
/// the images become problems with fixes.
void FileDesk::createForImages(const QString& path) {
  try {
    Project project = loadProject(resourcePath("projects/shapes.json")).value();
    Json& json = project.document();
    json["name"] = QFileInfo(path).completeBaseName().toStdString();
    json.erase("notes");
    json["data"]["source"]["path"] = path.toStdString();
    m_context.workspace.addNew(std::move(project));
    m_context.navigation.showPage(PageId::Data);
  }
  catch (const Error& error) {
    showOpenFailure(error);
  }
}

void FileDesk::open() {
  QFileDialog* dialog = makeFileDialog(tr("Open a project"), m_window);
  dialog->setNameFilter(tr("Strata projects (*.json)"));
  connect(dialog, &QFileDialog::fileSelected, this, &FileDesk::openPath);
  dialog->open();
}

void FileDesk::openPath(const QString& path) {
  if (const Result<Document*> opened = m_context.workspace.open(path); !opened)
    showOpenFailure(opened.error());
}

void FileDesk::save(Document* document, std::function<void()> then) {
  if (!document) return;
  if (document->path().isEmpty()) {
    saveAs(document, std::move(then));
  }
  else if (document->file().isChangedOnDisk()) {
    askBeforeOverwriting(document, std::move(then));
  }
  else {
    write(document, document->path(), then);
  }
}

void FileDesk::askBeforeOverwriting(Document* document, std::function<void()> then) {
  auto* box = new QMessageBox(
      QMessageBox::Warning, tr("Save %1").arg(document->name()),
      tr("Another program has changed %1 since you opened it. Saving overwrites those changes.")
          .arg(document->path()),
      QMessageBox::Cancel, m_window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  QAbstractButton* replace = box->addButton(tr("Replace"), QMessageBox::DestructiveRole);
  QAbstractButton* elsewhere = box->addButton(tr("Save as…"), QMessageBox::ActionRole);
  box->setDefaultButton(QMessageBox::Cancel);
  connect(box, &QMessageBox::buttonClicked, this,
          [this, replace, elsewhere, then = std::move(then),
           target = QPointer<Document>(document)](const QAbstractButton* button) {
            if (target && button == replace) write(target, target->path(), then);
            if (target && button == elsewhere) saveAs(target, then);
          });
  box->open();
}

void FileDesk::saveAs(Document* document, std::function<void()> then) {
  if (!document) return;
  auto* dialog = new QFileDialog(m_window, tr("Save the project"), startFolder(),
                                 tr("Strata projects (*.json)"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setDefaultSuffix(u"json"_s);
  dialog->selectFile(document->path().isEmpty() ? suggestedName(document->name())
                                                : document->path());
  connect(
      dialog, &QFileDialog::fileSelected, this,
      [this, then = std::move(then), target = QPointer<Document>(document)](const QString& path) {
        rememberFolder(path);
        if (target) write(target, path, then);
      });
  dialog->open();
}

void FileDesk::write(Document* document, const QString& path, const std::function<void()>& then) {
  if (const Result<void> saved = m_context.workspace.save(document, path); !saved) {
    showMessage(tr("The project was not saved"), text(saved.error().line()));
  }
  else if (then) {
    then();
  }
}

void FileDesk::stopRunThen(std::function<void()> then) {
  RunController* run = m_context.runs.active();
  if (!run) {
    then();
    return;
  }
  connect(run, &RunController::ended, this, then,
          static_cast<Qt::ConnectionType>(Qt::QueuedConnection | Qt::SingleShotConnection));
  run->stop();
}

void FileDesk::close(Document* document) {
  if (!document) return;
  const bool isTraining = m_context.runs.activeDocument() == document;
  const int queued = m_context.runs.queue().countOf(document);
  const auto finish = [this, target = QPointer<Document>(document)] {
    if (!target) return;
    // The end of the run must not start another one of this project
    m_context.runs.queue().removeOf(target);
    const auto leave = [this, target] {
      if (target) m_context.workspace.close(target);
    };
    // Runs may have ended and begun while the question was open
    if (m_context.runs.activeDocument() == target)
      stopRunThen(leave);
    else
      leave();
  };
  const bool hasRuns = m_context.runs.hasRunsWithoutFile(document);
  const bool isUnsaved = document->isModified() || hasRuns;
  if (!isTraining && !isUnsaved && queued == 0) {
    finish();
    return;
  }
  auto* box = new QMessageBox(QMessageBox::Question, tr("Close %1").arg(document->name()), {},
                              QMessageBox::NoButton, m_window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QString question, plainTitle = tr("Close");
  if (isTraining && hasRuns) {
    question =
        tr("The project is training and was never saved. Closing it stops the run. Save it to find "
           "its runs again.");
  }
  else if (isTraining && isUnsaved) {
    question =
        tr("The project is training and has unsaved changes. Closing it stops the run; the weights "
           "and a checkpoint are kept.");
  }
  else if (isTraining) {
    question =
        tr("The project is training. Closing it stops the run; the weights and a checkpoint are "
           "kept.");
  }
  else if (hasRuns) {
    question = tr("The project was never saved. Save it to find its runs again.");
  }
  else if (isUnsaved) {
    question = tr("The project has unsaved changes.");
  }
  QStringList lines{question};
  if (queued > 0) lines << tr("%n queued run(s) of the project will not start.", nullptr, queued);
  lines.removeAll(QString());
  box->setText(lines.join(u'\n'));
  if (isUnsaved) {
    QPushButton* saving = box->addButton(
        isTraining ? tr("Stop, save and close") : tr("Save and close"), QMessageBox::AcceptRole);
    connect(saving, &QPushButton::clicked, this,
            [this, document, finish] { save(document, finish); });
  }
  if (isTraining) plainTitle = tr("Stop and close");
  if (isUnsaved)
    plainTitle = isTraining ? tr("Stop and close without saving") : tr("Close without saving");
  connect(box->addButton(plainTitle, QMessageBox::DestructiveRole), &QPushButton::clicked, this,
          finish);
  box->setDefaultButton(box->addButton(tr("Keep working"), QMessageBox::RejectRole));
  box->open();
}

void FileDesk::saveAll(std::function<void()> then) {
  for (int i = 0; i < m_context.workspace.count(); ++i) {
    Document* document = m_context.workspace.document(i);
    if (!document->isModified() && !m_context.runs.hasRunsWithoutFile(document)) continue;
    save(document, [this, then] { saveAll(then); });
    return;
  }
  then();
}

void FileDesk::closeAll(std::function<void()> then) {
  QStringList names, neverSaved;
  for (int i = 0; i < m_context.workspace.count(); ++i) {
    Document* document = m_context.workspace.document(i);
    if (document->isModified()) names << document->name();
    if (m_context.runs.hasRunsWithoutFile(document)) neverSaved << document->name();
  }
  const auto modified = static_cast<int>(names.size());
  const bool isTraining = m_context.runs.isActive();
  const int queued = m_context.runs.queue().count();
  const auto finish = [this, then] {
    m_context.runs.queue().clear();
    stopRunThen(then);
  };
  const bool isUnsaved = modified > 0 || !neverSaved.isEmpty();
  if (!isUnsaved && !isTraining && queued == 0) {
    then();
    return;
  }
  auto* box = new QMessageBox(QMessageBox::Question, tr("Quit Strata"), {}, QMessageBox::NoButton,
                              m_window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setTextFormat(Qt::PlainText);
  QStringList lines;
  if (modified > kMaxNamed) {
    const int others = modified - kMaxNamed;
    lines << tr("There are unsaved changes in %1 and %n other project(s).", nullptr, others)
                 .arg(names.mid(0, kMaxNamed).join(u", "_s));
  }
  else if (modified > 0) {
    lines << tr("There are unsaved changes in %1.").arg(names.join(u", "_s));
  }
  if (!neverSaved.isEmpty())
    lines << tr("Save the project(s) to find the runs of %1 again.", nullptr,
                static_cast<int>(neverSaved.size()))
                 .arg(neverSaved.mid(0, kMaxNamed).join(u", "_s));
  if (isTraining)
    lines << tr(
        "A run is in progress. Quitting stops it; the weights and a checkpoint are kept, so that "
        "you can continue it later.");
  if (queued > 0) lines << tr("%n queued run(s) will not start.", nullptr, queued);
  box->setText(lines.join(u'\n'));
  if (isUnsaved) {
    connect(box->addButton(tr("Save and quit"), QMessageBox::AcceptRole), &QPushButton::clicked,
            this, [this, finish] { saveAll(finish); });
  }
  const QString plainTitle = isUnsaved ? tr("Quit without saving") : tr("Stop and quit");
  connect(box->addButton(plainTitle, QMessageBox::DestructiveRole), &QPushButton::clicked, this,
          finish);
  box->setDefaultButton(box->addButton(tr("Keep working"), QMessageBox::RejectRole));
  box->open();
}

}  // namespace strata::ui
