// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the dialog that trains in several processes: real processes, their states and logs, a stop,
// and a project that cannot be trained.
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QTreeWidget>
#include <QtTest>
#include <algorithm>

#include "gpu/replicate/mpi_link.h"
#include "tests/ui/support/window.h"
#include "ui/dialogs/launch_dialog.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

class TestSeveralProcesses : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    if (!mpiPluginState().problem.empty()) QSKIP(("no MPI: " + mpiPluginState().problem).c_str());
  }

  void trainsAndShowsEachProcess() {
    TestWindow test(u"multi-worker.json"_s, kShort);
    LaunchDialog* const dialog = open(test);
    type(*dialog, 2);
    click(buttonWith(*dialog, u"Start"_s));
    QVERIFY(QTest::qWaitFor([&] { return dialog->run().exitCode().has_value(); }, 120000));
    QCOMPARE(*dialog->run().exitCode(), 0);
    auto* const states = dialog->findChild<QTreeWidget*>();
    QCOMPARE(states->topLevelItemCount(), 3);
    for (int rank = 0; rank < 2; ++rank) {
      const QTreeWidgetItem* const item = states->topLevelItem(rank + 1);
      QCOMPARE(item->text(0), QString::number(rank));
      QVERIFY(!item->text(1).isEmpty());
      QCOMPARE(item->text(2), u"ended"_s);
      QCOMPARE(item->text(3), u"844"_s);
    }
    // The first process prints the results, and launch its command
    QVERIFY(dialog->run().log(0).join(u'\n').contains(u"Finished:"_s));
    QVERIFY(dialog->run().log(-1).join(u'\n').contains(u"starting 2 processes"_s));
    click(states, 1);
    const auto* const log = dialog->findChild<QPlainTextEdit*>();
    QTRY_VERIFY(log->toPlainText().contains(u"Finished:"_s));
    QVERIFY(QDir(dialog->run().directory()).exists());
    QVERIFY(hasLabel(*dialog, u"finished. Results lists the run"_s));
  }

  void savesTheNetworkWhenItStops() {
    TestWindow test(u"multi-worker.json"_s, {{u"\"epochs\": 5"_s, u"\"epochs\": 5000"_s}});
    LaunchDialog* const dialog = open(test);
    type(*dialog, 2);
    click(buttonWith(*dialog, u"Start"_s));
    const auto isTraining = [&] {
      const auto& workers = dialog->run().workers();
      return std::ranges::all_of(workers, [](const auto& each) { return each.step > 0; });
    };
    QVERIFY(QTest::qWaitFor(isTraining, 60000));
    QVERIFY(!buttonWith(*dialog, u"Start"_s)->isEnabled());
    click(buttonWith(*dialog, u"Stop and save"_s));
    QVERIFY(QTest::qWaitFor([&] { return dialog->run().exitCode().has_value(); }, 60000));
    QCOMPARE(*dialog->run().exitCode(), 130);
    QVERIFY(hasLabel(*dialog, u"stopped. The run is in"_s));
    QVERIFY(QFile::exists(dialog->run().directory() + u"/weights.safetensors"_s));
  }

  void saysWhyAProjectCannotBeTrained() {
    TestWindow test(u"multi-worker.json"_s, {{u"\"batch_size\": 64"_s, u"\"batch_size\": 1"_s}});
    LaunchDialog* const dialog = open(test);
    type(*dialog, 2);
    click(buttonWith(*dialog, u"Start"_s));
    QVERIFY(QTest::qWaitFor([&] { return dialog->run().exitCode().has_value(); }, 60000));
    QVERIFY(*dialog->run().exitCode() != 0);
    QVERIFY(hasLabel(*dialog, u"failed. The log says why."_s));
    QVERIFY((dialog->run().log(-1) + dialog->run().log(0))
                .join(u'\n')
                .contains(u"fewer samples than replicas"_s));
  }

 private:
  static inline const QList<std::pair<QString, QString>> kShort{
      {u"\"epochs\": 5"_s, u"\"epochs\": 1"_s}};

  static LaunchDialog* open(TestWindow& test) {
    test.window().actionTable()[u"run.launch"_s]->trigger();
    return waitForDialog<LaunchDialog>(test.window());
  }

  static void type(LaunchDialog& dialog, int processes) {
    auto* const field = dialog.findChild<QSpinBox*>();
    field->setFocus();
    field->selectAll();
    QTest::keyClicks(field, QString::number(processes));
    // The project file is saved already, so that Start asks nothing
    auto* const hosts = dialog.findChild<QLineEdit*>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY(hosts);
    hosts->clear();
    QTest::keyClicks(hosts, u"a;b"_s);
    QCOMPARE(hosts->text(), u"ab"_s);
    hosts->clear();
  }

  static void click(QTreeWidget* tree, int row) {
    clickAt(tree->viewport(), tree->visualItemRect(tree->topLevelItem(row)).center());
  }
  static void click(QWidget* widget) { strata::ui::click(widget); }

  static bool hasLabel(QWidget& parent, const QString& words) {
    return std::ranges::any_of(parent.findChildren<QLabel*>(), [&](const QLabel* label) {
      return label->isVisible() && label->text().contains(words);
    });
  }
};

QTEST_MAIN(TestSeveralProcesses)
#include "tst_several_processes.moc"
