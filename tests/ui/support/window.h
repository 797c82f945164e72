// SPDX-License-Identifier: GPL-3.0-or-later
// A window on a copy of an example project, in a temporary folder and with private settings.
// Thread: the test's.
#pragma once

#include <QAbstractButton>
#include <QList>
#include <QString>
#include <QTemporaryDir>
#include <QtTest>
#include <memory>
#include <utility>

#include "ui/document/document.h"
#include "ui/main_window/main_window.h"
#include "ui/theme/theme.h"

namespace strata::ui {

/// Names the application, clears settings, sets the C locale for numbers as the program does, and
/// chooses English, or the language in STRATA_TEST_LANGUAGE.
void prepareApplication();
/// The bytes of a file.
QByteArray bytesOf(const QString& path);

class TestWindow {
 public:
  /// `project`: a file of projects/, copied so that saving and runs do not touch the source tree.
  /// `replacements`: old and new texts in the copy.
  explicit TestWindow(const QString& project = QStringLiteral("mnist-cnn.json"),
                      const QList<std::pair<QString, QString>>& replacements = {});
  ~TestWindow();
  /// Simulates a restart: a new window on the same project, with the same settings.
  void restart();
  MainWindow& window() { return *m_window; }
  Document& document() { return *m_window->workspace().current(); }
  QString path() const { return m_path; }
  QString folder() const { return m_folder.path(); }
  /// The first visible child with this accessible name.
  QWidget* named(const QString& accessibleName) const;
  /// Waits until the inspection matches the document's revision.
  bool waitForInspection();
  QStringList layerNames();
  /// Opens every visible closed section of a form.
  void openSections();

 private:
  QTemporaryDir m_folder;
  QString m_path;
  std::unique_ptr<Theme> m_theme;
  std::unique_ptr<MainWindow> m_window;
};

/// Waits for a visible dialog of this type over the window; null if none appears.
template <class T>
T* waitForDialog(QWidget& window) {
  T* found = nullptr;
  (void)QTest::qWaitFor(
      [&] {
        for (T* dialog : window.findChildren<T*>())
          if (dialog->isVisible()) found = dialog;
        return found != nullptr;
      },
      5000);
  return found;
}
/// The visible button with this text under `parent`, or null.
QAbstractButton* buttonWith(QWidget& parent, const QString& words);
/// Visible widgets that accept focus but have no accessible name.
QStringList namelessWidgets(QWidget& window);
/// Scrolls it into view.
void reveal(QWidget* widget);
/// Clicks its centre.
void click(QWidget* widget);
/// Types this name into the file dialog over the window and presses Enter.
void chooseFile(QWidget& window, const QString& path);
/// Sends a key to the window with the focus.
void press(int key, Qt::KeyboardModifiers modifiers = {});

/// Sends mouse events to the window handle under the point, as the system does.
void clickAt(QWidget* widget, const QPoint& point);
void doubleClickAt(QWidget* widget, const QPoint& point);
/// Press, move in steps, release. Drag and drop runs a nested loop, so a timer sends the release.
void dragFromTo(QWidget* from, const QPoint& start, QWidget* to, const QPoint& end);

}  // namespace strata::ui
