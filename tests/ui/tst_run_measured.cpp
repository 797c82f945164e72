// SPDX-License-Identifier: GPL-3.0-or-later
// Tests how the window shows what was measured during a run: times of layers and kernels, states of
// the devices.
#include <QHeaderView>
#include <QTabBar>
#include <QTableView>
#include <QtTest>

#include "core/cost/simulated_card.h"
#include "core/runs/layer_times.h"
#include "core/runs/profile_file.h"
#include "core/runs/run_directory.h"
#include "core/train/plan.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/ui/support/run_window.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/format.h"
#include "ui/lenses/devices.h"
#include "ui/models/time_item_model.h"
#include "ui/pages/design/layer_list.h"
#include "ui/run/measured_times.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;

static void clickTab(QTabBar* tabs, const QString& title) {
  for (int i = 0; i < tabs->count(); ++i)
    if (tabs->tabText(i) == title) clickAt(tabs, tabs->tabRect(i).center());
}

class TestRunMeasured : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void slowestLayers() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    QVERIFY(test.click(u"Slowest layers"_s));
    auto* table = test.named(u"Step time by layer or op"_s);
    QTRY_VERIFY(table->hasFocus());
    QVERIFY(test.button(u"Network: Time"_s));
  }

  void aLayerHasOneTimeInAllPlaces() {
    RunWindow test;
    QVERIFY(test.trainToEnd());
    const std::string directory = test.run().shown().start->runDirectory;
    const auto profile = readProfile(directory);
    QVERIFY(profile);
    const LayerTimes times = layerTimesOf(*profile);
    const QString hidden = formatSeconds(times.of("hidden") * 1e-6),
                  step = formatSeconds(times.step * 1e-6);
    const auto check = [&] {
      // The network list, which names its source
      QTRY_COMPARE(test.cost(u"hidden"_s).data().toString(), hidden);
      QVERIFY(labelWith(test, u"Run 1, CPU"_s));
      // The Step time card, with its total
      auto* table = static_cast<QTableView*>(test.named(u"Step time by layer or op"_s));
      QStringList rows;
      for (int row = 0; row < table->model()->rowCount(); ++row)
        if (table->model()->index(row, TimeItemModel::kName).data() == u"hidden"_s)
          rows << table->model()->index(row, TimeItemModel::kTime).data().toString();
      QCOMPARE(rows, QStringList{hidden});
      QVERIFY(labelWith(test, u"%1 · Run 1, CPU"_s.arg(step)));
      // The Inspector
      test.document().setSelection({u"hidden"_s});
      QTRY_VERIFY(labelWith(test, u"%1 of %2, measured in run 1 on CPU"_s.arg(hidden, step)));
    };
    check();
    // The list on Design
    test.showPage(PageId::Design);
    auto* list = test.window().findChild<strata::ui::LayerList*>();
    QVERIFY(list && list->isVisible());
    QStringList costs;
    for (int row = 0; row < list->model()->rowCount(); ++row)
      if (list->model()->index(row, LayerItemModel::Name).data() == u"hidden"_s)
        costs << list->model()->index(row, LayerItemModel::Cost).data().toString();
    QCOMPARE(costs, QStringList{hidden});
    // The next start reads the same times
    test.restart();
    test.showPage(PageId::Train);
    QVERIFY(QTest::qWaitFor([&] { return test.run().shown().times != nullptr; }, 10000));
    check();
  }

  void predictedTimesAreThoseOfThePlan() {
    if (!whyNoSimulatedCards().empty()) QSKIP("skipped: this build has no simulated cards");
    TestWindow test(u"mnist-mlp-128.json"_s,
                    {{u"\"devices\": \"auto\""_s, u"\"devices\": \"simulated:RTX 4090\""_s}});
    Document& document = test.document();
    if (document.checked().execution().device != "simulated:RTX 4090")
      submitValue(document, "/execution/devices", "simulated:RTX 4090");
    QVERIFY(QTest::qWaitFor(
        [&] {
          return document.checks().estimate().hasTime &&
                 document.checks().estimate().revision == document.revision();
        },
        60000));
    PlanOptions options;
    options.predictsStepTime = true;
    options.measuresStepTime = options.findsLargestBatch = false;
    const TrainingPlan plan = planTraining(document.checked(), options);
    QVERIFY(plan.predictedTimes);
    const LayerTime hidden = timeOfLayer(document, std::nullopt, u"hidden"_s);
    QVERIFY(hidden.isPredicted);
    QCOMPARE(hidden.seconds, plan.predictedTimes->of("hidden") * 1e-6);
    QCOMPARE(hidden.stepSeconds, plan.predictedTimes->step * 1e-6);
    const MemoryFigures planned = plan.memoryFigures(), shown = document.checks().estimate().memory;
    QCOMPARE(shown.network, planned.network);
    QCOMPARE(shown.samples, planned.samples);
    QCOMPARE(shown.context, planned.context);
    QCOMPARE(shown.total(), planned.total());
    QCOMPARE(shown.machine, planned.machine);
    // The panel shows them, and offers nothing beyond the card
    auto* panel = new MemoryPanel(document, &test.window());
    panel->show();
    QStringList words;
    for (const QLabel* label : panel->findChildren<QLabel*>())
      words << label->text();
    QVERIFY(words.contains(italic(formatBytes(static_cast<double>(planned.total())))));
    QVERIFY(words.contains(formatBytes(static_cast<double>(planned.machine))));
    panel->close();
  }

  void problemsIncludePinsAndWhatElsePreventsARun() {
    TestWindow test(u"mnist-mlp-128.json"_s);
    Document& document = test.document();
    QVERIFY(test.waitForInspection());
    QTRY_VERIFY(labelWith(test, u""_s) && test.named(u"No problems"_s));
    // Text that a field refused is a problem, although the project has none
    document.refuse({{}, "/training/epochs", u"Epochs"_s, u"x"_s, u"not a number"_s});
    QTRY_VERIFY(test.named(u"A field has an invalid value"_s));
    QVERIFY(!test.named(u"No problems"_s));
    document.accept({}, "/training/epochs");
    QTRY_VERIFY(test.named(u"No problems"_s));
    // A network that does not fit
    submitValue(document, "/execution/memory_limit", 1000);
    QTRY_VERIFY_WITH_TIMEOUT(test.named(u"Does not fit in memory"_s), 20000);
    document.undoStack()->undo();
    if (!whyNoSimulatedCards().empty()) QSKIP("skipped: this build has no simulated cards");
    submitValue(document, "/execution/devices", "simulated:RTX 4090");
    submitValue(document, "/execution/algorithms", Json{{"hidden", {{"matmul", "no such"}}}});
    QVERIFY(test.waitForInspection());
    QTRY_COMPARE(document.checks().errorCount(), 1);
    QCOMPARE(document.checks().inspection().diagnostics.front().code,
             std::string("unknown_algorithm"));
  }

  void statesOfTheDevices() {
    RunWindow test;
    QVERIFY(test.press(test.starter()));
    QTRY_VERIFY(test.named(u"Views of the run"_s));
    auto* tabs = static_cast<QTabBar*>(test.named(u"Views of the run"_s));
    QTRY_VERIFY(tabs->isVisible());
    clickTab(tabs, u"Devices"_s);
    auto* lens = test.window().findChild<DevicesLens*>();
    QTRY_VERIFY(lens->isVisible());
    QVERIFY(test.waitForEnd());
    const auto now = [](QWidget* in, const QString& quantity) -> QLabel* {
      for (auto* label : in->findChildren<QLabel*>())
        if (label->accessibleName().startsWith(quantity + u": "_s)) return label;
      return nullptr;
    };
    QLabel* memory = now(lens, u"Memory of this process"_s);
    QVERIFY(memory && memory->isVisible());
    const DeviceSample& last = test.run().shown().devices.at(0).last();
    QVERIFY(last.state.ownBytes);
    QCOMPARE(memory->text(), formatBytes(static_cast<double>(*last.state.ownBytes)));
    QCOMPARE(memory->toolTip(), QString());
    // A processor reports no temperature, and the tooltip of the dash says why
    QCOMPARE(now(lens, u"Temperature"_s)->text(), u"—"_s);
    QVERIFY(now(lens, u"Temperature"_s)->toolTip().contains(u"processor"_s));
    QVERIFY(labelWith(test, u"whole machine"_s));
    // A window that did not train reads the file of the run. A simulated card says that it is one.
    auto past = readLastRun(test.document().project(), {});
    QVERIFY(past && !past->deviceSamples.empty());
    QCOMPARE(past->deviceSamples.front().device, std::string("cpu"));
    DeviceSample sample;
    sample.device = "simulated:H100 SXM";
    sample.isSimulated = true;
    sample.seconds = 1;
    sample.state.ownBytes = size_t{512} << 20;
    sample.state.utilization = 0.5;
    past->deviceSamples = {sample};
    RunController controller;
    RunView view(controller, test.document());
    DevicesLens other({test.document(), controller, view, {}}, nullptr);
    controller.show(std::move(*past));
    QCOMPARE(now(&other, u"Memory of this process"_s)->text(), formatBytes(512.0 * 1024 * 1024));
    QCOMPARE(now(&other, u"Utilization"_s)->text(), u"50%"_s);
    QCOMPARE(now(&other, u"Power"_s)->text(), u"—"_s);
    QVERIFY(now(&other, u"Power"_s)->toolTip().contains(u"simulated"_s));
  }
};

QTEST_MAIN(TestRunMeasured)
#include "tst_run_measured.moc"
