// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the queue of runs: Train later, its list, what closing says about it, and Train again.
#include <QMenu>
#include <QMessageBox>
#include <QTableView>
#include <QTranslator>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/runs/run_directory.h"
#include "tests/ui/support/run_window.h"
#include "ui/main_window/queue_button.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int kRunTimeout = 60000;
// More epochs than any test waits for
constexpr int kEndless = 1000000;

class QueueWindow : public RunWindow {
 public:
  QueueWindow() : RunWindow(kEndless) {}
  RunQueue& queue() { return window().runs().queue(); }
  QueueButton* waiting() { return window().findChild<QueueButton*>(); }
  bool startEndless() {
    return press(starter()) && QTest::qWaitFor([&] { return run().shown().step > 3; }, kRunTimeout);
  }
  void setEpochs(int epochs) {
    submitValue(document(), "/training/epochs", Json(epochs));
    waitForInspection();
  }
  /// Opens the menu of a button and clicks the entries of these names, each in the menu of the one
  /// before. The menu has a separate event loop, so a timer clicks.
  bool choose(QPushButton* button, const QStringList& path) {
    bool isDone = false;
    QTimer::singleShot(300, &window(), [&] {
      QMenu* menu = button->menu();
      for (const QString& words : path) {
        QAction* found = nullptr;
        for (QAction* action : menu->actions())
          if (action->isVisible() && action->text().startsWith(words)) found = action;
        if (!found) break;
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(found).center());
        isDone = words == path.last();
        if (!found->menu()) break;
        menu = found->menu();
        (void)QTest::qWaitFor([&] { return menu->isVisible(); }, 2000);
      }
      button->menu()->close();
    });
    clickAt(button, button->rect().center());
    (void)QTest::qWaitFor([&] { return isDone || !button->menu()->isVisible(); }, 4000);
    return isDone;
  }
  bool trainLater() {
    const int before = queue().count();
    auto* more = qobject_cast<QPushButton*>(named(u"Other ways to start training"_s));
    return more && more->isEnabled() && choose(more, {u"Train later"_s}) &&
           queue().count() == before + 1;
  }
};

}  // namespace

class TestRunQueue : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() {
    prepareApplication();
    // The English translation contains plurals such as "2 runs".
    QVERIFY(m_plurals.load(u":/translations/strata_en.qm"_s));
    QApplication::installTranslator(&m_plurals);
  }
  void init() { QSettings().clear(); }

  void aQueuedRunTrainsTheDesignAsItWasWhenQueued() {
    QueueWindow test;
    QVERIFY(!test.waiting()->isVisible());
    QVERIFY(test.startEndless());
    // A double click on Train queues nothing
    QVERIFY(!test.starter()->isEnabled());
    QCOMPARE(test.queue().count(), 0);
    test.setEpochs(1);
    QVERIFY(test.trainLater());
    test.setEpochs(2);
    QVERIFY(test.trainLater());
    test.setEpochs(3);
    QVERIFY(test.trainLater());
    QTRY_VERIFY(test.waiting()->isVisible());
    QCOMPARE(test.waiting()->text(), u"3 runs waiting"_s);
    // The list shows which is which, and the second one is removed and the third one comes first
    QVERIFY(test.choose(test.waiting(),
                        {u"2. "_s + test.document().name() + u": 2 epochs"_s, u"Remove"_s}));
    QVERIFY(test.choose(test.waiting(),
                        {u"2. "_s + test.document().name() + u": 3 epochs"_s, u"Train next"_s}));
    QCOMPARE(test.waiting()->text(), u"2 runs waiting"_s);
    submitValue(test.document(), "/training/optimizer",
                Json{{"type", "sgd"}, {"learning_rate", 0.5}});
    QVERIFY(test.click(u"Stop"_s));
    // Both start by themselves. The first one is that of 3 epochs.
    QTRY_VERIFY_WITH_TIMEOUT(
        test.run().isActive() && test.run().shown().start && test.run().shown().start->epochs == 3,
        kRunTimeout);
    QCOMPARE(test.waiting()->text(), u"1 run waiting"_s);
    QTRY_VERIFY_WITH_TIMEOUT(test.queue().count() == 0 && !test.run().isActive(), kRunTimeout);
    QCOMPARE(test.run().shown().start->epochs, 1);
    QVERIFY(test.run().shown().outcome->outcome == Outcome::Finished);
    QVERIFY(!test.waiting()->isVisible());
    std::vector<RunInfo> runs;
    for (const ListedRun& each : listedRuns(test.document().project())) {
      std::optional<Project> own;
      runs.push_back(readRun(each.directory, &own));
      QVERIFY(own);
      QVERIFY(own->document().at("training").at("optimizer") !=
              test.document().json().at("training").at("optimizer"));
    }
    QCOMPARE(runs.size(), 3U);
    QCOMPARE(runs[1].epochs, 3);
    QCOMPARE(runs[2].epochs, 1);
    QVERIFY(runs[1].status == RunStatus::Finished && runs[2].status == RunStatus::Finished);
    // The edit of the rate did not reach them
    QVERIFY(!runs[1].settings.contains("learning_rate"));
    QCOMPARE(namelessWidgets(test.window()), QStringList());
  }

  void anotherProjectQueuesAndClosingSaysWhatWillNotStart() {
    QueueWindow test;
    QVERIFY(test.startEndless());
    Project second = test.document().project();
    second.document()["name"] = "The second";
    second.document()["training"]["epochs"] = 1;
    Document* other = test.window().workspace().addNew(std::move(second));
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(test.starter()->text(), u"Train later"_s);
    QVERIFY(test.press(test.starter()));
    QCOMPARE(test.queue().countOf(other), 1);
    QVERIFY(test.press(test.starter()));
    QCOMPARE(test.queue().count(), 2);
    test.window().close();
    auto* question = waitForDialog<QMessageBox>(test.window());
    QVERIFY(question);
    QVERIFY2(question->text().contains(u"2 queued runs will not start."_s),
             qPrintable(question->text()));
    click(buttonWith(*question, u"Keep working"_s));
    QTRY_VERIFY(test.window().findChild<QMessageBox*>() == nullptr);
    QCOMPARE(test.queue().count(), 2);
    // Closing the project asks as well, and the run of the other one goes on
    test.window().actionTable()[u"file.close"_s]->trigger();
    question = waitForDialog<QMessageBox>(test.window());
    QVERIFY(question);
    QVERIFY2(question->text().contains(u"2 queued runs of the project will not start."_s),
             qPrintable(question->text()));
    click(buttonWith(*question, u"Close"_s));
    QTRY_COMPARE(test.window().workspace().count(), 1);
    QCOMPARE(test.queue().count(), 0);
    QVERIFY(test.run().isActive());
    QVERIFY(test.click(u"Stop"_s));
    QVERIFY(test.waitForEnd());
  }

  void aRunIsTrainedAgainWithItsOwnSettings() {
    RunWindow test(1);
    QVERIFY(test.trainToEnd());
    submitValue(test.document(), "/training/epochs", Json(2));
    test.showPage(PageId::Results);
    QTRY_VERIFY(test.button(u"All runs"_s) && test.button(u"All runs"_s)->isEnabled());
    QVERIFY(test.click(u"All runs"_s));
    QVERIFY(test.click(u"Train again"_s));
    QCOMPARE(test.window().page(), PageId::Train);
    QVERIFY(test.run().isActive());
    QVERIFY(test.waitForEnd());
    QCOMPARE(test.run().shown().start->epochs, 1);
    QCOMPARE(listedRuns(test.document().project()).size(), 2U);
    QCOMPARE(test.document().json().at("training").at("epochs"), Json(2));
  }

 private:
  QTranslator m_plurals;
};

QTEST_MAIN(TestRunQueue)
#include "tst_run_queue.moc"
