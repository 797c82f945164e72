// SPDX-License-Identifier: GPL-3.0-or-later
// Tests the timeline: its pixels against a plain scan of all events, and mouse and keys.
#include <QAbstractItemModelTester>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <QtTest>
#include <random>

#include "core/trace/trace_builder.h"
#include "tests/ui/support/window.h"
#include "ui/plots/time_axis.h"
#include "ui/plots/timeline_table.h"
#include "ui/plots/timeline_view.h"
#include "ui/theme/theme.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

/// A host that launches three kernels, and marks. The whole trace takes 1 ms.
TracePointer smallTrace() {
  TraceBuilder builder;
  const uint32_t host = builder.addProcess("host");
  const uint32_t device = builder.addProcess("cuda:0");
  const uint32_t main = *builder.addLane(host, "main");
  const uint32_t stream = *builder.addLane(device, "compute", LaneKind::Device);
  TraceWork work;
  work.grid = {64, 2, 1};
  const uint32_t step = builder.record({builder.text("step 1"), builder.text("step")});
  const uint32_t launch = builder.record({builder.text("launch"), builder.text("cuda_runtime")});
  (void)builder.addEvent(main, 0, 1'000'000, step);
  for (int i = 0; i < 3; ++i) {
    const std::string layer = "conv" + std::to_string(i + 1);
    TraceRecord kernel{builder.text("kernel of " + layer), builder.text("kernel")};
    kernel.layer = builder.text(layer);
    kernel.op = builder.text("conv2d");
    kernel.work = builder.work(work);
    const auto from = builder.addEvent(main, 100'000 + 300'000 * i, 50'000, launch);
    const auto to =
        builder.addEvent(stream, 200'000 + 250'000 * i, 240'000, builder.record(kernel));
    builder.addLink({main, stream, *from, *to});
  }
  builder.addMark(main, 500'000, step);
  builder.addMark(std::nullopt, 600'000, step);
  return builder.finish();
}

TracePointer randomTrace(unsigned seed, int numEvents) {
  TraceBuilder builder;
  std::mt19937 random(seed);
  const uint32_t process = builder.addProcess("host");
  for (int lane = 0; lane < 4; ++lane) {
    const uint32_t index = *builder.addLane(process, "lane");
    int64_t last = 0;
    for (int i = 0; i < numEvents; ++i) {
      const bool touches = random() % 3 == 0;
      const int64_t begin = touches ? last : static_cast<int64_t>(random() % 100'000);
      const auto duration =
          static_cast<int64_t>(random() % 4 == 0 ? 0 : random() % (random() % 9 == 0 ? 5'000 : 60));
      last = begin + duration;
      const uint32_t name = builder.text("event " + std::to_string(random() % 40));
      const uint32_t category = builder.text(random() % 2 == 0 ? "kernel" : "cpu_op");
      (void)builder.addEvent(index, begin, duration, builder.record({name, category}));
    }
    // One huge event over many small ones
    (void)builder.addEvent(index, 10'000, 70'000, builder.record({builder.text("huge")}));
  }
  return builder.finish();
}

/// Returns the index of the event that takes most of a pixel, after looking at all events.
std::optional<size_t> longestIn(const TraceRow& row, double begin, double end) {
  std::optional<size_t> best;
  double most = -1;
  for (size_t i = 0; i < row.events.size(); ++i) {
    const auto from = static_cast<double>(row.events[i].begin());
    const auto to = static_cast<double>(row.events[i].end());
    const double covered = std::min(to, end) - std::max(from, begin);
    const bool isPoint = from == to && from >= begin && from < end;
    if ((covered <= 0 && !isPoint) || covered <= most) continue;
    most = covered;
    best = i;
  }
  return best;
}

/// Draws pixel by pixel.
QImage slowPicture(TimelinePicture& picture, const TimelineRange& range) {
  QImage image(picture.image().size(), QImage::Format_RGB32);
  image.setDevicePixelRatio(range.ratio);
  image.fill(picture.background());
  const auto scaled = [&](int place) {
    return static_cast<int>(std::lround((place - range.top) * range.ratio));
  };
  for (const TimelineRow& row : picture.rows()) {
    if (row.kind != TimelineRow::Kind::Events) continue;
    const TraceRow& events = picture.trace()->lanes[row.owner]->rows[row.row];
    std::vector<std::optional<size_t>> columns;
    for (int x = 0; x < image.width(); ++x)
      columns.push_back(
          longestIn(events, range.begin + x * range.step, range.begin + (x + 1) * range.step));
    for (size_t x = 0; x < columns.size(); ++x) {
      if (!columns[x]) continue;
      const bool isFirst = x == 0 || columns[x - 1] != columns[x];
      const bool isEdge = isFirst && x + 2 < columns.size() && columns[x + 1] == columns[x] &&
                          columns[x + 2] == columns[x];
      const QRgb color = picture.colorOf(events.events[*columns[x]], isEdge);
      for (int y = std::max(0, scaled(row.top)); y < std::min(image.height(), scaled(row.top + 16));
           ++y)
        image.setPixel(static_cast<int>(x), y, color);
    }
  }
  return image;
}

/// A timeline between two buttons.
class TimelineWindow : public QWidget {
 public:
  explicit TimelineWindow(const TracePointer& trace) : view(new TimelineView(this)) {
    auto* layout = new QVBoxLayout(this);
    layout->addWidget(view);
    layout->addWidget(after);
    resize(1000, 500);
    show();
    (void)QTest::qWaitForWindowActive(this);
    view->setTrace(trace);
    view->setFocus();
    QTest::qWait(20);
  }
  QPoint middleOf(const EventPlace& place) const { return view->areaOf(place).center(); }
  void wheel(const QPoint& place, int notches, Qt::KeyboardModifiers modifiers = {}) {
    QWheelEvent event(QPointF(place), QPointF(view->viewport()->mapToGlobal(place)), {},
                      QPoint(0, 120 * notches), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
    QApplication::sendEvent(view->viewport(), &event);
  }
  void drag(const QPoint& from, const QPoint& to, Qt::KeyboardModifiers modifiers = {}) {
    QWidget* target = view->viewport();
    QTest::mousePress(target, Qt::LeftButton, modifiers, from);
    QTest::mouseMove(target, (from + to) / 2);
    QTest::qWait(10);
    QTest::mouseMove(target, to);
    QTest::qWait(10);
    QTest::mouseRelease(target, Qt::LeftButton, modifiers, to);
  }
  TimelineView* const view;
  QPushButton* const after = new QPushButton(u"After"_s, this);
};

const EventPlace kFirstKernel{1, 0, 0}, kSecondKernel{1, 0, 1}, kFirstLaunch{0, 1, 0};

}  // namespace

class TestTimeline : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void thePictureEqualsAPlainScan() {
    std::mt19937 random(7);
    for (unsigned seed = 0; seed < 12; ++seed) {
      TimelinePicture picture;
      picture.setTrace(randomTrace(seed, seed % 3 == 0 ? 3000 : 200));
      picture.setColors(seed % 2 == 0, Qt::white);
      for (const double step : {0.3, 1.0, 7.7, 80.0, 900.0}) {
        TimelineRange range;
        range.begin = static_cast<double>(random() % 90'000) - 5'000;
        range.step = step;
        range.top = static_cast<int>(random() % 60);
        range.size = QSize(150, 200);
        range.ratio = seed % 4 == 0 ? 2 : 1;
        picture.draw(range);
        QCOMPARE(picture.image(), slowPicture(picture, range));
        // The event under the mouse is the one whose colour is there
        for (int i = 0; i < 40; ++i) {
          const QPoint place(static_cast<int>(random() % 150), static_cast<int>(random() % 200));
          const auto found = picture.eventAt(range, place);
          const QPoint pixel(static_cast<int>(place.x() * range.ratio),
                             static_cast<int>(place.y() * range.ratio));
          const QRgb color = picture.image().pixel(pixel);
          if (!found) {
            QCOMPARE(color, picture.background());
            continue;
          }
          const TraceEvent& event = eventOf(*picture.trace(), *found);
          QVERIFY(color == picture.colorOf(event) || color == picture.colorOf(event, true));
        }
      }
    }
  }

  void theColorsFollowTheTheme() {
    TimelineWindow window(smallTrace());
    const auto pixel = [&] {
      return window.view->viewport()->grab().toImage().pixelColor(
          window.view->areaOf(kFirstKernel).bottomRight() - QPoint(20, 1));
    };
    const QColor light = pixel();
    const QPalette before = QApplication::palette();
    Theme theme(*qApp);
    theme.setMode(Theme::Mode::Dark);
    QTRY_VERIFY(pixel().lightness() < light.lightness() - 40);
    theme.setMode(Theme::Mode::Light);
    QTRY_COMPARE(pixel(), light);
    QApplication::setPalette(before);
  }

  void theWheelZoomsAtTheMouse() {
    TimelineWindow window(smallTrace());
    TimelineView& view = *window.view;
    QSignalSpy changed(&view, &TimelineView::viewChanged);
    const QPoint place = window.middleOf(kSecondKernel);
    const double span = view.end() - view.begin();
    window.wheel(place, 5);
    QVERIFY(view.end() - view.begin() < 0.4 * span);
    QVERIFY((window.middleOf(kSecondKernel) - place).manhattanLength() <= 3);
    QVERIFY(changed.count() > 0);
    const double begin = view.begin();
    window.wheel(place, -1, Qt::ShiftModifier);
    QVERIFY(view.begin() > begin);
    QTest::mouseDClick(view.viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(view.begin(), 0.0);
    QVERIFY(view.end() >= 1'000'000);
    // Never closer than the smallest span
    for (int i = 0; i < 30; ++i)
      window.wheel(place, 10);
    QCOMPARE(view.end() - view.begin(), 100.0);
  }

  void aDragMovesTheView() {
    TimelineWindow window(smallTrace());
    TimelineView& view = *window.view;
    view.setView(200'000, 600'000);
    const QPoint before = window.middleOf(kSecondKernel);
    QSignalSpy selected(&view, &TimelineView::eventSelected);
    window.drag(before, before - QPoint(100, 0));
    QCOMPARE(window.middleOf(kSecondKernel).x(), before.x() - 100);
    QCOMPARE(selected.count(), 0);
  }

  void aClickSelectsAnEventAndItsLinks() {
    TimelineWindow window(smallTrace());
    TimelineView& view = *window.view;
    QSignalSpy hovered(&view, &TimelineView::hovered);
    QSignalSpy selected(&view, &TimelineView::eventSelected);
    const QPoint place = window.middleOf(kSecondKernel);
    QTest::mouseMove(view.viewport(), place);
    QTRY_COMPARE(hovered.count(), 1);
    QCOMPARE(hovered[0][0].toString(), u"conv2"_s);
    const QImage before = view.viewport()->grab().toImage();
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, place);
    QCOMPARE(selected.count(), 1);
    QCOMPARE(selected[0][0].toString(), u"conv2"_s);
    QVERIFY(view.selected() == kSecondKernel);
    // A line between the launch and the kernel
    const QPoint launch = window.middleOf(EventPlace{0, 1, 1});
    const QPoint between = (launch + place) / 2;
    const QImage after = view.viewport()->grab().toImage();
    bool isLine = false;
    for (int x = between.x() - 3; x <= between.x() + 3; ++x)
      isLine |= before.pixel(x, between.y()) != after.pixel(x, between.y());
    QVERIFY(isLine);
    QVERIFY(view.accessibleDescription().contains(u"conv2"_s));
    const QString tip = view.describe(kSecondKernel);
    for (const QString& part :
         {u"kernel of conv2"_s, u"conv2d"_s, u"240.000 µs"_s, u"64 × 2 × 1"_s})
      QVERIFY2(tip.contains(part), qPrintable(tip));
    // A click on nothing
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, QPoint(200, view.height() - 10));
    QVERIFY(!view.selected());
    QCOMPARE(selected.last()[0].toString(), QString());
  }

  void aDragWithShiftSelectsARange() {
    TimelineWindow window(smallTrace());
    TimelineView& view = *window.view;
    QSignalSpy range(&view, &TimelineView::rangeSelected);
    const QRect area = view.areaOf(kFirstKernel);
    window.drag(area.topRight(), area.topLeft(), Qt::ShiftModifier);
    QCOMPARE(range.count(), 1);
    const double pixel = (view.end() - view.begin()) / (view.viewport()->width() - 204);
    QVERIFY(std::abs(range[0][0].toDouble() - 200'000) <= 2 * pixel);
    QVERIFY(std::abs(range[0][1].toDouble() - 440'000) <= 2 * pixel);
    QCOMPARE(view.begin(), 0.0);
    QTest::mouseClick(view.viewport(), Qt::LeftButton, {}, area.center());
    QCOMPARE(range.last()[0].toLongLong(), range.last()[1].toLongLong());
  }

  void keys() {
    TimelineWindow window(smallTrace());
    TimelineView& view = *window.view;
    const double span = view.end() - view.begin();
    QTest::keyClick(&view, Qt::Key_Plus);
    QCOMPARE(view.end() - view.begin(), span / 2);
    const double begin = view.begin();
    QTest::keyClick(&view, Qt::Key_Right);
    QCOMPARE(view.begin(), begin + 0.05 * span);
    QTest::keyClick(&view, Qt::Key_Left);
    QCOMPARE(view.begin(), begin);
    QTest::keyClick(&view, Qt::Key_Minus);
    QTest::keyClick(&view, Qt::Key_Minus);
    QCOMPARE(view.end() - view.begin(), span);
    QTest::keyClick(&view, Qt::Key_Plus);
    QTest::keyClick(&view, Qt::Key_Home);
    QCOMPARE(view.end() - view.begin(), span);

    QTest::keyClick(&view, Qt::Key_Return);
    QVERIFY(view.selected());
    view.select(kFirstKernel);
    view.setView(0, 300'000);
    QTest::keyClick(&view, Qt::Key_Tab);
    QVERIFY(view.selected() == kSecondKernel);
    // The selected event is in view
    QVERIFY(view.areaOf(kSecondKernel).left() < view.viewport()->width());
    QTest::keyClick(&view, Qt::Key_Tab);
    QTest::keyClick(&view, Qt::Key_Backtab, Qt::ShiftModifier);
    QVERIFY(view.selected() == kSecondKernel);
    QTest::keyClick(&view, Qt::Key_Tab);
    QVERIFY(view.hasFocus());
    // After the last event, the focus goes on
    QTest::keyClick(&view, Qt::Key_Tab);
    QVERIFY(window.after->hasFocus());
    view.setFocus();
    QTest::keyClick(&view, Qt::Key_Escape);
    QVERIFY(!view.selected());
    QTest::keyClick(&view, Qt::Key_Tab);
    QVERIFY(window.after->hasFocus());
  }

  void snapshotsKeepTheViewAndTheSelection() {
    TraceBuilder builder;
    const uint32_t lane = *builder.addLane(builder.addProcess("host"), "main");
    for (int i = 0; i < 100; ++i)
      (void)builder.addEvent(lane, 1000 * i, 500, 0);
    TimelineWindow window(builder.snapshot());
    TimelineView& view = *window.view;
    const double end = view.end();
    view.select(EventPlace{0, 0, 5});
    // An event that contains the others moves them to the second row
    (void)builder.addEvent(lane, 0, 200'000, 0);
    view.setTrace(builder.snapshot(), true);
    QVERIFY(view.selected() == (EventPlace{0, 1, 5}));
    QVERIFY(view.end() > end);
    view.setView(1000, 9000);
    (void)builder.addEvent(lane, 300'000, 100, 0);
    view.setTrace(builder.finish(), true);
    QCOMPARE(view.begin(), 1000.0);
    QCOMPARE(view.end(), 9000.0);
    view.setTrace(nullptr);
    QTest::keyClick(&view, Qt::Key_Plus);
    QTest::keyClick(&view, Qt::Key_Return);
    (void)view.grab();
    QVERIFY(!view.selected());
  }

  void theTableHasTheEventsInView() {
    TimelineWindow window(smallTrace());
    TimelineTable* table = window.view->table();
    const QAbstractItemModelTester tester(table);
    QTRY_COMPARE(table->rowCount(), 7);
    window.view->setView(210'000, 300'000);
    QTRY_COMPARE(table->rowCount(), 2);
    QCOMPARE(table->index(1, TimelineTable::Name).data().toString(), u"kernel of conv1"_s);
    QCOMPARE(table->index(1, TimelineTable::Layer).data().toString(), u"conv1"_s);
    QCOMPARE(table->index(1, TimelineTable::Duration).data().toString(), u"240.000 µs"_s);
    QVERIFY(!window.view->accessibleName().isEmpty());
    window.view->setTrace(randomTrace(1, 3000));
    QTRY_VERIFY(table->rowCount() > 100);
    QVERIFY(table->rowCount() <= TimelineTable::kMaxRows);
  }

  void labelsOfTheAxisAdapt() {
    const auto labels = [](double begin, double end) {
      QStringList list;
      const TimeAxis axis = timeAxis(begin, end, (end - begin) / 5);
      for (const TimeAxis::Mark& mark : axis.marks)
        list << mark.label;
      return axis.base + u"|"_s + list.join(u' ');
    };
    QCOMPARE(labels(0, 10e9), u"|0 s 2 s 4 s 6 s 8 s"_s);
    QCOMPARE(labels(0, 1e6), u"|0 µs 200 µs 400 µs 600 µs 800 µs"_s);
    QCOMPARE(labels(0, 1e3), u"|0 ns 200 ns 400 ns 600 ns 800 ns"_s);
    QCOMPARE(labels(12.345678e9, 12.345688e9),
             u"12.345 s|+678 µs +680 µs +682 µs +684 µs +686 µs"_s);
  }
};

QTEST_MAIN(TestTimeline)
#include "tst_timeline.moc"
