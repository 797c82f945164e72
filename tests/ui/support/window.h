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

/// Names the application, makes settings empty, puts numbers into the C locale as the program does,
/// and speaks English, or the language that the environment names in STRATA_TEST_LANGUAGE.
void prepareApplication();
/// The bytes of a file.
QByteArray bytesOf(const QString& path);

class TestWindow {
 public:
  /// `project`: a file of projects/, copied so that saving and runs leave the tree alone.
  /// `replacements`: text of the copy, old and new.
  explicit TestWindow(const QString& project = QStringLiteral("mnist-cnn.json"),
                      const QList<std::pair<QString, QString>>& replacements = {});
  ~TestWindow();
  /// As the program does at a later start: another window on the same project, settings kept.
  void restart();
  MainWindow& window() { return *m_window; }
  Document& document() { return *m_window->workspace().current(); }
  QString path() const { return m_path; }
  QString folder() const { return m_folder.path(); }
  /// The first visible child with this accessible name.
  QWidget* named(const QString& accessibleName) const;
  /// Waits until the inspection of the document is of its revision.
  bool waitForInspection();
  QStringList layerNames();
  /// Clicks every visible closed section of a form open.
  void openSections();

 private:
  QTemporaryDir m_folder;
  QString m_path;
  std::unique_ptr<Theme> m_theme;
  std::unique_ptr<MainWindow> m_window;
};

/// The visible dialog of this kind over the window, waited for; null when none came.
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
/// The visible button with these words under `parent`; null when none.
QAbstractButton* buttonWith(QWidget& parent, const QString& words);
/// Visible widgets that take the keyboard and that a screen reader could not name.
QStringList namelessWidgets(QWidget& window);
/// Brings it into sight, as a person scrolls.
void reveal(QWidget* widget);
/// A click in the middle.
void click(QWidget* widget);
/// This name into the file dialog over the window, and Enter.
void chooseFile(QWidget& window, const QString& path);
/// A key to the window that has the keyboard.
void press(int key, Qt::KeyboardModifiers modifiers = {});

/// Mouse events to the window handle under the point, as a person's.
void clickAt(QWidget* widget, const QPoint& point);
void doubleClickAt(QWidget* widget, const QPoint& point);
/// Press, move in steps, release. Drag and drop runs its own loop, so the release comes from a
/// timer.
void dragFromTo(QWidget* from, const QPoint& start, QWidget* to, const QPoint& end);

}  // namespace strata::ui
