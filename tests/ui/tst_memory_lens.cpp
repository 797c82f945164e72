// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the Memory lens: its figures are those of the run's files and of the planner, and a run
// that does not fit is explained and mended by a click.
#include <QComboBox>
#include <QHeaderView>
#include <QLineEdit>
#include <QScrollArea>
#include <QScrollBar>
#include <QSlider>
#include <QTabBar>
#include <QTableView>
#include <QtTest>

#include <cmath>
#include <filesystem>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/runs/step_memory.h"
#include "core/train/plan.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/lenses/memory.h"
#include "ui/lenses/what_if.h"
#include "ui/models/block_item_model.h"
#include "ui/plots/allocation_view.h"
#include "ui/plots/qcp.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

class MemoryWindow : public RunWindow {
 public:
  using RunWindow::RunWindow;
  MemoryLens& lens() { return *window().findChild<MemoryLens*>(); }
  void showLens() {
    showPage(PageId::Train);
    for (auto* tabs : window().findChildren<QTabBar*>())
      for (int i = 0; i < tabs->count(); ++i)
        if (tabs->accessibleName() == u"Views of the run"_s && tabs->tabText(i) == u"Memory"_s)
          clickAt(tabs, tabs->tabRect(i).center());
    QTest::qWait(100);
  }
  RunView& view() { return window().runs().viewOf(&document()); }
  const StepMemory& memory() { return *view().shown().start->stepMemory; }
  bool waitForPrediction() {
    return QTest::qWaitFor([this] { return lens().whatIf().prediction().has_value(); }, 30000);
  }
};

}  // namespace

class TestMemoryLens : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }
  void init() { QSettings().clear(); }

  void theFiguresAreThoseOfTheFilesByteForByte() {
    MemoryWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    const RunStart& start = *test.view().shown().start;
    std::string problem;
    const auto file = readStepMemory(start.runDirectory, problem);
    QVERIFY2(file, problem.c_str());
    QCOMPARE(file->peakBytes(), start.plannedPeakBytes);
    QCOMPARE(file->blocks.size(), test.memory().blocks.size());
    // The bands of the plot are the categories, holes and samples
    const auto& tops = test.lens().timePlots().at(0)->tops();
    double below = 0;
    for (size_t i = 0; i < kNumCategories; ++i) {
      QCOMPARE(tops[i] - below, static_cast<double>(file->bytesAt(file->peakInstant)[i]));
      below = tops[i];
    }
    QCOMPARE(tops[kNumCategories] - below, static_cast<double>(file->holesAt(file->peakInstant)));
    QCOMPARE(tops[kNumCategories], static_cast<double>(start.plannedPeakBytes));
    // The table lists every byte of the peak
    auto* table = static_cast<QTableView*>(test.named(u"Live at the peak"_s));
    QVERIFY(table);
    size_t sum = 0;
    for (int row = 0; row < table->model()->rowCount(); ++row)
      sum += table->model()
                 ->index(row, BlockItemModel::kBytes)
                 .data(BlockItemModel::kSortRole)
                 .toULongLong();
    QCOMPARE(sum, file->peakBytes());
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void titlesStandAboveTheirColumns() {
    MemoryWindow test;
    QVERIFY(test.trainToEnd());
    test.window().resize(1100, 680);
    test.showLens();
    auto* table = static_cast<QTableView*>(test.named(u"Live at the peak"_s));
    QVERIFY(table && table->model()->rowCount() > 0);
    QHeaderView* header = table->horizontalHeader();
    const auto alignmentOf = [](const QVariant& own, Qt::Alignment standard) {
      if (!own.isValid()) return standard;
      return own.metaType() == QMetaType::fromType<Qt::Alignment>() ? own.value<Qt::Alignment>()
                                                                    : Qt::Alignment(own.toInt());
    };
    for (int column = 0; column < table->model()->columnCount(); ++column) {
      const auto cell =
          alignmentOf(table->model()->index(0, column).data(Qt::TextAlignmentRole), Qt::AlignLeft);
      const auto title =
          alignmentOf(table->model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole),
                      header->defaultAlignment());
      const bool isRight = cell.testFlag(Qt::AlignRight);
      QCOMPARE(title.testFlag(Qt::AlignRight), isRight);
      QCOMPARE(title.testFlag(Qt::AlignLeft), !isRight);
      QVERIFY2(header->sectionSize(column) >= header->sectionSizeHint(column),
               qPrintable(QString::number(column)));
    }
    QVERIFY(!table->horizontalScrollBar()->isVisible());
  }

  void aClickOnABlockSelectsItsLayer() {
    MemoryWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    AllocationView& view = test.lens().allocation();
    reveal(&view);
    // The largest block of a layer
    size_t largest = 0;
    const StepMemory& memory = test.memory();
    for (size_t i = 0; i < memory.blocks.size(); ++i)
      if (memory.blocks[i].layer == "hidden" &&
          (memory.blocks[largest].layer != "hidden" ||
           view.rectOf(i).height() > view.rectOf(largest).height()))
        largest = i;
    const QPoint middle = view.rectOf(largest).center().toPoint();
    QCOMPARE(view.blockAt(middle), std::optional(largest));
    clickAt(&view, middle);
    QCOMPARE(test.document().selection(), QStringList{u"hidden"_s});
    QVERIFY(view.accessibleDescription().contains(u"hidden"_s));
    // The wheel zooms into the block under the mouse, and a double-click shows everything again
    const double width = view.rectOf(largest).width();
    QWheelEvent wheel(middle, view.mapToGlobal(middle), {}, {0, 240}, {}, {}, Qt::NoScrollPhase,
                      false);
    QApplication::sendEvent(&view, &wheel);
    QVERIFY(view.isZoomed());
    QVERIFY(view.rectOf(largest).width() > 1.3 * width);
    doubleClickAt(&view, middle);
    QVERIFY(!view.isZoomed());
  }

  void whatIfPredictsWithThePlannerAndChangesTheDesignInOneStep() {
    MemoryWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens();
    WhatIf& whatIf = test.lens().whatIf();
    QVERIFY(test.waitForPrediction());
    QCOMPARE(whatIf.prediction()->peakBytes, test.document().checks().estimate().peakBytes);
    // The time of a step is the one of Design and of the slider
    const Estimate& estimate = test.document().checks().estimate();
    QVERIFY(QTest::qWaitFor([&] { return estimate.hasTime; }, 60000));
    QVERIFY(QTest::qWaitFor(
        [&] {
          return whatIf.prediction() && whatIf.prediction()->stepSeconds == estimate.stepSeconds;
        },
        30000));
    auto* batch = static_cast<QLineEdit*>(nullptr);
    for (auto* field : whatIf.findChildren<QLineEdit*>())
      if (field->accessibleName() == u"Batch size"_s) batch = field;
    QVERIFY(batch);
    reveal(batch);
    batch->setFocus();
    batch->selectAll();
    QTest::keyClicks(batch, u"256"_s);
    QVERIFY(test.waitForPrediction());
    QVERIFY2(whatIf.prediction()->problem.isEmpty(), qPrintable(whatIf.prediction()->problem));
    Project other = test.document().project();
    other.document()["training"]["batch_size"] = 256;
    PlanOptions options;
    options.measuresStepTime = false;
    options.findsLargestBatch = false;
    const TrainingPlan plan = planTraining(CheckedProject(other), options);
    QCOMPARE(whatIf.prediction()->peakBytes, static_cast<double>(plan.peakBytes));
    // Four times the samples take longer than one step of the design
    QVERIFY(whatIf.prediction()->stepSeconds > estimate.stepSeconds);
    bool isItalic = false;
    for (auto* label : whatIf.findChildren<QLabel*>())
      isItalic = isItalic ||
                 (label->text().contains(u"<i>"_s) && label->text().contains(u"Predicted peak"_s));
    QVERIFY(isItalic);
    QAbstractButton* use = test.button(u"Use these settings"_s);
    reveal(use);
    QTest::qWait(50);
    click(use);
    QCOMPARE(test.document().json()["training"]["batch_size"].get<int>(), 256);
    QTest::keyClick(test.window().windowHandle(), Qt::Key_Z, Qt::ControlModifier);
    QTRY_VERIFY(test.document().json()["training"]["batch_size"].get<int>() != 256);
    // Wrong input is one sentence
    batch->setFocus();
    batch->selectAll();
    QTest::keyClicks(batch, u"many"_s);
    QVERIFY(test.waitForPrediction());
    QVERIFY(whatIf.prediction()->problem.contains(u"whole number"_s));
  }

  void theSliderShowsWhatAMemoryLimitCosts() {
    MemoryWindow test;
    // Convolutions have values that can be computed again
    const Project cnn = *loadProject((sourceDir() / "projects" / "mnist-cnn.json").string());
    submitValue(test.document(), "/model", cnn.document().at("model"));
    QVERIFY(test.waitForInspection());
    QVERIFY(QTest::qWaitFor([&] { return test.document().checks().estimate().curve.size() > 1; },
                            30000));
    QVERIFY(test.press(test.starter()) && test.waitForEnd());
    test.showLens();
    auto* slider = test.lens().whatIf().findChild<QSlider*>();
    QTRY_VERIFY(slider->isEnabled());
    reveal(slider);
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_End);
    const PlanBudget smallest = test.document().checks().estimate().curve.back();
    QVERIFY(slider->accessibleDescription().contains(
        formatBytes(static_cast<double>(smallest.limitBytes))));
    QAbstractButton* use = test.button(u"Use this limit"_s);
    reveal(use);
    QTest::qWait(50);
    click(use);
    QCOMPARE(test.document().json()["execution"]["memory_limit"].get<size_t>(),
             smallest.limitBytes);
  }

  void onACardThePartsAreTheProcess() {
    MemoryWindow test;
    submitValue(test.document(), "/execution/devices", Json("simulated:H100"));
    submitValue(test.document(), "/training/epochs", Json(4));
    QVERIFY(test.waitForInspection());
    if (!test.document().checks().estimate().hasMemory &&
        !QTest::qWaitFor([&] { return test.document().checks().estimate().hasMemory; }, 20000))
      QSKIP("simulated cards are not available here");
    QVERIFY(test.press(test.starter()) && test.waitForEnd());
    test.showLens();
    const ShownRun& run = test.view().shown();
    QVERIFY(!run.devices.empty());
    const auto own = run.devices[0].last().state.ownBytes;
    QVERIFY(own.has_value());
    const auto& kernels = *run.profile->kernels;
    const double parts =
        static_cast<double>(run.start->plannedPeakBytes + run.start->keptDataBytes +
                            kernels.contextBytes + kernels.transferBytes);
    QVERIFY2(std::abs(parts - static_cast<double>(*own)) < 0.02 * static_cast<double>(*own),
             qPrintable(u"%1 of %2"_s.arg(parts).arg(*own)));
  }

  void aRunThatDoesNotFitIsExplainedAndMendedByAClick() {
    MemoryWindow test;
    submitValue(test.document(), "/execution/devices", Json("simulated:RTX 3060 12GB"));
    submitValue(test.document(), "/training/batch_size", Json(480));
    // Large hidden layers: about 200 MB with gradients and the state of the optimizer
    submitField(test.document(), u"hidden"_s, "units", Json(12'000));
    submitValue(test.document(), "/execution/memory_limit", Json(int64_t{170} << 20));
    submitValue(test.document(), "/execution/recompute", Json("none"));
    QVERIFY(test.waitForInspection());
    QVERIFY(QTest::qWaitFor(
        [&] {
          const Estimate& estimate = test.document().checks().estimate();
          return estimate.revision == test.document().revision() && estimate.hasMemory;
        },
        60000));
    test.window().actionTable()[u"run.train"_s]->trigger();
    QVERIFY(QTest::qWaitFor(
        [&] {
          const auto& outcome = test.run().shown().outcome;
          return outcome && !test.run().isActive();
        },
        60000));
    QVERIFY(test.run().shown().outcome->error.has_value());
    QCOMPARE(test.run().shown().outcome->error->code(), ErrorCode::OutOfMemory);
    test.showLens();
    QVERIFY(QTest::qWaitFor([&] { return !test.document().checks().estimate().remedies.empty(); },
                            60000));
    QLabel* report = nullptr;
    QVERIFY(QTest::qWaitFor([&] {
      for (auto* label : test.lens().findChildren<QLabel*>())
        if (label->isVisible() && label->text().contains(u"At the predicted peak, hidden"_s))
          report = label;
      return report != nullptr;
    }));
    QVERIFY2(report->text().contains(u"Live at the predicted peak"_s), qPrintable(report->text()));
    QPushButton* first = nullptr;
    // The layout shows a new button later
    QVERIFY(QTest::qWaitFor([&] {
      for (auto* button : test.lens().findChildren<QPushButton*>())
        if (!first && button->isVisible() && button->text().contains(u"predicted peak"_s))
          first = button;
      return first != nullptr;
    }));
    click(first);
    QVERIFY(test.waitForInspection());
    QVERIFY(QTest::qWaitFor(
        [&] {
          const Estimate& estimate = test.document().checks().estimate();
          return estimate.revision == test.document().revision() && estimate.hasMemory &&
                 estimate.fits;
        },
        60000));
    test.window().actionTable()[u"run.train"_s]->trigger();
    QVERIFY(QTest::qWaitFor([&] { return test.run().isActive() && test.run().shown().step > 0; },
                            60000));
    test.run().stop();
    QVERIFY(test.waitForEnd());
  }
};

QTEST_MAIN(TestMemoryLens)
#include "tst_memory_lens.moc"
