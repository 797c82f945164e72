// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the list of checkpoints of a run, and new runs that begin with an earlier one.
#include <QDir>
#include <QDirIterator>
#include <QMenu>
#include <QTimer>
#include <QTreeWidget>
#include <QtTest>

#include "core/interchange/safetensors.h"
#include "core/runs/run_directory.h"
#include "tests/ui/support/run_window.h"
#include "ui/dialogs/checkpoint_dialog.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

/// Returns the content of every file of a run.
QMap<QString, QByteArray> filesIn(const std::string& directory) {
  QMap<QString, QByteArray> files;
  QDirIterator each(QString::fromStdString(directory), QDir::Files, QDirIterator::Subdirectories);
  while (each.hasNext()) {
    const QString path = each.next();
    files[path] = bytesOf(path);
  }
  return files;
}

CheckpointDialog* openList(RunWindow& test) {
  test.window().actionTable()[u"run.checkpoint"_s]->trigger();
  return waitForDialog<CheckpointDialog>(test.window());
}

}  // namespace

class TestCheckpoints : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void aNewRunBeginsWithAnEarlierCheckpoint() {
    RunWindow test(3);
    QAction* action = test.window().actionTable()[u"run.checkpoint"_s];
    QVERIFY(!action->isVisible());
    submitValue(test.document(), "/data/validation_split", Json(0.2));
    QVERIFY(test.waitForInspection());
    QVERIFY(test.trainToEnd());
    const std::string first = test.run().shown().start->runDirectory;
    const QString hash = QString::fromStdString(test.run().shown().outcome->weightsHash);
    const auto before = filesIn(first);
    QVERIFY(action->isVisible());

    CheckpointDialog* dialog = openList(test);
    QVERIFY(dialog);
    auto* list = dialog->findChild<QTreeWidget*>();
    // Of fast epochs, the last one that survives a power failure is kept, too
    QVERIFY(list->topLevelItemCount() >= 2);
    QStringList headings;
    for (int i = 0; i < list->columnCount(); ++i)
      headings << list->headerItem()->text(i);
    QCOMPARE(headings.first(2), (QStringList{u"Step"_s, u"Epoch"_s}));
    QVERIFY2(headings.join(u'|').contains(u", validation"_s), qPrintable(headings.join(u'|')));
    QCOMPARE(list->topLevelItem(0)->text(1), u"3"_s);
    QCOMPARE(list->topLevelItem(1)->text(1), u"2"_s);
    // The newest one continues the run
    QVERIFY(buttonWith(*dialog, u"Train 3 more epochs"_s));
    // Nothing moves when another one is chosen
    const QRect place = list->geometry();
    const QTreeWidgetItem* earlier = list->topLevelItem(1);
    clickAt(list->viewport(), list->visualItemRect(earlier).center());
    const QString step = earlier->text(0);
    QAbstractButton* branch = buttonWith(*dialog, u"New run from step "_s + step);
    QVERIFY(branch);
    QCOMPARE(list->geometry(), place);
    QVERIFY(labelWith(
        test, u"A new run begins with step %1 of run 1. Run 1 stays as it is."_s.arg(step)));
    click(branch);
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().start && test.run().shown().start->firstStep > 0,
                             60000);
    QVERIFY(test.waitForEnd());
    const std::string second = test.run().shown().start->runDirectory;
    QVERIFY(QString::fromStdString(second).endsWith(u"/002"_s));
    QCOMPARE(QString::fromStdString(test.run().shown().outcome->weightsHash), hash);
    QCOMPARE(filesIn(first), before);
    const RunInfo info = readRun(second);
    QVERIFY(info.origin);
    QCOMPARE(info.origin->run, first);
    QCOMPARE(QString::number(info.origin->step), step);
    // The curves begin with those of the first run
    QCOMPARE(test.run().shown().history.find("loss")->count(),
             static_cast<size_t>(test.run().shown().step));
  }

  void theButtonOffersTheCheckpoints() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    auto* button = test.window().findChild<TrainButton*>();
    const QRect place = button->geometry();
    const auto parts = button->findChildren<QPushButton*>();
    QCOMPARE(parts.size(), 2);
    QPushButton* arrow = parts.last();
    QVERIFY(arrow->isEnabled());
    QTimer::singleShot(300, arrow->menu(), [menu = arrow->menu()] {
      for (QAction* action : menu->actions())
        if (action->isVisible() && action->text() == u"Continue from a checkpoint"_s)
          QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
      menu->close();
    });
    clickAt(arrow, arrow->rect().center());
    auto* dialog = waitForDialog<CheckpointDialog>(test.window());
    QVERIFY(dialog);
    dialog->reject();
    QCOMPARE(button->geometry(), place);
  }

  void theNewestCheckpointContinuesTheRunItself() {
    RunWindow test(1000000);
    QVERIFY(test.trainAndStop(60));
    const int64_t stopped = test.run().shown().outcome->steps;
    CheckpointDialog* dialog = openList(test);
    QVERIFY(dialog);
    QTest::keyClick(dialog, Qt::Key_Return);
    QTRY_VERIFY_WITH_TIMEOUT(test.run().shown().step > stopped, 60000);
    QVERIFY(QString::fromStdString(test.run().shown().start->runDirectory).endsWith(u"/001"_s));
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
  }
};

QTEST_MAIN(TestCheckpoints)
#include "tst_checkpoints.moc"
