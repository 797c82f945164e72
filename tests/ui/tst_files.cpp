// SPDX-License-Identifier: GPL-3.0-or-later
// Tests files: templates, Save as, Open, recent projects, and undo and redo up to the saved bytes.
// Also tests the keys of the main window.
#include <QDialog>
#include <QDir>
#include <QFileInfo>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QMenuBar>
#include <QMessageBox>
#include <QTreeView>
#include <QtTest>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/ui/support/window.h"
#include "ui/dialogs/template_dialog.h"
#include "ui/document/edits.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

/// Returns the menu with this title, or null.
QMenu* menuCalled(QWidget& window, const QString& words) {
  for (QMenu* menu : window.findChildren<QMenu*>()) {
    if (QString(menu->title()).remove(u'&') == words) return menu;
  }
  return nullptr;
}

}  // namespace

class TestFiles : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void aFileChangedByAnotherProgramIsOnlyOverwrittenAfterAsking() {
    TestWindow test;
    QVERIFY(test.waitForInspection());
    QFile file(test.path());
    QVERIFY(file.open(QIODevice::Append));
    file.write(" \n");
    file.close();
    const QByteArray theirs = bytesOf(test.path());
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(7)));
    QVERIFY(QTest::qWaitForWindowActive(&test.window()));
    press(Qt::Key_S, Qt::ControlModifier);
    QPointer<QMessageBox> box = waitForDialog<QMessageBox>(test.window());
    QVERIFY(box);
    QVERIFY(box->text().contains(test.path()));
    QVERIFY(QTest::qWaitForWindowActive(box));
    click(buttonWith(*box, u"Cancel"_s));
    QTRY_VERIFY(!box);
    QVERIFY(QTest::qWaitForWindowActive(&test.window()));
    QCOMPARE(bytesOf(test.path()), theirs);
    QVERIFY(test.document().isModified());
    press(Qt::Key_S, Qt::ControlModifier);
    box = waitForDialog<QMessageBox>(test.window());
    QVERIFY(box);
    QVERIFY(QTest::qWaitForWindowActive(box));
    click(buttonWith(*box, u"Replace"_s));
    QTRY_VERIFY(!test.document().isModified());
    QVERIFY(bytesOf(test.path()) != theirs);
    QVERIFY(!test.document().file().isChangedOnDisk());
  }

  void aStartKeepsTheOrderOfTheRecentFiles() {
    TestWindow test;
    const QString other = test.folder() + u"/other.json"_s;
    QVERIFY(QFile::copy(test.path(), other));
    QVERIFY(test.window().workspace().open(other));
    QVERIFY(test.window().workspace().save(test.window().workspace().document(0), test.path()));
    const QStringList recent = test.window().workspace().recentFiles();
    QCOMPARE(recent, QStringList({test.path(), other}));
    test.restart();
    QCOMPARE(test.window().workspace().count(), 2);
    QCOMPARE(test.window().workspace().recentFiles(), recent);
  }

  void aPipeInPlaceOfTheFileDoesNotBlock() {
    TestWindow test;
    QVERIFY(QFile::remove(test.path()));
    QCOMPARE(::mkfifo(QFile::encodeName(test.path()).constData(), 0600), 0);
    QVERIFY(test.document().file().isChangedOnDisk());
  }

  void aTemplateBecomesANewProject() {
    TestWindow test;
    press(Qt::Key_N, Qt::ControlModifier);
    auto* dialog = waitForDialog<TemplateDialog>(test.window());
    QVERIFY(dialog);
    QVERIFY(QTest::qWaitForWindowActive(dialog));
    auto* list = dialog->findChild<QListWidget*>();
    QVERIFY(list);
    QVERIFY(list->count() >= 7);
    const QList<QListWidgetItem*> found = list->findItems(u"LeNet-5"_s, Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    list->scrollToItem(found[0]);
    clickAt(list->viewport(), list->visualItemRect(found[0]).center());
    click(buttonWith(*dialog, u"Create"_s));
    QTRY_COMPARE(test.window().workspace().count(), 2);
    QCOMPARE(test.document().name(), u"LeNet-5"_s);
    QVERIFY(test.document().path().isEmpty());
    QVERIFY(test.waitForInspection());
    QCOMPARE(test.document().checks().errorCount(), 0);

    // Save asks for a file. Afterwards the project is in the recent list and can be opened again.
    const QString path = test.folder() + u"/mine.json"_s;
    QVERIFY(QTest::qWaitForWindowActive(&test.window()));
    press(Qt::Key_S, Qt::ControlModifier);
    chooseFile(test.window(), path);
    QTRY_VERIFY(QFileInfo::exists(path));
    QTRY_COMPARE(test.document().path(), path);
    QVERIFY(QTest::qWaitForWindowActive(&test.window()));
    press(Qt::Key_W, Qt::ControlModifier);
    QTRY_COMPARE(test.window().workspace().count(), 1);
    QMenu* recent = menuCalled(test.window(), u"Open recent"_s);
    QVERIFY(recent);
    QVERIFY(recent->isEnabled());
    QAction* first = recent->actions().value(0);
    QVERIFY(first && first->text().contains(u"mine.json"_s));
    first->trigger();
    QTRY_COMPARE(test.window().workspace().count(), 2);
    QCOMPARE(test.document().path(), path);
  }

  void withoutAProjectTheStartPageOffersOne() {
    TestWindow test;
    QVERIFY(test.named(u"Layers to add"_s));
    press(Qt::Key_W, Qt::ControlModifier);
    QTRY_COMPARE(test.window().workspace().count(), 0);
    // Without a project, the pages and the list of layers to add are hidden. Adding layers,
    // changing the page, training and saving are disabled.
    QTRY_VERIFY(!test.named(u"Layers to add"_s));
    for (const QString& gone : {u"Layers"_s, u"Inspector"_s, u"Train"_s, u"Design"_s})
      QVERIFY2(!test.named(gone), qPrintable(gone));
    const ActionTable& actions = test.window().actionTable();
    for (const QString& off : {u"edit.add"_s, u"view.page1"_s, u"run.train"_s, u"file.save"_s})
      QVERIFY2(!actions[off]->isEnabled(), qPrintable(off));
    QVERIFY(namelessWidgets(test.window()).isEmpty());
    for (const QString& offer : {u"New project"_s, u"Open…"_s, u"Use my own data"_s})
      QVERIFY2(buttonWith(test.window(), offer), qPrintable(offer));

    // The closed project is in the recent list, and a click opens it.
    auto* recent = qobject_cast<QListWidget*>(test.named(u"Recent projects"_s));
    QVERIFY(recent);
    QCOMPARE(recent->item(0)->text(), u"mnist-cnn"_s);
    clickAt(recent->viewport(), recent->visualItemRect(recent->item(0)).center());
    QTRY_COMPARE(test.window().workspace().count(), 1);
    QCOMPARE(test.document().path(), test.path());
    QTRY_VERIFY(test.named(u"Layers to add"_s));
    QVERIFY(!test.named(u"Recent projects"_s));
    QVERIFY(actions[u"run.train"_s]->isEnabled());
    // Keyboard shortcuts work immediately.
    press(Qt::Key_1, Qt::ControlModifier);
    QTRY_COMPARE(test.window().page(), PageId::Data);

    // A template can also be opened with the keyboard.
    press(Qt::Key_W, Qt::ControlModifier);
    auto* templates = qobject_cast<QListWidget*>(test.named(u"Templates"_s));
    QTRY_VERIFY((templates = qobject_cast<QListWidget*>(test.named(u"Templates"_s))) != nullptr);
    const QList<QListWidgetItem*> found = templates->findItems(u"LeNet-5"_s, Qt::MatchExactly);
    QCOMPARE(found.size(), 1);
    QVERIFY(templates->accessibleName() == u"Templates"_s);
    templates->setFocus();
    templates->setCurrentItem(found[0]);
    press(Qt::Key_Return);
    QTRY_COMPARE(test.window().workspace().count(), 1);
    QCOMPARE(test.document().name(), u"LeNet-5"_s);
    QVERIFY(test.document().path().isEmpty());
    QTRY_COMPARE(test.window().page(), PageId::Design);
  }

  void ownDataStartsAProject() {
    TestWindow test;
    const QString table = test.folder() + u"/fruit.csv"_s;
    QFile file(table);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("weight,length,kind\n");
    for (int i = 0; i < 20; ++i)
      file.write(QByteArray::number(i) + "," + QByteArray::number(i * 2) +
                 (i % 2 ? ",apple\n" : ",pear\n"));
    file.close();
    press(Qt::Key_W, Qt::ControlModifier);
    QAbstractButton* own = nullptr;
    QTRY_VERIFY((own = buttonWith(test.window(), u"Use my own data"_s)) != nullptr);
    QTimer::singleShot(300, [] {
      auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
      if (menu) clickAt(menu, menu->actionGeometry(menu->actions().value(0)).center());
    });
    click(own);
    chooseFile(test.window(), table);
    QTRY_COMPARE(test.window().workspace().count(), 1);
    QCOMPARE(test.document().name(), u"fruit"_s);
    QCOMPARE(test.window().page(), PageId::Data);
    QCOMPARE(test.document().json()["data"]["source"]["path"], Json(table.toStdString()));
    // The fixes of the network's problems remove all errors.
    QVERIFY(test.waitForInspection());
    for (int round = 0; round < 4 && test.document().checks().errorCount() > 0; ++round) {
      const Diagnostics problems = test.document().checks().inspection().diagnostics;
      QVERIFY2(!problems[0].fixes.empty(), problems[0].line().c_str());
      QVERIFY(test.document().submit(problems[0].fixes[0].edit));
      QVERIFY(test.waitForInspection());
    }
    QCOMPARE(test.document().checks().errorCount(), 0);
    test.document().undoStack()->setIndex(0);
  }

  void aFileIsChosenWithABrowseButton() {
    TestWindow test(u"penguins.json"_s);
    QVERIFY(QDir(test.folder()).mkdir(u"tables"_s));
    const QString source =
        QString::fromStdString((sourceDir() / "projects/data/penguins.csv").string());
    QVERIFY(QFile::copy(source, test.folder() + u"/tables/mine.csv"_s));
    test.window().showPage(PageId::Data);
    QTRY_VERIFY(test.named(u"File"_s));
    QVERIFY(test.waitForInspection());
    waitUntilStill(test.named(u"Browse for File"_s));
    click(test.named(u"Browse for File"_s));
    chooseFile(test.window(), test.folder() + u"/tables/mine.csv"_s);
    // The path of a file in the project's folder is stored relative to it.
    const auto path = [&] {
      return test.document().json()["data"]["source"]["path"];
    };
    QTRY_COMPARE(path(), Json("tables/mine.csv"));
    QCOMPARE(qobject_cast<QLineEdit*>(test.named(u"File"_s))->text(), u"tables/mine.csv"_s);
    QVERIFY(QTest::qWaitForWindowActive(&test.window()));
    click(test.named(u"Browse for File"_s));
    chooseFile(test.window(), source);
    QTRY_COMPARE(path(), Json(source.toStdString()));
    test.document().undoStack()->setIndex(0);
  }

  void openSaysWhyAFileIsNotAProject() {
    TestWindow test;
    const QString wrong = test.folder() + u"/wrong.json"_s;
    QFile file(wrong);
    QVERIFY(file.open(QIODevice::WriteOnly));
    file.write("{\n  \"format\": oops\n}\n");
    file.close();
    press(Qt::Key_O, Qt::ControlModifier);
    chooseFile(test.window(), wrong);
    auto* box = waitForDialog<QMessageBox>(test.window());
    QVERIFY(box);
    QVERIFY2(box->text().contains(u"wrong.json"_s) && box->text().contains(u"line 2"_s),
             qPrintable(box->text()));
    QVERIFY(!box->text().contains(u'\n'));
    QVERIFY(QTest::qWaitForWindowActive(box));
    press(Qt::Key_Return);
    QTRY_COMPARE(test.window().workspace().count(), 1);
  }

  void undoAndRedoReachTheSavedBytes() {
    TestWindow test;
    press(Qt::Key_S, Qt::ControlModifier);
    const QByteArray before = bytesOf(test.path());
    submitField(test.document(), u"conv1"_s, "filters", Json(8));
    submitRemove(test.document(), pathsOf(test.document(), {u"pool2"_s}));
    submitRename(test.document(), u"hidden"_s, u"wide"_s);
    QVERIFY(test.document().isModified());
    const Json edited = test.document().json();
    for (int i = 0; i < 3; ++i)
      press(Qt::Key_Z, Qt::ControlModifier);
    QVERIFY(!test.document().isModified());
    for (int i = 0; i < 3; ++i)
      press(Qt::Key_Z, Qt::ControlModifier | Qt::ShiftModifier);
    QCOMPARE(test.document().json(), edited);
    for (int i = 0; i < 3; ++i)
      press(Qt::Key_Z, Qt::ControlModifier);
    press(Qt::Key_S, Qt::ControlModifier);
    QCOMPARE(bytesOf(test.path()), before);
  }

  void keysOfTheMainWindow() {
    TestWindow test;
    const auto pageAfter = [&](int key) {
      press(key, Qt::ControlModifier);
      return test.window().page();
    };
    QCOMPARE(pageAfter(Qt::Key_1), PageId::Data);
    QCOMPARE(pageAfter(Qt::Key_3), PageId::Train);
    QCOMPARE(pageAfter(Qt::Key_4), PageId::Results);
    QCOMPARE(pageAfter(Qt::Key_2), PageId::Design);

    // "/" moves the focus to the filter of the palette, and Esc moves it back to the list.
    press(Qt::Key_Slash);
    auto* filter = qobject_cast<QLineEdit*>(test.named(u"Find a layer"_s));
    QVERIFY(filter);
    QTRY_VERIFY(filter->hasFocus());
    QVERIFY(filter->text().isEmpty());

    // F6 cycles through the panes.
    QSet<QWidget*> visited;
    const QWidget* begin = QApplication::focusWidget();
    int steps = 0;
    do {
      press(Qt::Key_F6);
      QVERIFY(QApplication::focusWidget());
      visited.insert(QApplication::focusWidget());
    } while (QApplication::focusWidget() != begin && ++steps < 10);
    QVERIFY(steps < 10);
    QVERIFY2(visited.size() >= 4, "left pane, page, inspector, top row");
    QVERIFY(std::any_of(visited.begin(), visited.end(), [&](QWidget* widget) {
      return test.named(u"Inspector"_s)->isAncestorOf(widget);
    }));
  }

  void f8StepsThroughTheProblems() {
    TestWindow test;
    submitField(test.document(), u"conv1"_s, "filters", Json(0));
    submitField(test.document(), u"hidden"_s, "units", Json(-3));
    QVERIFY(test.waitForInspection());
    press(Qt::Key_1, Qt::ControlModifier);
    QSet<QString> selected;
    for (int i = 0; i < test.document().checks().errorCount() + 1; ++i) {
      press(Qt::Key_F8);
      QCOMPARE(test.window().page(), PageId::Design);
      for (const QString& layer : test.document().selection())
        selected.insert(layer);
    }
    QVERIFY(selected.contains(u"conv1"_s) && selected.contains(u"hidden"_s));
    QVERIFY(test.named(u"Close the drawer"_s));
  }

  void theStatusRowDescribesTheNetworkAndItsCost() {
    TestWindow test;
    QVERIFY(test.waitForInspection());
    const auto words = [&] {
      QString found;
      for (const QLabel* label : test.window().findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(u"93,322 parameters. Predicted: needs"_s))
          found = label->text();
      return found;
    };
    QTRY_VERIFY_WITH_TIMEOUT(words().contains(u"on this machine"_s), 30000);
    QVERIFY(words().contains(u"MiB"_s));
  }
};

QTEST_MAIN(TestFiles)
#include "tst_files.moc"
