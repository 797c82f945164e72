// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the Devices lens with several devices: bars and warnings are those of the run's profile,
// plots zoom together, and scaling is measured by a click.
#include <QPushButton>
#include <QTabBar>
#include <QTableWidget>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "core/runs/balance.h"
#include "core/runs/profile_file.h"
#include "gpu/devices/devices.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/lenses/devices.h"
#include "ui/lenses/scaling_card.h"
#include "ui/plots/device_plot.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/plots/stacked_bars.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

class DevicesWindow : public RunWindow {
 public:
  using RunWindow::RunWindow;
  DevicesLens& lens() { return *window().findChild<DevicesLens*>(); }
  void showLens() {
    showPage(PageId::Train);
    for (auto* tabs : window().findChildren<QTabBar*>())
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->accessibleName() == u"Views of the run"_s && tabs->tabText(i) == u"Devices"_s)
          clickAt(tabs, tabs->tabRect(i).center());
    QTest::qWait(100);
  }
  RunView& view() { return window().runs().viewOf(&document()); }
  DevicePlot* plotOf(const QString& quantity) {
    for (auto* plot : lens().findChildren<DevicePlot*>())
      if (plot->accessibleName().startsWith(quantity)) return plot;
    return nullptr;
  }
};

}  // namespace

class TestDevicesLens : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }
  void init() { QSettings().clear(); }

  void severalDevicesAreNextToEachOther() {
    DevicesWindow test;
    submitValue(test.document(), "/execution/devices", "cpu*2");
    QVERIFY(test.waitForInspection());
    QVERIFY(test.trainToEnd());
    test.showLens();
    const auto file = readProfile(test.view().shown().start->runDirectory);
    QVERIFY(file);
    const ReplicaReport& report = file->replicas;
    QCOMPARE(report.replicas.size(), size_t{2});
    const auto& times = test.lens().times().bars();
    const auto& memory = test.lens().memory().bars();
    QCOMPARE(times.size(), size_t{2});
    for (size_t i = 0; i < 2; ++i) {
      double time = 0, bytes = 0;
      for (const auto& part : times[i].parts)
        time += part.size;
      for (const auto& part : memory[i].parts)
        bytes += part.size;
      const ReplicaFigures& each = report.replicas[i];
      const double expected = each.computeSeconds + each.exposedSeconds + each.waitingSeconds;
      QVERIFY(std::abs(time - expected) < 1e-6 * expected);
      QCOMPARE(bytes, static_cast<double>(each.totalBytes()));
      QCOMPARE(times[i].name, text(each.name));
    }
    for (const Phrase& warning : imbalances(report))
      QVERIFY(labelWith(test, translated(warning.text, warning.arguments)));
    QVERIFY(labelWith(test, u"cpu:0 and cpu:1: the same memory"_s));
    // What a processor does not report is a reason, never a zero
    QVERIFY(labelWith(test,
                      u"Temperature, Power, Clock, Memory clock: unknown, because Strata does not "
                      "read values of this kind from a processor."_s));
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void theCommunicationOfAStepIsATable() {
    DevicesWindow test;
    submitValue(test.document(), "/execution/devices", "cpu*2");
    submitValue(test.document(), "/training/gradient_accumulation_steps", 2);
    QVERIFY(test.waitForInspection());
    QVERIFY(test.trainToEnd());
    test.showLens();
    const ReplicaReport report = readProfile(test.view().shown().start->runDirectory)->replicas;
    const std::vector<CollectiveSum> sums = collectiveSums(report);
    QVERIFY(!sums.empty());
    for (const QString& words :
         {u"Communication of a step"_s, u"Bus bandwidth"_s, text(sums[0].op),
          formatSeconds(sums[0].seconds), formatSeconds(sums[0].waitingSeconds),
          formatValue(1e-9 * sums[0].busBytesPerSecond, 3) + u" GB/s"_s})
      QVERIFY2(labelWith(test, words), qPrintable(words));
    QVERIFY(!labelWith(test, formatSeconds(sums[0].seconds))->font().italic());
    QVERIFY(report.equalStep);
    QVERIFY(labelWith(test, u"The weights of all devices were compared after step %1"_s.arg(
                                formatCount(*report.equalStep))));
    const int64_t batch = test.document().checked().recipe().batchSize;
    QVERIFY(labelWith(test, u"An update uses %1 samples: 2 devices × 2 micro-batches × %2"_s.arg(
                                formatCount(batch), formatCount(batch / 4))));
  }

  void theLearningRateIsScaledWithTheBatchInOneEdit() {
    DevicesWindow test;
    submitValue(test.document(), "/execution/devices", "cpu*2");
    submitValue(test.document(), "/training/optimizer",
                Json{{"type", "adam"}, {"learning_rate", 0.001}});
    QVERIFY(test.waitForInspection());
    QVERIFY(test.trainToEnd());
    test.showLens();
    const Json before = test.document().json();
    const int64_t batch = test.document().checked().recipe().batchSize;
    QPushButton* scale = nullptr;
    for (auto* button : test.lens().findChildren<QPushButton*>())
      if (button->isVisible() && button->text().contains(u"learning rate 0.002"_s)) scale = button;
    QVERIFY(scale);
    reveal(scale);
    clickAt(scale, scale->rect().center());
    QCOMPARE(test.document().json().at("training").at("batch_size").get<int64_t>(), 2 * batch);
    QCOMPARE(test.document().undoStack()->undoText(), u"Scale batch size and learning rate"_s);
    test.document().undoStack()->undo();
    QVERIFY(test.document().json() == before);
  }

  void plotsZoomTogether() {
    DevicesWindow test(60);
    QVERIFY(test.trainToEnd());
    test.showLens();
    DevicePlot *memory = test.plotOf(u"Memory of this process"_s),
               *load = test.plotOf(u"Utilization"_s);
    QVERIFY(memory && load);
    reveal(memory);
    const QPoint middle = memory->plot()->rect().center();
    QWheelEvent wheel(middle, memory->plot()->mapToGlobal(middle), {}, {0, 240}, {}, {},
                      Qt::NoScrollPhase, false);
    QApplication::sendEvent(memory->plot(), &wheel);
    QVERIFY(memory->navigator()->isZoomed());
    QVERIFY(load->navigator()->isZoomed());
    QCOMPARE(load->navigator()->from(), memory->navigator()->from());
    QCOMPARE(load->navigator()->to(), memory->navigator()->to());
  }

  void scalingIsMeasuredByAClick() {
    DevicesWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    ScalingCard& card = test.lens().scaling();
    QSignalSpy finished(&card, &ScalingCard::finished);
    QPushButton* measure = nullptr;
    for (auto* button : card.findChildren<QPushButton*>())
      measure = button;
    QVERIFY(measure && measure->isEnabled());
    reveal(measure);
    clickAt(measure, measure->rect().center());
    QVERIFY(card.isMeasuring());
    QVERIFY(!measure->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, 60000);
    QVERIFY2(card.result()->problem.isEmpty(), qPrintable(card.result()->problem));
    QVERIFY(card.result()->measured);
    const auto& scaling = card.result()->measured->scaling;
    QCOMPARE(scaling.size(), size_t{2});
    auto* table = card.findChild<QTableWidget*>();
    QCOMPARE(table->rowCount(), static_cast<int>(scaling.size() + card.result()->predicted.size()));
    QCOMPARE(table->item(1, 2)->text(), formatRate(scaling[1].samplesPerSecond));
    // All rows compare with one measured device
    const ReplicaPrediction& first = card.result()->predicted.front();
    const double speed = card.result()->batchSize / first.stepSeconds;
    QCOMPARE(table->item(static_cast<int>(scaling.size()), 3)->text(),
             formatPercent(speed / (first.replicas * scaling[0].samplesPerSecond), 0));
    QVERIFY(!table->item(1, 2)->font().italic());
    const int last = table->rowCount() - 1;
    QVERIFY(table->item(last, 2)->font().italic());
    QVERIFY(table->item(last, 1)->text().contains(u"predicted"_s));
  }
};

QTEST_MAIN(TestDevicesLens)
#include "tst_devices_lens.moc"
