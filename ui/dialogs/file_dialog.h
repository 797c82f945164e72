// SPDX-License-Identifier: GPL-3.0-or-later
// File dialogs that begin in the folder of the last chosen file. They do not block. Thread: GUI
// thread.
#pragma once

#include <QString>
#include <functional>

class QFileDialog;
class QWidget;

namespace strata::ui {

/// Returns the folder of the last chosen file, by default that of documents.
QString startFolder();
void rememberFolder(const QString& file);
/// Returns a dialog for an existing file, which deletes itself when it is closed. Call open().
QFileDialog* makeFileDialog(const QString& title, QWidget* window);
/// Asks for a table over the window of `widget`. Calls `chosen` with its path, unless the widget
/// was deleted before.
void askForTable(QWidget* widget, std::function<void(const QString&)> chosen);
/// Asks for the folder of a recording, first among those that are installed with Strata. Otherwise
/// like askForTable().
void askForRecording(QWidget* widget, std::function<void(const QString&)> chosen);

}  // namespace strata::ui
