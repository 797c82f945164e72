// SPDX-License-Identifier: GPL-3.0-or-later
// Creates, opens, saves and closes projects with the necessary questions and file dialogs. Dialogs
// are shown with open(), so no function blocks. Thread: GUI thread.
#pragma once

#include <QObject>
#include <QString>
#include <functional>

#include "gpu/base/error.h"
#include "ui/workspace/page_context.h"

class QWidget;

namespace strata::ui {

class Document;

class FileDesk : public QObject {
  Q_OBJECT
 public:
  FileDesk(const PageContext& context, QWidget* window);
  void newFromTemplate();
  /// Creates an unsaved project as a copy of the project at `path`.
  void createFrom(const QString& path);
  /// Creates an unsaved project without layers and data, and shows the Data page.
  void newEmpty();
  /// Asks for a table, then creates a project that reads it, with a network for it, and shows the
  /// Data page.
  void newFromTable();
  void newFromImages();
  void open();
  void openPath(const QString& path);
  /// Saves the document, and asks for a path if it has none. Calls `then` after the document is
  /// saved.
  void save(Document* document, std::function<void()> then = {});
  void saveAs(Document* document, std::function<void()> then = {});
  /// Asks once about unsaved changes and an active run, then closes the document.
  void close(Document* document);
  /// Asks once about all unsaved changes and the active run. Calls `then` if the user agrees to
  /// quit.
  void closeAll(std::function<void()> then);
  void showOpenFailure(const Error& error);
  void showRecordingFailure(const Error& error);

 private:
  void showMessage(const QString& title, const QString& message);
  void askBeforeOverwriting(Document* document, std::function<void()> then);
  void write(Document* document, const QString& path, const std::function<void()>& then);
  void saveAll(std::function<void()> then);
  void createForTable(const QString& path);
  void createForImages(const QString& path);
  void stopRunThen(std::function<void()> then);

  PageContext m_context;
  QWidget* m_window;
};

}  // namespace strata::ui
