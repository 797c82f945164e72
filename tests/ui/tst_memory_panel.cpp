// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the memory panel: limits, predictions for cards, and suggestions that make a step fit.
#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/train/replica_plan.h"
#include "gpu/devices/devices.h"
#include "tests/ui/support/window.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/format.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

class TestMemoryPanel : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void lessMemoryIsSuggestedAndApplied() {
    TestWindow test;
    Document& document = test.document();
    QVERIFY(QTest::qWaitFor([&] { return document.checks().estimate().hasTime; }, 60000));
    QVERIFY(document.checks().estimate().curve.size() >= 2);
    const double kept = document.checks().estimate().peakBytes;
    const auto chip = [&] {
      for (QPushButton* button : test.window().findChildren<QPushButton*>())
        if (button->isVisible() && button->accessibleName().startsWith(u"Memory:"_s)) return button;
      return static_cast<QPushButton*>(nullptr);
    };
    QVERIFY(chip());
    click(chip());
    MemoryPanel* panel = nullptr;
    QTRY_VERIFY((panel = test.window().findChild<MemoryPanel*>()) && panel->isVisible());
    QList<QPushButton*> uses;
    for (QPushButton* button : panel->findChildren<QPushButton*>())
      if (button->text() == u"Use this limit"_s) uses << button;
    // The present state is not offered
    QVERIFY(!uses.isEmpty() && uses.size() <= 6);
    for (QPushButton* use : uses)
      QVERIFY(!use->accessibleName().isEmpty());
    clickAt(uses.last(), uses.last()->rect().center());
    const Json limit = document.json().at("execution").at("memory_limit");
    QVERIFY(limit.is_number_integer() && limit.get<double>() < kept);
    QCOMPARE(document.undoStack()->count(), 1);
    QVERIFY(QTest::qWaitFor(
        [&] {
          return document.checks().estimate().revision == document.revision() &&
                 document.checks().estimate().hasMemory;
        },
        60000));
    QVERIFY(document.checks().estimate().fits);
    QVERIFY(document.checks().estimate().peakBytes <= limit.get<double>());
    document.undoStack()->undo();
    QVERIFY(document.json().at("execution").at("memory_limit").is_null());
  }

  void aStepIsPredictedForAGpuByItsDataSheet() {
    TestWindow test;
    auto* panel = new MemoryPanel(test.document(), &test.window());
    panel->show();
    auto* devices = panel->findChild<QComboBox*>();
    QVERIFY(devices && devices->count() > 50 && devices->currentIndex() < 0 &&
            !devices->accessibleName().isEmpty());
    const auto says = [&](const QString& words) {
      for (QLabel* label : panel->findChildren<QLabel*>())
        if (!label->isHidden() && label->text().contains(words)) return true;
      return false;
    };
    QVERIFY(!says(u"A step takes at least"_s));
    devices->setCurrentIndex(devices->findText(u"GeForce RTX 4090"_s, Qt::MatchStartsWith));
    // A card that can be simulated has a prediction, others a bound
    const bool isSimulated = whyNoSimulatedCards().empty();
    const QString about = isSimulated ? u"A step takes about"_s : u"A step takes at least"_s;
    QVERIFY(QTest::qWaitFor([&] { return says(about); }, 60000));
    QVERIFY(says(u"Fits: a step with batch size"_s));
    auto* count = panel->findChildren<QComboBox*>()[1];
    QCOMPARE(count->accessibleName(), u"Number of GPUs"_s);
    count->setCurrentIndex(count->findText(u"4 GPUs"_s));
    if (isSimulated) {
      QVERIFY(QTest::qWaitFor(
          [&] { return says(u"<i>A step with the same batch on 4 GPUs:</i>"_s); }, 60000));
      // The figures of `strata plan --replicas`
      ReplicaPlanOptions options;
      options.device = "simulated:RTX 4090";
      for (const ReplicaPrediction& each :
           planReplicas(test.document().checked(), 4, standardLinks(), options))
        QVERIFY(says(u"<i>%1: about %2, of which %3 wait"_s.arg(
            QString::fromStdString(each.link), formatSeconds(each.stepSeconds),
            formatSeconds(each.exposedSeconds))));
    }
    devices->setCurrentIndex(devices->findText(u"GeForce GTX 1080"_s, Qt::MatchStartsWith));
    QVERIFY(QTest::qWaitFor([&] { return says(u"A step takes at least"_s); }, 60000));
    QVERIFY(says(u"is unknown, because GeForce GTX 1080 cannot be simulated"_s));
  }

  /// "Use this" applies exactly the change that the suggestion describes.
  void suggestionsSetWhatTheySay_data() {
    QTest::addColumn<QString>("project");
    QTest::addColumn<QString>("recompute");
    QTest::addColumn<qlonglong>("limit");
    QTest::addColumn<QStringList>("kinds");
    QTest::newRow("operations run twice") << u"mnist-resnet.json"_s << u"none"_s << 8000000LL
                                          << QStringList{u"batch"_s, u"operations"_s, u"pieces"_s};
    QTest::newRow("the order alone") << u"mnist-cnn.json"_s << u"none"_s << 8600000LL
                                     << QStringList{u"batch"_s, u"order"_s, u"pieces"_s};
    QTest::newRow("a batch with operations run twice")
        << u"mnist-resnet.json"_s << u"auto"_s << 4000000LL
        << QStringList{u"batch"_s, u"batch run twice"_s, u"pieces"_s, u"pieces run twice"_s};
  }
  void suggestionsSetWhatTheySay() {
    QFETCH(QString, project);
    QFETCH(QString, recompute);
    QFETCH(qlonglong, limit);
    QFETCH(QStringList, kinds);
    TestWindow test(project,
                    {{u"\"memory_limit\": null"_s,
                      u"\"memory_limit\": %1, \"recompute\": \"%2\""_s.arg(limit).arg(recompute)}});
    Document& document = test.document();
    QVERIFY(
        QTest::qWaitFor([&] { return !document.checks().estimate().remedies.empty(); }, 120000));
    const std::vector<PlanRemedy> remedies = document.checks().estimate().remedies;
    const QByteArray before = QByteArray::fromStdString(printJson(document.json()));
    QStringList seen;
    for (const PlanRemedy& remedy : remedies) {
      const QString value = QLocale().toString(static_cast<qlonglong>(remedy.value));
      QString kind, words;
      Json::json_pointer sets;
      Json expected = remedy.value;
      if (remedy.what == "batch_size") {
        kind = remedy.recomputes ? u"batch run twice"_s : u"batch"_s;
        words = u"Batch size %1"_s.arg(value) +
                (remedy.recomputes ? u", recomputing some values"_s : QString());
        sets = Json::json_pointer("/training/batch_size");
      }
      else if (remedy.what == "recompute") {
        kind = remedy.value > 0 ? u"operations"_s : u"order"_s;
        words = remedy.value == 0   ? u"Update weights as soon as their gradients are ready"_s
                : remedy.value == 1 ? u"Recompute 1 operation"_s
                                    : u"Recompute %1 operations"_s.arg(value);
        sets = Json::json_pointer("/execution/recompute");
        expected = "auto";
      }
      else {
        QCOMPARE(remedy.what, std::string("gradient_accumulation_steps"));
        kind = remedy.recomputes ? u"pieces run twice"_s : u"pieces"_s;
        words = u"Batches split into %1 micro-batches"_s.arg(value) +
                (remedy.recomputes ? u", recomputing some values"_s : QString());
        sets = Json::json_pointer("/training/gradient_accumulation_steps");
      }
      seen << kind;
      auto* panel = new MemoryPanel(document, &test.window());
      panel->show();
      QPushButton* use = nullptr;
      for (QPushButton* button : panel->findChildren<QPushButton*>())
        if (button->accessibleName().startsWith(u"Use this: %1, "_s.arg(words)) &&
            button->text() == u"Use this"_s &&
            (!button->accessibleName().contains(u"twice"_s) || remedy.recomputes))
          use = button;
      QVERIFY2(use, qPrintable(words));
      bool isShown = false;
      for (QLabel* label : panel->findChildren<QLabel*>())
        isShown |= label->text() == words;
      QVERIFY2(isShown, qPrintable(words));
      use->click();
      QCOMPARE(document.json().at(sets), expected);
      document.undoStack()->undo();
      QCOMPARE(QByteArray::fromStdString(printJson(document.json())), before);
      QVERIFY(QTest::qWaitFor(
          [&] { return document.checks().estimate().remedies.size() == remedies.size(); }, 120000));
    }
    seen.sort();
    QCOMPARE(seen, kinds);
  }
};

QTEST_MAIN(TestMemoryPanel)
#include "tst_memory_panel.moc"
