// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the finders of learning rate and batch size, and the schedule, in the Training tab.
#include <QtTest>

#include "tests/ui/support/run_window.h"
#include "ui/inspector/finder_section.h"
#include "ui/plots/curve_view.h"

using namespace strata;
using namespace strata::ui;

class TestFinders : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void aLearningRateIsFoundAndApplied() {
    RunWindow test(1, RunWindow::Data::Digits);
    QVERIFY(test.click(u"Training"_s));
    QVERIFY(test.click(u"Find learning rate"_s));
    QVERIFY(test.button(u"Cancel"_s));
    QVERIFY(QTest::qWaitFor([&] { return test.button(u"Use 0"_s) != nullptr; }, 60000));
    auto* curve = static_cast<CurveView*>(test.named(u"Loss by learning rate"_s));
    QVERIFY(curve && curve->points().size() > 10 && curve->mark());
    QVERIFY(!curve->accessibleDescription().isEmpty());
    const int steps = test.document().undoStack()->count();
    QVERIFY(test.click(u"Use 0"_s));
    QCOMPARE(test.document().undoStack()->count(), steps + 1);
    const double rate =
        test.document().json().at("training").at("optimizer").at("learning_rate").get<double>();
    QVERIFY(std::abs(rate / *curve->mark() - 1) < 0.06);
    // The result stays, because only the rate has changed
    QVERIFY(test.button(u"Use 0"_s));
    // Another network has another rate
    submitField(test.document(), u"hidden"_s, "units", 64);
    QTRY_VERIFY(!test.button(u"Use 0"_s));
  }

  void batchSizesAreListedAndApplied() {
    RunWindow test;
    const auto use = [&](int64_t size) {
      return test.named(u"Use the batch size %1"_s.arg(size));
    };
    QVERIFY(test.click(u"Training"_s));
    QVERIFY(test.click(u"Find batch size"_s));
    QVERIFY(QTest::qWaitFor(
        [&] { return labelWith(test, u"takes the least time per sample"_s) != nullptr; }, 90000));
    QVERIFY(use(8));
    // The present size is not offered
    const int64_t present = test.document().checked().recipe().batchSize;
    QVERIFY(!use(present) || !use(present)->isEnabled());
    const int steps = test.document().undoStack()->count();
    QVERIFY(use(16) && test.press(use(16)));
    QCOMPARE(test.document().undoStack()->count(), steps + 1);
    QCOMPARE(test.document().checked().recipe().batchSize, 16);
    QVERIFY(!use(16)->isEnabled());
  }

  void aSearchCanBeCanceled() {
    RunWindow test(1, RunWindow::Data::Digits);
    QVERIFY(test.click(u"Training"_s));
    for (const QString& what : {u"Find learning rate"_s, u"Find batch size"_s}) {
      QVERIFY(test.click(what));
      QVERIFY(test.click(u"Cancel"_s));
      QVERIFY(labelWith(test, u"Search canceled."_s));
      QVERIFY(test.button(what)->isEnabled());
    }
    QTest::qWait(300);
    QVERIFY(labelWith(test, u"Search canceled."_s));
    QVERIFY(!test.named(u"Use the batch size 8"_s));
    // A run ends a search, too
    QVERIFY(test.click(u"Find batch size"_s));
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(!test.button(u"Cancel"_s));
    QVERIFY(test.waitForEnd());
  }

  void theScheduleIsDrawnOverThePlannedSteps() {
    RunWindow test(2);
    QVERIFY(test.click(u"Training"_s));
    QVERIFY(!test.named(u"Learning rate over the planned steps"_s));
    submitValue(test.document(), "/training/optimizer",
                Json{{"type", "adam"},
                     {"learning_rate",
                      {{"type", "CosineDecay"},
                       {"initial_learning_rate", 0.01},
                       {"decay_steps", 1000000}}}});
    QVERIFY(test.waitForInspection());
    auto* curve = static_cast<CurveView*>(test.named(u"Learning rate over the planned steps"_s));
    QVERIFY(curve);
    const DatasetInfo& data = test.document().checked().data();
    const int64_t batch = test.document().checked().recipe().batchSize,
                  steps = 2 * ((data.trainCount + batch - 1) / batch);
    QCOMPARE(curve->points().last().x(), static_cast<double>(steps));
    QVERIFY(std::abs(curve->points().first().y() - 0.01) < 1e-6);
    QVERIFY(labelWith(test, u"over %1 steps"_s.arg(steps)));
  }
};

QTEST_MAIN(TestFinders)
#include "tst_finders.moc"
