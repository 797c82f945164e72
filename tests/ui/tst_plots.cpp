// SPDX-License-Identifier: GPL-3.0-or-later
// Tests plots with mouse and keys: values under the mouse, zooming by wheel, dragging and keys,
// scales, smoothing, and saved files.
#include <QClipboard>
#include <QMenu>
#include <QMessageBox>
#include <QMouseEvent>
#include <QTemporaryDir>
#include <QTextBlock>
#include <QTextDocument>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <QtTest>
#include <cmath>
#include <random>

#include "core/project/json.h"
#include "core/runs/history.h"
#include "core/runs/mean_profile.h"
#include "tests/support/paths.h"
#include "tests/ui/support/painted_texts.h"
#include "tests/ui/support/window.h"
#include "ui/models/time_item_model.h"
#include "ui/plots/axis_tickers.h"
#include "ui/plots/distribution_plot.h"
#include "ui/plots/legend.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

constexpr int kSteps = 1000;

double lossAt(int step) { return 2.0 / std::sqrt(step) + 0.1 * ((step * 7919) % 13) / 13.0; }

/// A window with a plot of a run.
class PlotWindow : public QWidget {
 public:
  PlotWindow() : plot(new MetricPlot(u"Loss"_s, MetricPlot::Scale::Value, this)), m_theme(*qApp) {
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(plot);
    plot->setSeries("loss", "val_loss");
    plot->setPlan(kSteps, 100);
    for (int step = 1; step <= kSteps / 2; ++step)
      append(step);
    resize(640, 360);
    show();
    (void)QTest::qWaitForWindowActive(this);
    plot->refresh(history);
  }
  void append(int step) {
    history.series("loss").append(step, lossAt(step));
    if (step % 100 == 0) history.series("val_loss").append(step, lossAt(step) + 0.05);
  }
  QCustomPlot& custom() { return *plot->plot(); }
  QCPRange range() { return custom().xAxis->range(); }
  QPoint at(double step) {
    return {qRound(custom().xAxis->coordToPixel(step)), custom().axisRect()->rect().center().y()};
  }
  void move(const QPoint& point) {
    QTest::mouseMove(windowHandle(), custom().mapTo(this, point));
    QTest::qWait(20);
  }
  /// Presses the button, moves the mouse in several steps and releases the button, as a user does.
  void drag(double from, double to, Qt::MouseButton button = Qt::LeftButton,
            Qt::KeyboardModifiers keys = {}) {
    const QPoint start = custom().mapTo(this, at(from)), end = custom().mapTo(this, at(to));
    QTest::mousePress(windowHandle(), button, keys, start);
    for (int i = 1; i <= 4; ++i) {
      QTest::mouseMove(windowHandle(), start + (end - start) * i / 4);
      QTest::qWait(10);
    }
    QTest::mouseRelease(windowHandle(), button, keys, end);
    QTest::qWait(20);
  }
  void wheel(double step, int notches) {
    const QPointF on = custom().mapTo(this, at(step));
    QWheelEvent event(on, windowHandle()->mapToGlobal(on), {}, {0, 120 * notches}, Qt::NoButton,
                      Qt::NoModifier, Qt::NoScrollPhase, false);
    QApplication::sendEvent(windowHandle(), &event);
    QTest::qWait(20);
  }
  /// Returns the text of the box next to the vertical line.
  QString reading() {
    for (int i = 0; i < custom().itemCount(); ++i)
      if (auto* item = qobject_cast<QCPItemText*>(custom().item(i));
          item && item->visible() && item->text().startsWith(u"Step"_s))
        return item->text();
    return {};
  }
  QMenu* menu() {
    QTest::mouseClick(windowHandle(), Qt::RightButton, {}, custom().mapTo(this, at(300)));
    QMenu* found = nullptr;
    (void)QTest::qWaitFor(
        [&] {
          return (found = qobject_cast<QMenu*>(QApplication::activePopupWidget())) != nullptr;
        },
        3000);
    return found;
  }
  void choose(const QStringList& path) {
    QMenu* at = menu();
    for (const QString& words : path) {
      QVERIFY(at);
      QAction* found = nullptr;
      for (QAction* action : at->actions())
        if (action->text() == words) found = action;
      QVERIFY2(found, qPrintable(words));
      if (QMenu* inner = found->menu())
        at = inner;
      else
        found->trigger();
    }
    while (QWidget* popup = QApplication::activePopupWidget())
      popup->close();
    QTest::qWait(20);
  }

  MetricHistory history;
  MetricPlot* plot;

 private:
  Theme m_theme;
};

}  // namespace

class TestPlots : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void legendsBreakOnlyBetweenEntries() {
    QTextDocument document;
    QTextOption option;
    option.setWrapMode(QTextOption::WordWrap);
    document.setDefaultTextOption(option);
    const auto linesOf = [&](const QString& html, double width) {
      document.setHtml(html);
      document.setTextWidth(width);
      document.size();
      return document.firstBlock().layout()->lineCount();
    };
    const QString first = legendEntry(u"样本与传输 310 KiB"_s, Qt::red),
                  second = legendEntry(u"predicted 2 MiB <1>"_s, {}, true);
    QCOMPARE(linesOf(first, 20), 1);
    QCOMPARE(linesOf(legendOf({first, second}), 200), 2);
    QVERIFY(document.toPlainText().contains(u"predicted 2 MiB <1>"_s));
  }

  void initTestCase() { prepareApplication(); }

  void theLegendSaysWhichWeightsAreValidated() {
    PlotWindow window;
    const auto legend = [&] {
      return window.custom().accessibleDescription();
    };
    QVERIFY2(legend().contains(u", validation "_s), qPrintable(legend()));
    QVERIFY(!legend().contains(u"averaged"_s));
    window.plot->setAveraged(true);
    window.plot->refresh(window.history);
    QVERIFY2(legend().contains(u", validation of averaged weights "_s), qPrintable(legend()));
  }

  void theMouseReadsEachCurve() {
    PlotWindow window;
    QCOMPARE(window.reading(), QString());
    window.move(window.at(200));
    const QString said = window.reading();
    QVERIFY2(said.startsWith(u"Step "_s), qPrintable(said));
    // The box shows the step under the mouse, its value and the validation value of its epoch.
    const int step = said.mid(5, said.indexOf(u',') - 5).toInt();
    QVERIFY2(std::abs(step - 200) <= 3, qPrintable(said));
    QVERIFY2(said.contains(u"Training: %1"_s.arg(QString::number(lossAt(step), 'g', 3))),
             qPrintable(said));
    QVERIFY2(said.contains(u"Validation: "_s) && said.contains(u"(step 200)"_s), qPrintable(said));
    // The box stays while new points arrive, and disappears when the mouse leaves the plot.
    window.append(501);
    window.plot->refresh(window.history);
    QCOMPARE(window.reading(), said);
    QEvent leave(QEvent::Leave);
    QApplication::sendEvent(&window.custom(), &leave);
    QCOMPARE(window.reading(), QString());
  }

  void wheelAndDragZoomAndADoubleClickResets() {
    PlotWindow window;
    const QCPRange whole = window.range();
    window.wheel(250, 3);
    QVERIFY(window.range().size() < 0.6 * whole.size());
    QVERIFY(window.range().contains(250));
    QVERIFY(std::abs((250 - window.range().lower) / window.range().size() -
                     (250 - whole.lower) / whole.size()) < 0.02);
    // New points do not change the view.
    const QCPRange zoomed = window.range();
    for (int step = 501; step <= 600; ++step)
      window.append(step);
    window.plot->refresh(window.history);
    QCOMPARE(window.range(), zoomed);
    doubleClickAt(&window.custom(), window.at(250));
    QTRY_COMPARE(window.range(), whole);
    window.drag(100, 300);
    const QString selected = u"%1 to %2"_s.arg(window.range().lower).arg(window.range().upper);
    QVERIFY2(std::abs(window.range().lower - 100) < 5 && std::abs(window.range().upper - 300) < 5,
             qPrintable(selected));
    // The plot requests only the visible range, in full detail.
    QVERIFY(window.custom().graph(0)->data()->constBegin()->key >= window.range().lower - 3);
    QVERIFY(window.custom().graph(0)->dataCount() >= 190);
    // The mouse has not moved, but another step is under it now.
    const int under =
        window.reading().mid(5, window.reading().indexOf(u',') - 5).remove(u',').toInt();
    QVERIFY2(under > 100 && under < 200, qPrintable(window.reading()));
    window.drag(200, 250, Qt::LeftButton, Qt::ShiftModifier);
    QVERIFY2(std::abs(window.range().lower - 50) < 5,
             qPrintable(QString::number(window.range().lower)));
    window.drag(150, 100, Qt::MiddleButton);
    QVERIFY2(std::abs(window.range().lower - 100) < 5,
             qPrintable(QString::number(window.range().lower)));
    auto* back = buttonWith(window, u"Whole run"_s);
    QVERIFY(back);
    click(back);
    QTRY_COMPARE(window.range(), whole);
    QVERIFY(!back->isVisible());
    // The plot shows another run completely at first.
    window.wheel(250, 3);
    window.plot->setPlan(2 * kSteps, 100);
    window.plot->refresh(window.history);
    QVERIFY(window.range().upper > 2 * kSteps);
  }

  void keysDoWhatTheMouseDoes() {
    PlotWindow window;
    const QCPRange whole = window.range();
    window.plot->setFocus(Qt::TabFocusReason);
    QVERIFY(window.plot->hasFocus());
    QTest::keyClick(window.windowHandle(), Qt::Key_Left);
    QVERIFY(window.reading().startsWith(u"Step"_s));
    const QString first = window.reading();
    QTest::keyClick(window.windowHandle(), Qt::Key_Left);
    QVERIFY(window.reading() != first);
    QVERIFY(window.plot->accessibleDescription().startsWith(u"Step"_s));
    QTest::keyClick(window.windowHandle(), Qt::Key_Plus);
    QVERIFY(window.range().size() < 0.6 * whole.size());
    QTest::keyClick(window.windowHandle(), Qt::Key_Minus);
    QTest::keyClick(window.windowHandle(), Qt::Key_Plus);
    QTest::keyClick(window.windowHandle(), Qt::Key_Home);
    QCOMPARE(window.range(), whole);
    QTest::keyClick(window.windowHandle(), Qt::Key_Escape);
    QCOMPARE(window.reading(), QString());
    QVERIFY2(namelessWidgets(window).isEmpty(), qPrintable(namelessWidgets(window).join(u", "_s)));
  }

  void logarithmicScaleAndSmoothingAreInTheMenu() {
    PlotWindow window;
    window.choose({u"Logarithmic scale"_s});
    QCOMPARE(window.custom().yAxis->scaleType(), QCPAxis::stLogarithmic);
    QVERIFY(window.custom().yAxis->range().lower > 0);
    window.choose({u"Logarithmic scale"_s});
    QCOMPARE(window.custom().yAxis->scaleType(), QCPAxis::stLinear);

    QSignalSpy chosen(window.plot, &MetricPlot::smoothingChosen);
    window.choose({u"Smoothing"_s, u"None"_s});
    QCOMPARE(chosen.size(), 1);
    QCOMPARE(window.custom().graph(1)->dataCount(), 0);
    window.choose({u"Smoothing"_s, u"0.9"_s});
    // Smoothing gives the same values as in TensorBoard, which corrects the average of the first
    // steps.
    double average = 0, past = 1;
    for (int step = 1; step <= 40; ++step) {
      average = 0.9 * average + 0.1 * lossAt(step);
      past *= 0.9;
    }
    const auto points =
        window.history.find("loss")->smoothed(0, 500, 1000, Smoothing::ofWeight(0.9));
    QCOMPARE(points[39].step, 40.0);
    QVERIFY(std::abs(points[39].value - average / (1 - past)) < 1e-5);
    QVERIFY(window.custom().graph(1)->dataCount() > 100);
    // Lines have at most width 1, because QCustomPlot needs seconds for wider lines.
    for (int i = 0; i < window.custom().graphCount(); ++i)
      QVERIFY(window.custom().graph(i)->pen().widthF() <= 1);
  }

  void aDenseCurveHasThePixelsOfALinearScan() {
    QSettings().clear();
    PlotWindow window;
    constexpr int kMany = 300'000;
    std::mt19937 random(7);
    std::normal_distribution<double> noise(0, 0.1);
    std::vector<double> values;
    window.history = MetricHistory();
    for (int step = 1; step <= kMany; ++step) {
      // Single steps far away from all others
      const double spike = step % 40'000 == 0 ? 2 : step % 70'000 == 0 ? -1 : 0;
      values.push_back(3 + std::sin(step * 1e-4) + noise(random) + spike);
      window.history.series("loss").append(step, values.back());
    }
    window.plot->setSmoothing(Smoothing::none());
    window.plot->setIgnoresOutliers(false);
    window.plot->setPlan(kMany, 1000);
    window.plot->refresh(window.history);
    for (const bool isZoomed : {false, true}) {
      if (isZoomed) window.plot->navigator()->setView(90'000, 130'000);
      QTest::qWait(50);
      QCustomPlot& custom = window.custom();
      const QColor color = custom.graph(0)->pen().color();
      const QImage picture = custom.grab().toImage();
      const double ratio = picture.devicePixelRatio();
      const QRectF logical = custom.axisRect()->rect();
      const QRect area = QRectF(logical.topLeft() * ratio, logical.size() * ratio).toRect();
      // The highest and the lowest pixel of each column, in the picture and by a scan of all steps
      struct Ends {
        int top = 1 << 20, bottom = -1;
      };
      std::vector<Ends> drawn(static_cast<size_t>(picture.width())), scanned(drawn.size());
      const auto extend = [](Ends& ends, int y) {
        ends.top = std::min(ends.top, y);
        ends.bottom = std::max(ends.bottom, y);
      };
      for (int x = area.left(); x <= area.right(); ++x)
        for (int y = area.top(); y <= area.bottom(); ++y)
          if (picture.pixelColor(x, y) == color) extend(drawn[static_cast<size_t>(x)], y);
      for (int i = 0; i < kMany; ++i) {
        const double x = custom.xAxis->coordToPixel(i + 1) * ratio;
        if (x < area.left() || x >= area.right() + 1) continue;
        extend(scanned[static_cast<size_t>(x)],
               qRound(custom.yAxis->coordToPixel(values[static_cast<size_t>(i)]) * ratio));
      }
      // The line may turn in the column next to that of the step
      const int numColumns = qCeil(2 * ratio), numPixels = numColumns;
      const auto around = [&](const std::vector<Ends>& all, int x) {
        Ends ends;
        for (int at = std::max(area.left(), x - numColumns);
             at <= std::min(area.right(), x + numColumns); ++at) {
          const Ends& column = all[static_cast<size_t>(at)];
          if (column.bottom < 0) continue;
          extend(ends, column.top);
          extend(ends, column.bottom);
        }
        return ends;
      };
      int compared = 0;
      for (int x = area.left() + 3; x <= area.right() - 12; ++x)
        for (const auto& [inner, outer] :
             {std::pair(drawn[static_cast<size_t>(x)], around(scanned, x)),
              std::pair(scanned[static_cast<size_t>(x)], around(drawn, x))}) {
          if (inner.bottom < 0) continue;
          ++compared;
          QVERIFY2(inner.top >= outer.top - numPixels && inner.bottom <= outer.bottom + numPixels,
                   qPrintable(u"column %1: %2 to %3, expected %4 to %5"_s.arg(x)
                                  .arg(inner.top)
                                  .arg(inner.bottom)
                                  .arg(outer.top)
                                  .arg(outer.bottom)));
        }
      QVERIFY2(compared > 2 * area.width() - 60, qPrintable(QString::number(compared)));
    }
  }

  void outliersAreLeftOutAndThePlotSaysSo() {
    QSettings().clear();
    PlotWindow window;
    for (int step = kSteps / 2 + 1; step <= kSteps; ++step)
      window.history.series("loss").append(step, step % 100 == 0 ? 50 : lossAt(step));
    window.plot->setSmoothing(Smoothing::none());
    window.plot->refresh(window.history);
    const auto outside = [&]() -> QString {
      for (int i = 0; i < window.custom().itemCount(); ++i)
        if (auto* item = qobject_cast<QCPItemText*>(window.custom().item(i));
            item && item->visible() && item->text().startsWith(u"Outside: "_s))
          return item->text();
      return {};
    };
    QVERIFY(window.custom().yAxis->range().upper < 5);
    QCOMPARE(outside(), u"Outside: up to 50"_s);
    QSignalSpy chosen(window.plot, &MetricPlot::outliersChosen);
    window.choose({u"Leave out outliers"_s});
    QCOMPARE(chosen.size(), 1);
    QVERIFY(window.custom().yAxis->range().upper > 50);
    QCOMPARE(outside(), QString());
    // The window remembers it
    PlotWindow other;
    QCOMPARE(other.plot->findChildren<QMenu*>().size(), 0);
    other.history.series("loss").append(kSteps, 50);
    other.plot->setSmoothing(Smoothing::none());
    other.plot->refresh(other.history);
    QVERIFY(other.custom().yAxis->range().upper > 50);
    QSettings().clear();
  }

  void labelsOfNarrowAxesDoNotOverlap() {
    QCustomPlot plot;
    plot.xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new CountTicker(plot.xAxis)));
    plot.yAxis->setVisible(false);
    for (const int width : {110, 150, 220, 400, 1000})
      for (const double steps : {10.0, 350.0, 844'000.0, 123'456'789.0}) {
        plot.resize(width, 120);
        plot.xAxis->setRange(0, steps);
        const std::vector<Painted> labels = plotTexts(plot);
        QVERIFY2(!labels.empty(), qPrintable(u"%1 px, %2 steps"_s.arg(width).arg(steps)));
        for (size_t i = 1; i < labels.size(); ++i)
          QVERIFY2(labels[i - 1].ink.right() < labels[i].ink.left(),
                   qPrintable(labels[i - 1].text + u' ' + labels[i].text));
      }
  }

  void fewPointsHaveNoOutliers() {
    VisibleCurves visible;
    for (int i = 0; i < 100; ++i)
      visible.raw.push_back({static_cast<double>(i), i == 50 ? 1e6 : 1 + 0.01 * i});
    visible.validation = {{20, 3}, {40, 9}};
    ValueRange range;
    range.fit(visible);
    QVERIFY(range.high() > 9 && range.high() < 20);
    QVERIFY(valuesOutside(visible, range.low(), range.high()).highest == 1e6);
    QVERIFY(!valuesOutside(visible, range.low(), 2e6).highest);
    range.setIgnoresOutliers(false);
    range.fit(visible);
    QVERIFY(range.high() > 1e6);
  }

  void picturesAndTablesAreSaved() {
    PlotWindow window;
    QTemporaryDir folder;
    const QString png = folder.filePath(u"loss.png"_s), svg = folder.filePath(u"loss.svg"_s),
                  csv = folder.filePath(u"loss.csv"_s);
    window.plot->saveTo(png);
    const QImage image(png);
    // The picture has twice the resolution of the window.
    QVERIFY(image.width() > 800);
    window.plot->saveTo(svg);
    const QByteArray drawing = bytesOf(svg);
    QVERIFY(drawing.contains("<svg") && drawing.contains("<polyline"));
    QVERIFY2(!drawing.contains("<image"), "a picture of pixels");
    QVERIFY(drawing.contains(">Loss<"));
    // The saved table contains every value of the file of the run, without rounding.
    const std::string file = folder.filePath(u"history.bin"_s).toStdString();
    {
      HistoryWriter writer(file, {"accuracy"});
      const double accuracy = 0.5;
      for (int step = 1; step <= 3; ++step)
        writer.append({.step = step, .loss = 1.0 / (3 * step), .metrics = {&accuracy, 1}});
      writer.append(
          {.step = 3, .kind = HistoryKind::Validation, .loss = 0.1, .metrics = {&accuracy, 1}});
      writer.flush();
    }
    window.plot->setHistoryFile(file);
    window.plot->saveTo(csv);
    QTRY_COMPARE(bytesOf(csv),
                 QByteArray("step,loss,val_loss\n1,0.3333333333333333,\n2,0.16666666666666666,\n"
                            "3,0.1111111111111111,0.1\n"));
    window.choose({u"Copy image"_s});
    QVERIFY(!QGuiApplication::clipboard()->image().isNull());
    // A write error is shown without blocking the event loop.
    window.plot->saveTo(u"/no/such/folder/loss.svg"_s);
    auto* box = waitForDialog<QMessageBox>(window);
    QVERIFY(box && box->text().contains(u"/no/such/folder/loss.svg"_s));
    box->close();
  }

  void aDistributionIsDrawnAroundItsStep() {
    const Theme theme(*qApp);
    DistributionPlot plot(u"Weights"_s, nullptr);
    plot.resize(500, 300);
    plot.show();
    QVERIFY(QTest::qWaitForWindowExposed(&plot));
    const auto pointAt = [](double step, float low) {
      DistributionPlot::Point point;
      point.step = step;
      point.statistics.count = 1;
      point.statistics.mean = low;
      point.statistics.deviation = 0;
      point.statistics.minimum = point.statistics.low = low;
      point.statistics.maximum = point.statistics.high = low + 1;
      point.statistics.bins.fill(0);
      point.statistics.bins[0] = 1;
      return point;
    };
    plot.refresh({pointAt(0, 0), pointAt(400, 9)}, 500, {});
    QCPColorMapData* map = plot.map()->data();
    const auto isColored = [&](double step, double value) {
      int column = 0, row = 0;
      map->coordToCell(step, value, &column, &row);
      return map->cell(column, row) > 0;
    };
    constexpr double kOfFirst = 0.01, kOfSecond = 9.01;
    for (const double step : {10.0, 190.0}) {
      QVERIFY(isColored(step, kOfFirst));
      QVERIFY(!isColored(step, kOfSecond));
    }
    for (const double step : {210.0, 395.0}) {
      QVERIFY(!isColored(step, kOfFirst));
      QVERIFY(isColored(step, kOfSecond));
    }
    // Nothing is known after the last sample
    QVERIFY(!isColored(420, kOfSecond));
  }

  void rowsOfTimesKeepTheirOrder() {
    Document document(
        loadProject((sourceDir() / "projects" / "mnist-mlp-128.json").string()).value());
    TimeItemModel model(document);
    MeanProfile mean;
    const auto show = [&](int64_t hidden, int64_t out) {
      ProfileSnapshot made;
      made.steps = 1;
      // 5% of a step are no nodes
      made.stepMicroseconds = static_cast<double>(hidden + out) / 0.95;
      made.dataWaitFraction = 0.01;
      made.forwardFraction = 0.95;
      made.rows.resize(2);
      made.rows[0].layer = "hidden";
      made.rows[0].total = std::chrono::nanoseconds(hidden * 1000);
      made.rows[1].layer = "out";
      made.rows[1].total = std::chrono::nanoseconds(out * 1000);
      mean.add(made);
      model.setProfile(mean.mean());
    };
    const auto texts = [&](int column) {
      QStringList list;
      for (int row = 0; row < model.rowCount(); ++row)
        list << model.index(row, column).data().toString();
      return list;
    };
    const QStringList host{u"waiting for data"_s, u"other work of the host"_s};
    const QStringList first = QStringList{u"hidden"_s, u"out"_s} + host,
                      last = QStringList{u"out"_s, u"hidden"_s} + host;
    show(190, 190);
    show(190, 0);
    show(190, 0);
    QCOMPARE(texts(TimeItemModel::kName), first);
    // The rows add up to the step, which all shares are of
    QCOMPARE(texts(TimeItemModel::kTime),
             (QStringList{u"190 µs"_s, u"63.3 µs"_s, u"2.7 µs"_s, u"10.7 µs"_s}));
    QCOMPARE(texts(TimeItemModel::kShare), (QStringList{u"71%"_s, u"24%"_s, u"1%"_s, u"4%"_s}));
    // Slow steps change the means, but not the order of rows
    for (int i = 0; i < 3; ++i)
      show(190, 950);
    QCOMPARE(texts(TimeItemModel::kName), first);
    QCOMPARE(texts(TimeItemModel::kTime).at(1), u"507 µs"_s);
    // When the run has ended, the rows are sorted again.
    model.settle();
    QCOMPARE(texts(TimeItemModel::kName), last);
    model.setProfile(nullptr);
    QCOMPARE(model.rowCount(), 0);
  }
};

QTEST_MAIN(TestPlots)
#include "tst_plots.moc"
