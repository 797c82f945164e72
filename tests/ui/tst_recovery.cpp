// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that unsaved edits of a killed window are restored at the next start, in one window only.
// Edits that were saved or discarded are not restored. The killed windows run in other processes of
// this test program.
#include <QDir>
#include <QDirIterator>
#include <QLabel>
#include <QProcess>
#include <QStandardPaths>
#include <QtTest>
#include <csignal>

#include <nlohmann/json.hpp>

#include "tests/support/paths.h"
#include "tests/ui/support/window.h"
#include "ui/document/edits.h"
#include "ui/workspace/recovery.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

QString root() {
  return QStandardPaths::writableLocation(QStandardPaths::GenericDataLocation) +
         u"/strata/recovery"_s;
}

QStringList keptFiles() {
  QStringList files;
  QDirIterator walk(root(), {u"*.recovery"_s}, QDir::Files, QDirIterator::Subdirectories);
  while (walk.hasNext())
    files << walk.next();
  return files;
}

/// A window in a separate process that changes the number of epochs and waits to be killed.
class OtherWindow {
 public:
  OtherWindow(const QString& project, int epochs) {
    m_process.start(QCoreApplication::applicationFilePath(),
                    {u"--edit"_s, project, QString::number(epochs)});
  }
  ~OtherWindow() { kill(); }
  /// Waits until there are `count` recovery files.
  bool waitForFile(qsizetype count) {
    return QTest::qWaitFor([&] { return keptFiles().size() == count; }, 30000);
  }
  void kill() {
    if (m_process.state() == QProcess::NotRunning) return;
    ::kill(static_cast<pid_t>(m_process.processId()), SIGKILL);
    m_process.waitForFinished();
  }

 private:
  QProcess m_process;
};

int editAndWait(const QString& project, int epochs) {
  Theme theme(*qApp);
  MainWindow window(theme);
  window.show();
  window.openAtStart(project);
  Document* document = window.workspace().current();
  if (project.isEmpty()) {
    const std::string mlp = (sourceDir() / "projects/mnist-mlp.json").string();
    document = window.workspace().addNew(std::move(loadProject(mlp)).value());
  }
  submitValue(*document, "/training/epochs", Json(epochs));
  return QApplication::exec();
}

int64_t epochsOf(const Document& document) {
  return document.json().at(Json::json_pointer("/training/epochs")).get<int64_t>();
}

QStringList notices(MainWindow& window) {
  QStringList lines;
  for (const QLabel* label : window.findChildren<QLabel*>()) {
    if (label->isVisible() && label->text().startsWith(u"Restored the unsaved changes"_s))
      lines << label->text();
  }
  return lines;
}

}  // namespace

class TestRecovery : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }
  void init() { QDir(root()).removeRecursively(); }

  void editsOfAKilledWindowComeBack() {
    TestWindow test;
    const QByteArray saved = bytesOf(test.path());
    OtherWindow other(test.path(), 41);
    QVERIFY(other.waitForFile(1));
    QCOMPARE(bytesOf(test.path()), saved);
    // Edits of a window that is still running are not restored by another window.
    test.restart();
    QVERIFY(!test.document().isModified());
    QVERIFY(notices(test.window()).isEmpty());
    QCOMPARE(keptFiles().size(), 1);

    other.kill();
    test.restart();
    QCOMPARE(test.window().workspace().count(), 1);
    QCOMPARE(test.document().path(), test.path());
    QCOMPARE(epochsOf(test.document()), 41);
    QVERIFY(test.document().isModified());
    QVERIFY(!test.document().file().isChangedOnDisk());
    QTRY_COMPARE(notices(test.window()).size(), 1);
    QVERIFY2(notices(test.window())[0].contains(test.document().name()),
             qPrintable(notices(test.window())[0]));
    QVERIFY(namelessWidgets(test.window()).isEmpty());
    // The recovery file is kept until the project is saved.
    QCOMPARE(keptFiles().size(), 1);

    // Discard returns to the saved file, and redo restores the discarded edits.
    click(buttonWith(test.window(), u"Discard"_s));
    QVERIFY(!test.document().isModified());
    QTRY_VERIFY(notices(test.window()).isEmpty());
    QTRY_VERIFY(keptFiles().isEmpty());
    test.document().undoStack()->redo();
    QCOMPARE(epochsOf(test.document()), 41);
    QVERIFY2(QTest::qWaitFor([] { return keptFiles().size() == 1; }, 10000),
             "an edit is kept again");
    QVERIFY(test.window().workspace().save(&test.document(), test.path()));
    QTRY_VERIFY(keptFiles().isEmpty());
  }

  void unsavedChangesAreOnlyForThisUser() {
    QVERIFY(QDir().mkpath(root()));
    const auto open = QFile::permissions(root()) | QFile::WriteGroup | QFile::WriteOther;
    QVERIFY(QFile::setPermissions(root(), open));
    {
      TestWindow test;
      QVERIFY(submitValue(test.document(), "/training/epochs", Json(7)));
      QVERIFY(QTest::qWaitFor([] { return keptFiles().size() == 1; }, 10000));
      const auto mine = QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner;
      const auto shown = QFile::ReadUser | QFile::WriteUser | QFile::ExeUser;
      for (const QString& path : {root(), QFileInfo(keptFiles()[0]).path()})
        QCOMPARE(QFile::permissions(path), mine | shown);
    }
    // A link instead of the folder is not used, and the log says so
    QVERIFY(QDir(root()).removeRecursively());
    const TemporaryFolder elsewhere;
    QVERIFY(QFile::link(QString::fromStdString(elsewhere.path().string()), root()));
    TestWindow test;
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(8)));
    QTest::qWait(1500);
    QVERIFY(std::filesystem::is_empty(elsewhere.path()));
    QVERIFY(QFile::remove(root()));
  }

  void savingOrClosingRemovesTheRecoveryFile() {
    TestWindow test;
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(7)));
    QVERIFY(QTest::qWaitFor([] { return keptFiles().size() == 1; }, 10000));
    QVERIFY(test.window().workspace().save(&test.document(), test.path()));
    QTRY_VERIFY(keptFiles().isEmpty());
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(8)));
    QVERIFY(QTest::qWaitFor([] { return keptFiles().size() == 1; }, 10000));
    test.window().workspace().close(&test.document());
    QTRY_VERIFY(keptFiles().isEmpty());
    test.restart();
    QVERIFY(!test.document().isModified());
    QCOMPARE(epochsOf(test.document()), 7);
  }

  void aProjectThatWasNeverSavedComesBackToo() {
    {
      OtherWindow other({}, 43);
      QVERIFY(other.waitForFile(1));
    }
    TestWindow test;
    QCOMPARE(test.window().workspace().count(), 2);
    Document* restored = test.window().workspace().document(0);
    QVERIFY(restored->path().isEmpty());
    QVERIFY(restored->isModified());
    QCOMPARE(epochsOf(*restored), 43);
    QTRY_COMPARE(notices(test.window()).size(), 1);
    click(buttonWith(test.window(), u"Show"_s));
    QCOMPARE(test.window().workspace().current(), restored);
    click(buttonWith(test.window(), u"Discard"_s));
    QTRY_COMPARE(test.window().workspace().count(), 1);
    QTRY_VERIFY(keptFiles().isEmpty());
  }

  void twoKilledWindowsOfOneFileLoseNothing() {
    TestWindow test;
    {
      OtherWindow first(test.path(), 44);
      QVERIFY(first.waitForFile(1));
      OtherWindow second(test.path(), 45);
      QVERIFY(second.waitForFile(2));
    }
    // Another program changes the file, so that saving must ask before it overwrites the file.
    QFile file(test.path());
    QVERIFY(file.open(QIODevice::Append));
    file.write(" \n");
    file.close();
    test.restart();
    Workspace& workspace = test.window().workspace();
    QCOMPARE(workspace.count(), 2);
    QSet<int64_t> epochs{epochsOf(*workspace.document(0)), epochsOf(*workspace.document(1))};
    QCOMPARE(epochs, (QSet<int64_t>{44, 45}));
    QCOMPARE(workspace.document(0)->path(), test.path());
    QVERIFY(workspace.document(0)->file().isChangedOnDisk());
    QVERIFY(workspace.document(1)->path().isEmpty());
    // The restored edits are kept in recovery files of this window.
    QCOMPARE(keptFiles().size(), 2);
  }

  void theFileMayBeMissingOrTheRecoveryFileDamaged() {
    TestWindow test;
    {
      OtherWindow other(test.path(), 46);
      QVERIFY(other.waitForFile(1));
    }
    QFile::rename(test.path(), test.path() + u".moved"_s);
    test.restart();
    QCOMPARE(test.window().workspace().count(), 1);
    QCOMPARE(test.document().path(), test.path());
    QCOMPARE(epochsOf(test.document()), 46);
    QVERIFY(test.document().isModified());
    QVERIFY(test.window().workspace().save(&test.document(), test.path()));
    QTRY_VERIFY(keptFiles().isEmpty());

    {
      OtherWindow other(test.path(), 47);
      QVERIFY(other.waitForFile(1));
    }
    QFile kept(keptFiles()[0]);
    QVERIFY(kept.resize(kept.size() / 2));
    test.restart();
    QVERIFY(!test.document().isModified());
    // The damaged file is kept, because the user may want to inspect it.
    QCOMPARE(keptFiles().size(), 1);
  }

  void aDocumentAtTheAddressOfAClosedOneIsRecovered() {
    TestWindow test;
    Workspace& workspace = test.window().workspace();
    const Project project = test.document().project();
    QSet<Document*> closed;
    bool isSeen = false;
    for (int i = 0; i < 200 && !isSeen; ++i) {
      Document* document = workspace.addNew(project);
      QVERIFY(submitValue(*document, "/training/epochs", Json(51 + i)));
      isSeen = closed.contains(document);
      if (isSeen) {
        QVERIFY2(QTest::qWaitFor([] { return keptFiles().size() == 1; }, 10000),
                 "its edits are kept, too");
      }
      closed.insert(document);
      workspace.close(document);
    }
#if defined(__SANITIZE_ADDRESS__)
    if (!isSeen) QSKIP("the sanitizer keeps freed addresses for long");
#endif
    QVERIFY2(isSeen, "no address came again");
    QTRY_VERIFY(keptFiles().isEmpty());
  }

  void aFailedWriteIsRetried() {
    QVERIFY(QDir().mkpath(QFileInfo(root()).path()));
    QFile inTheWay(root());
    QVERIFY(inTheWay.open(QIODevice::WriteOnly));
    inTheWay.close();
    TestWindow test;
    QStringList lines;
    connect(test.window().findChild<Recovery*>(), &Recovery::logged, this,
            [&](const QString& line) { lines << line; });
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(52)));
    QTRY_COMPARE_WITH_TIMEOUT(lines.size(), 1, 10000);
    QTest::qWait(2 * Recovery::kDelayMilliseconds);
    // The failure is reported only once.
    QCOMPARE(lines.size(), 1);
    QVERIFY(inTheWay.remove());
    QVERIFY2(QTest::qWaitFor([] { return keptFiles().size() == 1; }, 10000),
             "without another edit");
    QVERIFY(bytesOf(keptFiles()[0]).contains("52"));
    // A failure after a success is reported again.
    QVERIFY(QDir(root()).removeRecursively());
    QVERIFY(inTheWay.open(QIODevice::WriteOnly));
    inTheWay.close();
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(53)));
    QTRY_COMPARE_WITH_TIMEOUT(lines.size(), 2, 10000);
    QVERIFY(inTheWay.remove());
  }

  void aRestoredFileThatCannotBeMovedIsWrittenAgain() {
    TestWindow test;
    QVERIFY(submitValue(test.document(), "/training/epochs", Json(54)));
    QVERIFY(QTest::qWaitFor([] { return keptFiles().size() == 1; }, 10000));
    const QString own = keptFiles()[0];
    QString left;
    {
      OtherWindow other({}, 55);
      QVERIFY(other.waitForFile(2));
      for (const QString& file : keptFiles())
        if (file != own) left = file;
    }
    // This file has the name that the moved recovery file would get.
    QFile inTheWay(QFileInfo(own).path() + u"/2.recovery"_s);
    QVERIFY(inTheWay.open(QIODevice::WriteOnly));
    inTheWay.close();
    test.window().openAtStart({});
    QCOMPARE(test.window().workspace().count(), 2);
    QTRY_COMPARE(notices(test.window()).size(), 1);
    // The old file is kept until the edits are written to this window's folder.
    QVERIFY(bytesOf(left).contains("55"));
    QTRY_VERIFY_WITH_TIMEOUT(!QFile::exists(left), 10000);
    QVERIFY(bytesOf(inTheWay.fileName()).contains("55"));
    QCOMPARE(keptFiles().size(), 2);
  }

  void aRefusedFolderDoesNotHideTheOthers() {
    TestWindow test;
    OtherWindow other(test.path(), 57);
    QVERIFY(other.waitForFile(1));
    other.kill();
    // The first folder by name is a link, which is not used.
    const TemporaryFolder elsewhere;
    QVERIFY(QFile::link(QString::fromStdString(elsewhere.path().string()), root() + u"/0"_s));
    QFile lock(root() + u"/0.lock"_s);
    QVERIFY(lock.open(QIODevice::WriteOnly));
    lock.close();
    test.restart();
    QCOMPARE(epochsOf(test.document()), 57);
    QTRY_COMPARE(notices(test.window()).size(), 1);
  }

  void aMissingFileDoesNotHideRestoredEdits() {
    TestWindow test;
    OtherWindow other(test.path(), 56);
    QVERIFY(other.waitForFile(1));
    other.kill();
    Theme theme(*qApp);
    MainWindow window(theme);
    window.show();
    window.openAtStart(test.folder() + u"/gone.json"_s);
    QCOMPARE(window.workspace().count(), 1);
    QCOMPARE(window.workspace().current()->path(), test.path());
    QCOMPARE(epochsOf(*window.workspace().current()), 56);
  }
};

int main(int argc, char** argv) {
  QApplication application(argc, argv);
  const QStringList arguments = QCoreApplication::arguments();
  if (arguments.value(1) == u"--edit"_s) {
    QApplication::setOrganizationName(u"StrataTest"_s);
    QApplication::setApplicationName(u"window-test-other"_s);
    return editAndWait(arguments.value(2), arguments.value(3).toInt());
  }
  TestRecovery test;
  return QTest::qExec(&test, argc, argv);
}

#include "tst_recovery.moc"
