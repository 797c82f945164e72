// SPDX-License-Identifier: GPL-3.0-or-later
// A window on a copy of an example project, in a folder of its own, with settings that nobody else has. Thread: the test's.
#pragma once

#include <QString>
#include <QTemporaryDir>
#include <memory>

#include "ui/document/document.h"
#include "ui/main_window/main_window.h"
#include "ui/theme/theme.h"

namespace strata::ui {

/// Names the application, makes settings empty, and puts numbers into the C locale as the program does.
void prepareApplication();
/// The bytes of a file.
QByteArray bytesOf(const QString& path);

class TestWindow {
 public:
  /// `project`: a file of projects/, copied so that saving and runs leave the tree alone.
  explicit TestWindow(const QString& project = QStringLiteral("mnist-cnn.json"));
  ~TestWindow();
  MainWindow& window() { return *m_window; }
  Document& document() { return *m_window->workspace().current(); }
  QString path() const { return m_path; }
  /// The first visible child with this accessible name.
  QWidget* named(const QString& accessibleName) const;
  /// Waits until the inspection of the document is of its revision.
  bool waitForInspection();
  QStringList layerNames();

 private:
  QTemporaryDir m_folder;
  QString m_path;
  std::unique_ptr<Theme> m_theme;
  std::unique_ptr<MainWindow> m_window;
};

/// Mouse events to the window handle under the point, as a person's.
void clickAt(QWidget* widget, const QPoint& point);
void doubleClickAt(QWidget* widget, const QPoint& point);
/// Press, move in steps, release. Drag and drop runs its own loop, so the release comes from a timer.
void dragFromTo(QWidget* from, const QPoint& start, QWidget* to, const QPoint& end);

}  // namespace strata::ui
