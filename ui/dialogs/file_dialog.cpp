// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/file_dialog.h"

#include <QCoreApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <QStandardPaths>

#include "core/project/resources.h"
#include "gpu/base/error.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static const QString kFolderKey = u"files/folder"_s;

QString startFolder() {
  return QSettings()
      .value(kFolderKey, QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation))
      .toString();
}

void rememberFolder(const QString& file) {
  QSettings().setValue(kFolderKey, QFileInfo(file).absolutePath());
}

QFileDialog* makeFileDialog(const QString& title, QWidget* window) {
  auto* dialog = new QFileDialog(window, title, startFolder());
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setFileMode(QFileDialog::ExistingFile);
  QObject::connect(dialog, &QFileDialog::fileSelected, dialog, &rememberFolder);
  return dialog;
}

void askForTable(QWidget* widget, std::function<void(const QString&)> chosen) {
  QFileDialog* dialog = makeFileDialog(
      QCoreApplication::translate("FileDialog", "Choose the table"), widget->window());
  dialog->setNameFilters({QCoreApplication::translate("FileDialog", "Tables (*.csv *.tsv *.txt)"),
                          QCoreApplication::translate("FileDialog", "All files (*)")});
  QObject::connect(dialog, &QFileDialog::fileSelected, widget, std::move(chosen));
  dialog->open();
}

void askForRecording(QWidget* widget, std::function<void(const QString&)> chosen) {
  QString folder = startFolder();
  try {
    folder = text(resourcePath("recordings"));
  }
  catch (const Error&) {
    // They are not installed
  }
  auto* dialog = new QFileDialog(
      widget->window(), QCoreApplication::translate("FileDialog", "Choose a recording"), folder);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setFileMode(QFileDialog::Directory);
  dialog->setOption(QFileDialog::ShowDirsOnly);
  QObject::connect(dialog, &QFileDialog::fileSelected, widget, std::move(chosen));
  dialog->open();
}

}  // namespace strata::ui
