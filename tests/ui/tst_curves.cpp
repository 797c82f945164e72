// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the Curves lens as a person uses it, and that lenses show any run that is chosen on
// Results.
#include <QCheckBox>
#include <QComboBox>
#include <QFileDialog>
#include <QListView>
#include <QMenu>
#include <QScrollArea>
#include <QSlider>
#include <QTabBar>
#include <QtTest>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/runs/history.h"
#include "core/runs/run_directory.h"
#include "tests/ui/support/run_window.h"
#include "ui/format.h"
#include "ui/lenses/classes_card.h"
#include "ui/lenses/curves.h"
#include "ui/lenses/run_picker.h"
#include "ui/models/class_item_model.h"
#include "ui/plots/class_curves.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/run/run_view.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

class CurvesWindow : public RunWindow {
 public:
  using RunWindow::RunWindow;
  void showLens(const QString& title) {
    showPage(PageId::Train);
    auto* tabs = window().findChild<QTabBar*>(QString(), Qt::FindChildrenRecursively);
    for (auto* each : window().findChildren<QTabBar*>())
      if (each->accessibleName() == u"Views of the run"_s) tabs = each;
    for (int i = 0; i < tabs->count(); ++i)
      if (tabs->tabText(i) == title) clickAt(tabs, tabs->tabRect(i).center());
    QTest::qWait(50);
  }
  CurvesLens& lens() { return *window().findChild<CurvesLens*>(); }
  /// Returns the charts in their order on the screen.
  QList<MetricPlot*> charts() {
    QList<MetricPlot*> found;
    for (auto* plot : lens().findChildren<MetricPlot*>())
      if (plot->isVisibleTo(&lens())) found << plot;
    std::ranges::sort(found, {}, [this](MetricPlot* plot) {
      const QPoint at = plot->mapTo(&lens(), QPoint());
      return std::pair(at.y(), at.x());
    });
    return found;
  }
  MetricPlot* chart(const QString& title) {
    for (MetricPlot* plot : charts())
      if (plot->accessibleName() == title) return plot;
    return nullptr;
  }
  QStringList titles() {
    QStringList result;
    for (MetricPlot* plot : charts())
      result << plot->accessibleName();
    return result;
  }
  void chooseEntry(MetricPlot* plot, const QString& words) {
    reveal(plot);
    auto* button = qobject_cast<QPushButton*>(plot->findChildren<QPushButton*>().back());
    clickAt(button, button->rect().center());
    QMenu* menu = nullptr;
    QVERIFY(QTest::qWaitFor([&] {
      for (auto* each : plot->findChildren<QMenu*>())
        if (each->isVisible()) menu = each;
      return menu != nullptr;
    }));
    for (QAction* action : menu->actions())
      if (action->text() == words)
        QTest::mouseClick(menu, Qt::LeftButton, {}, menu->actionGeometry(action).center());
    QTest::qWait(30);
  }
  /// Trains a new run, after another one.
  bool trainAgain() {
    const std::string before = directory();
    window().actionTable()[u"run.train"_s]->trigger();
    return QTest::qWaitFor([&] { return run().isActive() && run().shown().start; }, 10000) &&
           waitForEnd() && directory() != before;
  }
  RunView& view() { return window().runs().viewOf(&document()); }
  std::string directory() { return run().shown().start->runDirectory; }
  void chooseRun(const std::string& directory) {
    showPage(PageId::Results);
    QListView* list = nullptr;
    for (auto* each : window().findChildren<QListView*>())
      if (each->accessibleName() == u"Runs of this project"_s && each->isVisible()) list = each;
    QVERIFY(list);
    const int number = QFileInfo(QString::fromStdString(directory)).fileName().toInt();
    for (int row = 0; row < list->model()->rowCount(); ++row)
      if (list->model()->index(row, 0).data().toString().startsWith(u"Run %1\n"_s.arg(number)))
        clickAt(list->viewport(), list->visualRect(list->model()->index(row, 0)).center());
    QTest::qWait(50);
  }
};

QCPGraph& graph(MetricPlot* plot, int index) { return *plot->plot()->graph(index); }
// The graphs of a plot
constexpr int kRaw = 0, kSmooth = 1, kBroken = 3, kBand = 4;

}  // namespace

class TestCurves : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }
  void classesAreThoseOfTheFile() {
    CurvesWindow test(3);
    QVERIFY(test.trainToEnd());
    test.showLens(u"Curves"_s);
    ClassesCard& card = test.lens().classes();
    QTRY_VERIFY(card.table()->isVisible());
    // Live and in the file of the run
    const ClassHistory& live = test.run().shown().classes;
    const ClassHistory read = readClassHistory(test.directory());
    QCOMPARE(live.points().size(), size_t{3});
    QCOMPARE(read.points().size(), size_t{3});
    const OutputClasses& last = read.latest().outputs.at(0);
    QVERIFY(last.confusion.counts == live.latest().outputs.at(0).confusion.counts);
    QCOMPARE(read.latest().step, test.run().shown().step);
    // The table has the worst class first
    const QAbstractItemModel& rows = *card.table()->model();
    QCOMPARE(rows.rowCount(), 10);
    double before = -1;
    for (int row = 0; row < rows.rowCount(); ++row) {
      const double accuracy =
          rows.index(row, ClassItemModel::kAccuracy).data(ClassItemModel::kSortRole).toDouble();
      QVERIFY(accuracy >= before);
      before = accuracy;
      const int index = rows.index(row, ClassItemModel::kName).data().toInt();
      const ClassScores scores = last.confusion.scores(index);
      if (scores.samples == 0) continue;
      QCOMPARE(accuracy, scores.recall);
      QCOMPARE(rows.index(row, ClassItemModel::kAccuracy).data().toString(),
               formatPercent(scores.recall));
      const double change =
          rows.index(row, ClassItemModel::kChange).data(ClassItemModel::kSortRole).toDouble();
      const double former = static_cast<double>(read.points()[1].accuracy[0][index]);
      QVERIFY(std::abs(change - (scores.recall - former)) < 1e-6);
    }
    QVERIFY(labelWith(test, u"Validation of step "_s));
    // The chart has the three worst classes, and then the chosen one
    QCOMPARE(card.curves().curves().size(), size_t{3});
    reveal(card.table());
    const QModelIndex chosen = rows.index(4, ClassItemModel::kName);
    card.table()->scrollTo(chosen);
    clickAt(card.table()->viewport(), card.table()->visualRect(chosen).center());
    QTRY_COMPARE(card.curves().curves().size(), size_t{1});
    QCOMPARE(card.curves().curves()[0].name, chosen.data().toString());
    QCOMPARE(card.curves().curves()[0].points.size(), size_t{3});
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
    // Another run, then the first one again, from its files
    const std::string first = test.directory();
    QVERIFY(test.trainAgain());
    test.chooseRun(first);
    test.showLens(u"Curves"_s);
    QTRY_COMPARE(test.view().shown().start->runDirectory, first);
    QVERIFY(test.view().shown().classes.latest().outputs[0].confusion.counts ==
            last.confusion.counts);
    QTRY_VERIFY(card.table()->isVisible());
  }

  void init() { QSettings().clear(); }

  void everyRecordedSeriesHasAChart() {
    CurvesWindow test(2);
    QVERIFY(test.trainToEnd());
    test.showLens(u"Curves"_s);
    QCOMPARE(test.titles(),
             (QStringList{u"Loss"_s, u"Accuracy"_s, u"Learning rate"_s, u"Throughput"_s,
                          u"Gradient norm"_s, u"Waiting for data"_s}));
    const HistoryReader file(test.directory() + "/history.bin");
    for (MetricPlot* plot : test.charts()) {
      QVERIFY2(graph(plot, kRaw).dataCount() > 5, qPrintable(plot->accessibleName()));
      QVERIFY(!plot->plot()->xAxis->label().isEmpty() && !plot->plot()->yAxis->label().isEmpty());
    }
    // The curves have the values of the file
    QCPGraph& norm = graph(test.chart(u"Gradient norm"_s), kRaw);
    for (size_t i = 0, place = 0; i < file.size(); ++i) {
      // Not every step computes the norm of gradients that are never stored
      if (file[i].kind != HistoryKind::Step || std::isnan(file[i].measures[0])) continue;
      const auto point = norm.data()->at(static_cast<int>(place++));
      QCOMPARE(point->key, static_cast<double>(file[i].step));
      QVERIFY(file[i].measures[0] > 0);
      QCOMPARE(static_cast<float>(point->value), file[i].measures[0]);
    }
    QVERIFY2(namelessWidgets(test.window()).isEmpty(),
             qPrintable(namelessWidgets(test.window()).join(u", "_s)));
  }

  void chartsZoomTogetherAndShareTheCursor() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens(u"Curves"_s);
    MetricPlot* loss = test.chart(u"Loss"_s);
    QCustomPlot* area = loss->plot();
    const QRect inside = area->axisRect()->rect();
    const QPoint start = inside.center() - QPoint(40, 0), end = inside.center() + QPoint(40, 0);
    QTest::mousePress(area, Qt::LeftButton, {}, start);
    QTest::mouseMove(area, end);
    QTest::mouseRelease(area, Qt::LeftButton, {}, end);
    QVERIFY(loss->navigator()->isZoomed());
    for (MetricPlot* plot : test.charts()) {
      QCOMPARE(plot->plot()->xAxis->range().lower, loss->plot()->xAxis->range().lower);
      QCOMPARE(plot->plot()->xAxis->range().upper, loss->plot()->xAxis->range().upper);
      QVERIFY(plot->navigator()->cursor().has_value());
    }
    QTest::mouseDClick(area, Qt::LeftButton, {}, start);
    for (MetricPlot* plot : test.charts())
      QVERIFY(!plot->navigator()->isZoomed());
  }

  void smoothingAndAxesApplyToAllCharts() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens(u"Curves"_s);
    auto* slider = test.lens().findChild<QSlider*>();
    slider->setFocus();
    QTest::keyClick(slider, Qt::Key_End);
    MetricPlot* loss = test.chart(u"Loss"_s);
    const MetricSeries& series = *test.view().shown().history.find("loss");
    const int last = graph(loss, kSmooth).dataCount() - 1;
    QVERIFY(std::abs(graph(loss, kSmooth).data()->at(last)->value -
                     series.lastSmoothed(Smoothing::ofWeight(0.999))) < 1e-6);
    // The raw curve stays behind it
    QCOMPARE(graph(loss, kRaw).dataCount(), static_cast<int>(series.count()));
    auto* axis = test.lens().findChild<QComboBox*>();
    axis->setFocus();
    QTest::keyClick(axis, Qt::Key_Down);
    QCOMPARE(loss->plot()->xAxis->label(), u"Step"_s);
    QTest::keyClick(axis, Qt::Key_Down);
    QCOMPARE(loss->plot()->xAxis->label(), u"Training time"_s);
    const StepClock& clock = test.view().shown().history.clock();
    const auto point = graph(loss, kRaw).data()->at(9);
    QCOMPARE(point->key, clock.secondsAt(10));
    QVERIFY(test.click(u"Log x"_s));
    QCOMPARE(loss->plot()->xAxis->scaleType(), QCPAxis::stLogarithmic);
    QVERIFY(loss->plot()->xAxis->range().lower > 0);
    QVERIFY(test.click(u"Log y"_s));
    QCOMPARE(loss->plot()->yAxis->scaleType(), QCPAxis::stLogarithmic);
    QCOMPARE(test.chart(u"Accuracy"_s)->plot()->yAxis->scaleType(), QCPAxis::stLinear);
    // The window remembers all of it
    test.restart();
    QTRY_VERIFY(test.view().shown().start != nullptr);
    test.showLens(u"Curves"_s);
    QCOMPARE(test.chart(u"Loss"_s)->plot()->xAxis->label(), u"Training time"_s);
    QCOMPARE(test.chart(u"Loss"_s)->plot()->yAxis->scaleType(), QCPAxis::stLogarithmic);
  }

  void chartsArePinnedAndMoved() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens(u"Curves"_s);
    test.chooseEntry(test.chart(u"Gradient norm"_s), u"Pin to the top"_s);
    QCOMPARE(test.titles().front(), u"Gradient norm"_s);
    // The title of a chart can be dragged onto another chart
    test.lens().findChild<QScrollArea*>()->ensureVisible(0, 0);
    QLabel* title = test.chart(u"Loss"_s)->titleLabel();
    MetricPlot* target = test.charts()[2];
    const QString other = target->accessibleName();
    const QPoint end = title->mapFromGlobal(target->mapToGlobal(target->rect().center()));
    QTest::mousePress(title, Qt::LeftButton, {}, QPoint(5, 5));
    QTest::mouseMove(title, end / 2);
    QTest::mouseRelease(title, Qt::LeftButton, {}, end);
    QTRY_COMPARE(test.titles()[1], other);
    QCOMPARE(test.titles()[2], u"Loss"_s);
    const QStringList order = test.titles();
    test.restart();
    QTRY_VERIFY(test.view().shown().start != nullptr);
    test.showLens(u"Curves"_s);
    QTRY_COMPARE(test.titles(), order);
  }

  void theAxisEndsWithTheRun() {
    CurvesWindow test(1000);
    QVERIFY(test.press(test.starter()));
    QVERIFY(QTest::qWaitFor([&] { return test.run().shown().step > 20; }, 60000));
    test.showLens(u"Curves"_s);
    MetricPlot* loss = test.chart(u"Loss"_s);
    QVERIFY(loss);
    const auto steps = static_cast<double>(test.run().shown().start->totalSteps);
    QVERIFY(loss->navigator()->to() > steps);
    QVERIFY(test.click(u"Stop"_s) && test.waitForEnd());
    loss = test.chart(u"Loss"_s);
    const auto made = static_cast<double>(test.run().shown().step);
    QVERIFY(loss->navigator()->to() >= made && loss->navigator()->to() < 1.1 * made);
    test.showLens(u"Overview"_s);
    for (auto* plot : test.window().findChildren<MetricPlot*>())
      if (plot->isVisible()) QCOMPARE(plot->navigator()->to(), loss->navigator()->to());
  }

  void otherRunsAreLaidOverWithTheirRange() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    const std::string first = test.directory();
    submitValue(test.document(), "/training/seed", Json(7));
    test.waitForInspection();
    QVERIFY(test.trainAgain());
    test.showLens(u"Curves"_s);
    QVERIFY(test.directory() != first);
    MetricPlot* loss = test.chart(u"Loss"_s);
    const int graphs = loss->plot()->graphCount();
    test.lens().otherRuns().setChosen(first, true);
    QTRY_COMPARE(loss->plot()->graphCount(), graphs + 1);
    QTRY_VERIFY(graph(loss, graphs).dataCount() > 5);
    QVERIFY(test.click(u"Range of runs"_s));
    QTRY_VERIFY(graph(loss, kBand).dataCount() > 5);
    for (int i = 0; i < graph(loss, kBand).dataCount(); ++i) {
      const double low = graph(loss, kBand).data()->at(i)->value,
                   mean = graph(loss, kBand + 1).data()->at(i)->value,
                   high = graph(loss, kBand + 2).data()->at(i)->value;
      QVERIFY(low <= mean && mean <= high);
    }
    for (int i = 0; i < loss->plot()->graphCount(); ++i)
      QVERIFY(loss->plot()->graph(i)->pen().widthF() <= 1);
    test.lens().otherRuns().setChosen(first, false);
    QTRY_VERIFY(!graph(loss, graphs).visible());
  }

  void equalEpochsOfOtherRunsHaveOnePlace() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    const std::string first = test.directory();
    const auto steps = static_cast<double>(readRun(first).steps);
    submitValue(test.document(), "/training/batch_size", Json(16));
    test.waitForInspection();
    QVERIFY(test.trainAgain());
    const auto& start = *test.run().shown().start;
    QVERIFY(static_cast<double>(start.totalSteps) > 1.5 * steps);
    test.showLens(u"Curves"_s);
    MetricPlot* loss = test.chart(u"Loss"_s);
    const int graphs = loss->plot()->graphCount();
    test.lens().otherRuns().setChosen(first, true);
    QTRY_VERIFY(loss->plot()->graphCount() > graphs && graph(loss, graphs).dataCount() > 3);
    const auto last = [&] {
      return (graph(loss, graphs).data()->constEnd() - 1)->key;
    };
    QVERIFY(std::abs(last() - static_cast<double>(start.totalSteps)) < 1e-6 * last());
    // By step, a step has one place in all runs
    auto* axis = static_cast<QComboBox*>(test.named(u"Horizontal axis"_s));
    axis->setCurrentIndex(static_cast<int>(RunAxis::Unit::Step));
    QTRY_COMPARE(last(), steps);
  }

  void marksSayWhatTheyAreAndNonFiniteValuesAreMarked() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens(u"Curves"_s);
    MetricPlot* loss = test.chart(u"Loss"_s);
    // The last checkpoint
    const double step = static_cast<double>(test.view().shown().marks.back().step);
    QCustomPlot* area = loss->plot();
    const QPoint at(static_cast<int>(area->xAxis->coordToPixel(step)),
                    area->axisRect()->rect().center().y());
    QVERIFY2(QTest::qWaitFor([&] {
               QTest::mouseMove(area, at - QPoint(30, 0));
               QTest::mouseMove(area, at);
               return loss->accessibleDescription().contains(u"Checkpoint of step"_s);
             }),
             qPrintable(loss->accessibleDescription()));
    MetricHistory broken;
    broken.series("loss").append(1, 2);
    broken.series("loss").append(2, NAN);
    broken.series("loss").append(3, INFINITY);
    loss->refresh(broken);
    QCOMPARE(graph(loss, kBroken).dataCount(), 2);
    loss->refresh(test.view().shown().history);
  }

  void plotsAreSavedInAllFormats() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    test.showLens(u"Curves"_s);
    MetricPlot* norm = test.chart(u"Gradient norm"_s);
    const QString base = test.folder() + u"/norm"_s;
    for (const QString& suffix : {u".png"_s, u".svg"_s, u".pdf"_s, u".csv"_s, u".json"_s}) {
      norm->saveTo(base + suffix);
      QTRY_VERIFY2(QFileInfo(base + suffix).size() > 100, qPrintable(suffix));
    }
    QVERIFY(bytesOf(base + u".pdf"_s).startsWith("%PDF"));
    const Json table = Json::parse(bytesOf(base + u".json"_s).toStdString());
    QCOMPARE(table["columns"], Json({"step", "gradient_norm"}));
    const HistoryReader file(test.directory() + "/history.bin");
    QCOMPARE(table["rows"][0][0].get<int>(), 1);
    QCOMPARE(static_cast<float>(table["rows"][0][1].get<double>()), file[0].measures[0]);
  }

  void lensesShowTheRunThatIsChosenOnResults() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    const std::string first = test.directory();
    submitValue(test.document(), "/training/epochs", Json(3));
    test.waitForInspection();
    QVERIFY(test.trainAgain());
    const std::string second = test.directory();
    test.chooseRun(first);
    QTRY_VERIFY(test.view().isChosen());
    QCOMPARE(test.view().shown().start->runDirectory, first);
    test.showLens(u"Curves"_s);
    const auto steps = readRun(first).steps;
    QCOMPARE(graph(test.chart(u"Loss"_s), kRaw).dataCount(), static_cast<int>(steps));
    QVERIFY(test.chart(u"Throughput"_s) &&
            graph(test.chart(u"Throughput"_s), kRaw).dataCount() > 3);
    // Continue still belongs to the last run
    QCOMPARE(test.run().shown().start->runDirectory, second);
    QVERIFY(test.click(u"Back to the last run"_s));
    QCOMPARE(test.view().shown().start->runDirectory, second);
    // A run that starts is shown at once
    test.chooseRun(first);
    QTRY_VERIFY(test.view().isChosen());
    test.showPage(PageId::Design);
    submitValue(test.document(), "/training/seed", Json(3));
    test.waitForInspection();
    test.window().actionTable()[u"run.train"_s]->trigger();
    QTRY_VERIFY(test.view().isLive());
    QVERIFY(test.waitForEnd());
  }

  void buttonsOfTheLensesMeanTheirRun() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    const std::string first = test.directory();
    submitValue(test.document(), "/training/seed", Json(7));
    test.waitForInspection();
    QVERIFY(test.trainAgain());
    test.chooseRun(first);
    QTRY_VERIFY(test.view().isChosen());
    test.showLens(u"Overview"_s);
    QVERIFY(test.click(u"Back to the last run"_s));
    QVERIFY(test.click(u"Export"_s));
    QFileDialog* dialog = nullptr;
    QTRY_VERIFY((dialog = test.window().findChild<QFileDialog*>()) && dialog->isVisible());
    QCOMPARE(dialog->windowTitle(), u"Export weights of Run 2"_s);
    dialog->reject();
  }

  void aRefusedRunLeavesNothingOfTheFormerOne() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    const std::string first = test.directory();
    submitValue(test.document(), "/training/seed", Json(7));
    test.waitForInspection();
    QVERIFY(test.trainAgain());
    test.chooseRun(first);
    QTRY_VERIFY(test.view().isChosen());
    test.showLens(u"Overview"_s);
    QVERIFY(labelWith(test, u"samples/s"_s));
    submitValue(test.document(), "/execution/memory_limit", Json(1 << 16));
    test.waitForInspection();
    test.window().actionTable()[u"run.train"_s]->trigger();
    QTRY_VERIFY_WITH_TIMEOUT(
        !test.view().isChosen() && test.run().shown().outcome && !test.run().isActive(), 60000);
    QVERIFY(!test.view().shown().start);
    test.showLens(u"Overview"_s);
    QVERIFY(!labelWith(test, u"samples/s"_s));
    // The plots no longer read the history of the former run, which is gone
    for (auto* plot : test.window().findChildren<MetricPlot*>()) {
      QCOMPARE(graph(plot, kRaw).dataCount(), 0);
      if (!plot->isVisible()) continue;
      QTest::mouseMove(plot->plot(), plot->plot()->rect().center());
      QTest::qWait(50);
    }
  }

  void aDamagedHistoryIsOneSentence() {
    CurvesWindow test;
    QVERIFY(test.trainToEnd());
    const std::string first = test.directory();
    QVERIFY(test.trainAgain());
    std::ofstream(first + "/history.bin", std::ios::trunc) << "no history at all, for certain";
    test.chooseRun(first);
    QTRY_VERIFY(test.view().isChosen());
    test.showLens(u"Curves"_s);
    QVERIFY(test.charts().empty());
    bool isSaid = false;
    for (auto* label : test.lens().findChildren<QLabel*>())
      isSaid = isSaid || (label->isVisible() && label->text().contains(u"history.bin"_s));
    QVERIFY(isSaid);
  }
};

QTEST_MAIN(TestCurves)
#include "tst_curves.moc"
