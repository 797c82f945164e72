// SPDX-License-Identifier: GPL-3.0-or-later
// A window with a copy of an example project in a temporary folder, and functions that simulate the
// user. The settings are private. Only the thread of the test may use it.
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

/// Sets the name of the application, clears its settings and sets the C locale for numbers, as the
/// program does. The language is English, or the one in STRATA_TEST_LANGUAGE.
void prepareApplication();
/// Returns the bytes of a file.
QByteArray bytesOf(const QString& path);

class TestWindow {
 public:
  /// Opens a copy of `project`, a file in projects/, so that saving and runs do not change the
  /// source tree. `replacements` are pairs of old and new texts for the copy.
  explicit TestWindow(const QString& project = QStringLiteral("mnist-cnn.json"),
                      const QList<std::pair<QString, QString>>& replacements = {});
  ~TestWindow();
  /// Simulates a restart: opens a new window with the same project and the same settings.
  void restart();
  MainWindow& window() { return *m_window; }
  Document& document() { return *m_window->workspace().current(); }
  QString path() const { return m_path; }
  QString folder() const { return m_folder.path(); }
  /// Returns the first visible child with this accessible name, or null.
  QWidget* named(const QString& accessibleName) const;
  /// Waits until the inspection matches the document's revision.
  bool waitForInspection();
  QStringList layerNames();
  /// Opens every closed section that is visible in a form.
  void openSections();

 private:
  QTemporaryDir m_folder;
  QString m_path;
  std::unique_ptr<Theme> m_theme;
  std::unique_ptr<MainWindow> m_window;
};

/// Waits for a visible dialog of this type over the window. Returns null if none appears.
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
/// Returns the visible button with this text under `parent`, or null.
QAbstractButton* buttonWith(QWidget& parent, const QString& words);
/// Returns the visible widgets that accept focus but have no accessible name.
QStringList namelessWidgets(QWidget& window);
/// Scrolls the widget into view.
void reveal(QWidget* widget);
/// Waits until the widget has kept its place and size for 200 ms, at most 5 seconds. The layout of
/// a page that has just been shown or filled takes several events, longer on a busy machine.
void waitUntilStill(const QWidget* widget);
/// Clicks the centre of the widget.
void click(QWidget* widget);
/// Types this name into the file dialog over the window and presses Enter.
void chooseFile(QWidget& window, const QString& path);
/// Sends a key to the window with the focus.
void press(int key, Qt::KeyboardModifiers modifiers = {});

/// Sends mouse events to the window handle under the point, as the system does.
void clickAt(QWidget* widget, const QPoint& point);
void doubleClickAt(QWidget* widget, const QPoint& point);
/// Presses, moves in steps and releases. Drag and drop runs a nested event loop, so timers send the
/// events.
void dragFromTo(QWidget* from, const QPoint& start, QWidget* to, const QPoint& end);

}  // namespace strata::ui
