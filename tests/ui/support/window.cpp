// SPDX-License-Identifier: GPL-3.0-or-later
#include "tests/ui/support/window.h"

#include <QAccessible>
#include <QApplication>
#include <QElapsedTimer>
#include <QFile>
#include <QFileDialog>
#include <QLineEdit>
#include <QMessageBox>
#include <QPointer>
#include <QScrollArea>
#include <QSettings>
#include <QTimer>
#include <QWindow>
#include <QtTest>
#include <clocale>

#include "tests/support/paths.h"
#include "ui/language.h"

namespace strata::ui {

void prepareApplication() {
  std::setlocale(LC_NUMERIC, "C");
  QApplication::setOrganizationName(QStringLiteral("StrataTest"));
  QApplication::setApplicationName(QStringLiteral("window-test"));
  QSettings().clear();
  loadLanguage(
      languageOf(qEnvironmentVariable("STRATA_TEST_LANGUAGE")).value_or(Language::English));
}

QByteArray bytesOf(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

TestWindow::TestWindow(const QString& project,
                       const QList<std::pair<QString, QString>>& replacements) {
  const QString source =
      QString::fromStdString((sourceDir() / "projects" / project.toStdString()).string());
  m_path = m_folder.filePath(project);
  QFile::copy(source, m_path);
  QFile::setPermissions(m_path, QFile::ReadOwner | QFile::WriteOwner);
  if (!replacements.isEmpty()) {
    QString words = QString::fromUtf8(bytesOf(m_path));
    for (const auto& [old, replacement] : replacements) {
      if (!words.contains(old)) qWarning("the project has no text %s", qPrintable(old));
      words.replace(old, replacement);
    }
    QFile file(m_path);
    if (!file.open(QIODevice::WriteOnly) || file.write(words.toUtf8()) < 0)
      qWarning("the copy of the project was not written");
  }
  QSettings().clear();
  restart();
}

void TestWindow::restart() {
  m_window.reset();
  m_theme = std::make_unique<Theme>(*qApp);
  m_window = std::make_unique<MainWindow>(*m_theme);
  m_window->show();
  m_window->openAtStart(m_path);
  m_window->activateWindow();
  if (!QTest::qWaitForWindowActive(m_window.get())) qWarning("the window did not become active");
}

TestWindow::~TestWindow() = default;

QWidget* TestWindow::named(const QString& accessibleName) const {
  for (QWidget* child : m_window->findChildren<QWidget*>()) {
    if (child->isVisible() && child->accessibleName() == accessibleName) return child;
  }
  return nullptr;
}

bool TestWindow::waitForInspection() {
  return QTest::qWaitFor([this] { return document().checks().isCurrent(); }, 10000);
}

void reveal(QWidget* widget) {
  for (QWidget* at = widget->parentWidget(); at; at = at->parentWidget())
    if (auto* area = qobject_cast<QScrollArea*>(at)) area->ensureWidgetVisible(widget, 0, 30);
  QTest::qWait(30);
}

void TestWindow::openSections() {
  for (auto* head : m_window->findChildren<QAbstractButton*>()) {
    if (!head->objectName().startsWith(u"fold/") || !head->isVisible() || head->isChecked())
      continue;
    reveal(head);
    click(head);
  }
}

QStringList TestWindow::layerNames() {
  QStringList names;
  for (const LayerEntry& entry : document().layers())
    names << entry.name;
  return names;
}

QAbstractButton* buttonWith(QWidget& parent, const QString& words) {
  for (QAbstractButton* button : parent.findChildren<QAbstractButton*>()) {
    if (button->isVisible() && QString(button->text()).remove(u'&') == words) return button;
  }
  return nullptr;
}

QStringList namelessWidgets(QWidget& window) {
  QStringList nameless;
  for (QWidget* widget : window.findChildren<QWidget*>()) {
    if (!widget->isVisible() || !(widget->focusPolicy() & Qt::TabFocus) ||
        widget->objectName().startsWith(QStringLiteral("qt_")))
      continue;
    QAccessibleInterface* accessible = QAccessible::queryAccessibleInterface(widget);
    if (!accessible || !accessible->text(QAccessible::Name).isEmpty()) continue;
    nameless << QStringLiteral("%1 in %2")
                    .arg(QString::fromLatin1(widget->metaObject()->className()),
                         QString::fromLatin1(widget->parentWidget()->metaObject()->className()));
  }
  return nameless;
}

void waitUntilStill(const QWidget* widget) {
  QRect last;
  QElapsedTimer still;
  still.start();
  (void)QTest::qWaitFor(
      [&] {
        const QRect now(widget->mapToGlobal(QPoint()), widget->size());
        if (now != last) still.restart();
        last = now;
        return still.elapsed() >= 200;
      },
      5000);
}

void click(QWidget* widget) { clickAt(widget, widget->rect().center()); }

void chooseFile(QWidget& window, const QString& path) {
  const QPointer<QFileDialog> dialog = waitForDialog<QFileDialog>(window);
  QVERIFY(dialog);
  QVERIFY(QTest::qWaitForWindowActive(dialog));
  auto* name = dialog->findChild<QLineEdit*>(QStringLiteral("fileNameEdit"));
  QVERIFY(name);
  // When the folder has been read, the completer opens a list. Enter would then choose a completion
  // and might clear the field.
  name->setCompleter(nullptr);
  // The dialog reads the folder during this wait.
  QTest::qWait(250);
  const auto isDone = [&] {
    return !dialog || !dialog->isVisible() || dialog->findChild<QMessageBox*>();
  };
  for (int i = 0; i < 4 && !isDone(); ++i) {
    name->setFocus();
    name->selectAll();
    QTest::keyClicks(name, path);
    QTest::keyClick(name, Qt::Key_Return);
    (void)QTest::qWaitFor(isDone, 1000);
  }
}

void press(int key, Qt::KeyboardModifiers modifiers) {
  QWindow* window = QGuiApplication::focusWindow();
  if (!window) {
    qWarning("no window has the keyboard");
    return;
  }
  QTest::keyClick(window, static_cast<Qt::Key>(key), modifiers);
}

void clickAt(QWidget* widget, const QPoint& point) {
  QTest::mouseClick(widget->window()->windowHandle(), Qt::LeftButton, {},
                    widget->mapTo(widget->window(), point));
}

void doubleClickAt(QWidget* widget, const QPoint& point) {
  QTest::mouseDClick(widget->window()->windowHandle(), Qt::LeftButton, {},
                     widget->mapTo(widget->window(), point));
}

void dragFromTo(QWidget* from, const QPoint& start, QWidget* to, const QPoint& end) {
  QWindow* source = from->window()->windowHandle();
  const QPoint begin = from->mapToGlobal(start), finish = to->mapToGlobal(end);
  const auto windowAt = [source, other = to->window()->windowHandle()](const QPoint& place) {
    return source->geometry().contains(place) ? source : other;
  };
  QTest::mousePress(source, Qt::LeftButton, {}, source->mapFromGlobal(begin));
  // Each move has its own timer, because the move that starts the drag returns only when the drag
  // ends. Until then, the nested event loop of the drag fires the other timers.
  constexpr int kSteps = 8, kPause = 60;
  bool isReleased = false;
  for (int step = 0; step <= kSteps; ++step) {
    QTimer::singleShot(kPause * (step + 1), source, [=] {
      const QPoint place = begin + (finish - begin) * step / kSteps + QPoint(step % 2, 0);
      QTest::mouseMove(windowAt(place), windowAt(place)->mapFromGlobal(place));
    });
  }
  QTimer::singleShot(kPause * (kSteps + 3), source, [&isReleased, windowAt, finish] {
    QTest::mouseRelease(windowAt(finish), Qt::LeftButton, {},
                        windowAt(finish)->mapFromGlobal(finish));
    isReleased = true;
  });
  const bool isDone = QTest::qWaitFor([&] { return isReleased; }, 8000);
  if (!isDone) qWarning("the drag did not end");
  QTest::qWait(100);
}

}  // namespace strata::ui
