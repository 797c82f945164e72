// SPDX-License-Identifier: GPL-3.0-or-later
// Tests that the window is responsive while training uses every core. The test measures the
// processor time of each event, the gaps of a 5 ms timer compared with a control process, and how
// much redrawing slows training. STRATA_RESPONSIVENESS_SECONDS makes the tests long: the tour of
// all lenses takes so many seconds instead of 30, other runs 60 instead of 6, ten pairs of slices
// are measured instead of two, and limits are strict.
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <csignal>
#include <ctime>
#include <optional>
#include <vector>

#include <QApplication>
#include <QElapsedTimer>
#include <QTabBar>
#include <QTimer>
#include <QtTest>

#include <nlohmann/json.hpp>

#include "tests/ui/support/timed_application.h"
#include "tests/ui/support/window.h"
#include "ui/workspace/runs.h"

using namespace strata;
using namespace strata::ui;
using namespace Qt::StringLiterals;

namespace {

struct Gap {
  double begin, end;
};

/// A process that only wakes every 5 ms. The machine causes the gaps that this process measures.
class ControlProcess {
 public:
  ControlProcess()
      : m_shared(static_cast<Shared*>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE,
                                           MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    m_shared->count = 0;
    m_child = fork();
    if (m_child != 0) return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    double last = now(CLOCK_MONOTONIC);
    for (;;) {
      usleep(5000);
      const double time = now(CLOCK_MONOTONIC);
      if (const int index = m_shared->count.load();
          time - last > 0.020 && index < static_cast<int>(m_shared->gaps.size())) {
        m_shared->gaps[static_cast<size_t>(index)] = {last, time};
        m_shared->count = index + 1;
      }
      last = time;
    }
  }
  ~ControlProcess() {
    kill(m_child, SIGKILL);
    waitpid(m_child, nullptr, 0);
    munmap(m_shared, sizeof(Shared));
  }
  int count() const { return m_shared->count; }
  bool lost(const Gap& gap) const {
    for (int i = 0; i < m_shared->count; ++i) {
      const Gap& other = m_shared->gaps[static_cast<size_t>(i)];
      if (other.begin < gap.end && gap.begin < other.end) return true;
    }
    return false;
  }

 private:
  struct Shared {
    std::atomic<int> count;
    std::array<Gap, 100000> gaps;
  };
  Shared* m_shared;
  pid_t m_child = -1;
};

TimedApplication& application() { return *static_cast<TimedApplication*>(qApp); }

constexpr const char* kSeconds = "STRATA_RESPONSIVENESS_SECONDS";

bool isLong() { return qEnvironmentVariableIsSet(kSeconds); }
double tourSeconds() { return isLong() ? qgetenv(kSeconds).toDouble() : 30; }

QTabBar* lensTabs(const TestWindow& test) {
  return qobject_cast<QTabBar*>(test.named(u"Views of the run"_s));
}

/// Returns the memory of this process in bytes.
double residentBytes() {
  const QList<QByteArray> fields = bytesOf(u"/proc/self/statm"_s).split(' ');
  return fields.value(1).toDouble() * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Opens the lenses of a window one after the other, and notes the memory after the first round.
class LensTour {
 public:
  explicit LensTour(const TestWindow& test) : m_tabs(lensTabs(test)) {
    // Two rounds, and some time for a third one
    const double longest = tourSeconds() / (2 * m_tabs->count() + 3);
    m_timer.setInterval(static_cast<int>(1000 * std::min(5.0, longest)));
    QObject::connect(&m_timer, &QTimer::timeout, [this] {
      m_tabs->setCurrentIndex((m_tabs->currentIndex() + 1) % m_tabs->count());
      if (++m_shown == 2 * m_tabs->count()) m_bytes = residentBytes();
    });
    m_timer.start();
  }
  /// Returns how much memory was added after two rounds; 0 before.
  double growth() const { return m_bytes > 0 ? residentBytes() - m_bytes : 0; }

 private:
  QTabBar* m_tabs;
  QTimer m_timer;
  int m_shown = 0;
  double m_bytes = 0;
};

/// Trains the document for some time and measures the event loop. With `showsLenses`, opens every
/// lens in turn.
void watch(TestWindow& test, bool showsLenses = false) {
  const double seconds = showsLenses ? tourSeconds() : isLong() ? 60 : 6;
  RunController& run = test.window().runs().of(&test.document());
  ControlProcess control;
  test.window().runs().start(&test.document());
  test.window().showPage(PageId::Train);
  QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 0 || run.shown().outcome, 20000);
  // The first layout of the page is not part of the measurement.
  QTest::qWait(500);
  application().longest = 0;
  std::vector<Gap> gaps;
  double last = now(CLOCK_MONOTONIC);
  QTimer timer;
  timer.setTimerType(Qt::PreciseTimer);
  QObject::connect(&timer, &QTimer::timeout, [&] {
    const double time = now(CLOCK_MONOTONIC);
    gaps.push_back({last, time});
    last = time;
  });
  timer.start(5);
  std::optional<LensTour> tour;
  if (showsLenses) tour.emplace(test);
  const int64_t firstStep = run.shown().step;
  const double started = now(CLOCK_MONOTONIC);
  QTest::qWait(static_cast<int>(1000 * seconds));
  const double elapsed = now(CLOCK_MONOTONIC) - started;
  timer.stop();
  const int64_t steps = run.shown().step - firstStep;
  std::vector<double> counted;
  size_t excluded = 0;
  for (const Gap& gap : gaps) {
    if (gap.end - gap.begin > 0.020 && control.lost(gap))
      ++excluded;
    else
      counted.push_back(gap.end - gap.begin);
  }
  std::sort(counted.begin(), counted.end());
  QVERIFY(!counted.empty());
  const double p999 = counted[static_cast<size_t>(static_cast<double>(counted.size() - 1) * 0.999)];
  qInfo(
      "%.0f steps a second; longest dispatch %.1f ms of thread CPU (%s); wall gaps: p99.9 %.1f ms, "
      "longest %.1f ms, %zu left out because "
      "the control process lost time too (%d gaps of its own)",
      static_cast<double>(steps) / elapsed, 1000 * application().longest,
      application().longestName.constData(), 1000 * p999, 1000 * counted.back(), excluded,
      control.count());
  if (tour) {
    constexpr double kMiB = 1 << 20;
    const double series = static_cast<double>(run.shown().history.names().size());
    qInfo("memory: %.1f MiB more after all lenses, %.0f series", tour->growth() / kMiB, series);
    QVERIFY2(tour->growth() <= (20 + 2 * series) * kMiB, "the window takes more and more memory");
  }
  tour.reset();
  QVERIFY2(steps > 0 || run.shown().outcome, "the run made no step");
  // Other programs on the machine make shared cores slower
  QVERIFY2(application().longest < (isLong() ? 0.050 : kLongestDispatch),
           application().longestName.constData());
  if (isLong()) QVERIFY2(p999 < 0.100, "the window often waits");
  run.stop();
  QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
}

}  // namespace

class TestResponsiveness : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { prepareApplication(); }

  void convolutionsOnEveryCore() {
    TestWindow test;
    QVERIFY(test.document().submit(
        setValueEdit(test.document().json(), "/training/epochs", Json(1000))));
    QVERIFY(test.waitForInspection());
    watch(test);
  }

  void everyLensInTurn() {
    TestWindow test;
    QVERIFY(test.document().submit(
        setValueEdit(test.document().json(), "/training/epochs", Json(1000))));
    QVERIFY(test.waitForInspection());
    watch(test, true);
  }

  void thousandsOfStepsPerSecond() {
    TestWindow test(u"linear-regression.json"_s);
    QVERIFY(test.document().submit(
        setValueEdit(test.document().json(), "/training/epochs", Json(100'000'000))));
    QVERIFY(test.waitForInspection());
    watch(test);
  }

  void redrawingHardlySlowsTraining_data() {
    QTest::addColumn<int>("lens");
    QTest::addColumn<double>("least");
    constexpr double kOverview = 0.97, kOthers = 0.92;
    QTest::newRow("overview") << 0 << kOverview;
    // The other lenses only in long tests
    if (!isLong()) return;
    const char* const names[] = {"curves", "memory", "time", "layers", "devices"};
    for (int i = 0; i < 5; ++i)
      QTest::newRow(names[i]) << i + 1 << kOthers;
  }
  /// Alternates slices of a run with and without redrawing. The median ratio of the pairs is the
  /// share of the speed that remains with redrawing.
  void redrawingHardlySlowsTraining() {
    QFETCH(int, lens);
    QFETCH(double, least);
    TestWindow test;
    QVERIFY(test.waitForInspection());
    QVERIFY(test.document().submit(
        setValueEdit(test.document().json(), "/training/epochs", Json(1000))));
    QVERIFY(test.waitForInspection());
    RunController& run = test.window().runs().of(&test.document());
    test.window().runs().start(&test.document());
    test.window().showPage(PageId::Train);
    QTRY_VERIFY_WITH_TIMEOUT(run.shown().step > 20, 30000);
    lensTabs(test)->setCurrentIndex(lens);
    const auto slice = [&](bool isRedrawing) {
      run.setRedrawing(isRedrawing);
      // The wait lets the last redraw and the last steps finish.
      QTest::qWait(600);
      const int64_t first = run.shown().step;
      // The time of training, because a validation may be in one slice and not in the other
      const double started = run.shown().history.clock().lastSeconds();
      QTest::qWait(2000);
      return static_cast<double>(run.shown().step - first) /
             (run.shown().history.clock().lastSeconds() - started);
    };
    const int pairs = isLong() ? 10 : 2;
    std::vector<double> ratios;
    for (int i = 0; i < pairs; ++i) {
      const bool isOnFirst = i % 2 == 0;
      const double first = slice(isOnFirst), second = slice(!isOnFirst);
      QVERIFY(first > 0 && second > 0);
      ratios.push_back(isOnFirst ? first / second : second / first);
    }
    std::sort(ratios.begin(), ratios.end());
    const double median = 0.5 * (ratios[(ratios.size() - 1) / 2] + ratios[ratios.size() / 2]);
    qInfo("throughput with redraw on / off: median %.3f of %d pairs, lowest %.3f, highest %.3f",
          median, pairs, ratios.front(), ratios.back());
    if (isLong()) QVERIFY2(median >= least, "redrawing takes too much of the training's speed");
    run.stop();
    QTRY_VERIFY_WITH_TIMEOUT(!run.isActive(), 10000);
  }
};

int main(int argc, char** argv) {
  // All rows of a function together; the usual limit is five minutes
  if (isLong()) qputenv("QTEST_FUNCTION_TIMEOUT", "7200000");
  TimedApplication timed(argc, argv);
  TestResponsiveness test;
  return QTest::qExec(&test, argc, argv);
}
#include "tst_responsiveness.moc"
