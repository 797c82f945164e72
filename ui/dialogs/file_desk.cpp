// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/file_desk.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMessageBox>
#include <QPushButton>
#include <QSettings>
#include <QStandardPaths>
#include <nlohmann/json.hpp>

#include "core/project/resources.h"
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
const QString kFolderKey = u"files/folder"_s;

QString startFolder() {
  return QSettings()
      .value(kFolderKey, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation))
      .toString();
}

void rememberFolder(const QString& file) {
  QSettings().setValue(kFolderKey, QFileInfo(file).absolutePath());
}

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

void FileDesk::newFromTemplate() {
  auto* dialog = new TemplateDialog(m_window);
  connect(dialog, &TemplateDialog::templateChosen, this, &FileDesk::createFrom);
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

QFileDialog* FileDesk::fileDialog(const QString& title) {
  auto* dialog = new QFileDialog(m_window, title, startFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setFileMode(QFileDialog::ExistingFile);
  connect(dialog, &QFileDialog::fileSelected, this, &rememberFolder);
  return dialog;
}

void FileDesk::newFromTable() {
  QFileDialog* dialog = fileDialog(tr("Choose a table"));
  dialog->setNameFilters({tr("Tables (*.csv *.tsv *.txt)"), tr("All files (*)")});
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& path) { createForData("projects/penguins.json", path); });
  dialog->open();
}

void FileDesk::newFromImages() {
  QFileDialog* dialog =
      fileDialog(tr("Choose a folder that contains one folder of images per class"));
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  connect(dialog, &QFileDialog::fileSelected, this,
          [this](const QString& path) { createForData("projects/shapes.json", path); });
  dialog->open();
}

/// Creates a project for the data at `dataPath`, with the network of a template. Layers that do not
/// fit the data become problems with fixes.
void FileDesk::createForData(const char* templateFile, const QString& dataPath) {
  try {
    Project project = loadProject(resourcePath(templateFile)).value();
    Json& json = project.document();
    json["name"] = QFileInfo(dataPath).completeBaseName().toStdString();
    json.erase("notes");
    Json& source = json["data"]["source"];
    source["path"] = dataPath.toStdString();
    // These fields describe the table of the template. By default the last column is the label and
    // no column is skipped.
    source.erase("label");
    source.erase("ignore");
    m_context.workspace.addNew(std::move(project));
    m_context.navigation.showPage(PageId::Data);
  }
  catch (const Error& error) {
    showOpenFailure(error);
  }
}

void FileDesk::open() {
  QFileDialog* dialog = fileDialog(tr("Open a project"));
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
  const auto finish = [this, isTraining, target = QPointer<Document>(document)] {
    const auto leave = [this, target] {
      if (target) m_context.workspace.close(target);
    };
    if (isTraining) {
      stopRunThen(leave);
    }
    else {
      leave();
    }
  };
  if (!isTraining && !document->isModified()) {
    finish();
    return;
  }
  auto* box = new QMessageBox(QMessageBox::Question, tr("Close %1").arg(document->name()), {},
                              QMessageBox::NoButton, m_window);
  box->setAttribute(Qt::WA_DeleteOnClose);
  QString question;
  if (isTraining && document->isModified()) {
    question =
        tr("The project is training and has unsaved changes. Closing it stops the run; the weights "
           "and a checkpoint are kept.");
  }
  else if (isTraining) {
    question =
        tr("The project is training. Closing it stops the run; the weights and a checkpoint are "
           "kept.");
  }
  else {
    question = tr("The project has unsaved changes.");
  }
  box->setText(question);
  if (document->isModified()) {
    QPushButton* saving = box->addButton(
        isTraining ? tr("Stop, save and close") : tr("Save and close"), QMessageBox::AcceptRole);
    connect(saving, &QPushButton::clicked, this,
            [this, document, finish] { save(document, finish); });
  }
  QString plainTitle = tr("Stop and close");
  if (document->isModified())
    plainTitle = isTraining ? tr("Stop and close without saving") : tr("Close without saving");
  connect(box->addButton(plainTitle, QMessageBox::DestructiveRole), &QPushButton::clicked, this,
          finish);
  box->setDefaultButton(box->addButton(tr("Keep working"), QMessageBox::RejectRole));
  box->open();
}

void FileDesk::saveAll(std::function<void()> then) {
  for (int i = 0; i < m_context.workspace.count(); ++i) {
    Document* document = m_context.workspace.document(i);
    if (!document->isModified()) continue;
    save(document, [this, then] { saveAll(then); });
    return;
  }
  then();
}

void FileDesk::closeAll(std::function<void()> then) {
  QStringList names;
  for (int i = 0; i < m_context.workspace.count(); ++i) {
    const Document* document = m_context.workspace.document(i);
    if (document->isModified()) names << document->name();
  }
  const auto modified = static_cast<int>(names.size());
  const bool isTraining = m_context.runs.isActive();
  const auto finish = [this, then] {
    stopRunThen(then);
  };
  if (modified == 0 && !isTraining) {
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
  if (isTraining)
    lines << tr(
        "A run is in progress. Quitting stops it; the weights and a checkpoint are kept, so that "
        "you can continue it later.");
  box->setText(lines.join(u'\n'));
  if (modified > 0) {
    connect(box->addButton(tr("Save and quit"), QMessageBox::AcceptRole), &QPushButton::clicked,
            this, [this, finish] { saveAll(finish); });
  }
  const QString plainTitle = modified == 0 ? tr("Stop and quit") : tr("Quit without saving");
  connect(box->addButton(plainTitle, QMessageBox::DestructiveRole), &QPushButton::clicked, this,
          finish);
  box->setDefaultButton(box->addButton(tr("Keep working"), QMessageBox::RejectRole));
  box->open();
}

}  // namespace strata::ui
