// SPDX-License-Identifier: GPL-3.0-or-later
#include <QtTest>
#include <array>
#include <cmath>
#include <limits>
#include <thread>

#include "ui/run/metric_history.h"

using namespace strata::ui;

class TestMetricHistory : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void envelopeHoldsEveryExtreme_data();
  void envelopeHoldsEveryExtreme();
  void memoryIsBounded();
  void nonFiniteValuesAreMarks();
  void smoothingStartsAsAPlainMean();
  void smoothingOfEachWeightIsThatOfTheSteps();
  void theClockFollowsStepsAndTimes();
  void allStagedRowsArriveInOrder();
};

static double wave(int64_t i) {
  return std::sin(static_cast<double>(i) * 0.01) + 0.3 * std::sin(static_cast<double>(i) * 1.7);
}

void TestMetricHistory::envelopeHoldsEveryExtreme_data() {
  QTest::addColumn<int>("count");
  QTest::addColumn<int>("columns");
  for (int count : {1, 2, 3, 99, 65536, 65537, 131073, 1000000})
    for (int columns : {1, 7, 500})
      QTest::addRow("%d steps, %d columns", count, columns) << count << columns;
}

void TestMetricHistory::envelopeHoldsEveryExtreme() {
  QFETCH(int, count);
  QFETCH(int, columns);
  MetricSeries series;
  float low = std::numeric_limits<float>::max(), high = std::numeric_limits<float>::lowest();
  for (int i = 1; i <= count; ++i) {
    // Decimation must not lose this single spike.
    const double value = i == count / 2 ? 9.0 : wave(i);
    series.append(i, value);
    low = std::min(low, static_cast<float>(value));
    high = std::max(high, static_cast<float>(value));
  }
  const auto points = series.envelope(0, count, columns);
  QVERIFY(!points.empty());
  QVERIFY(static_cast<int>(points.size()) <= 2 * columns + 2);
  float foundLow = std::numeric_limits<float>::max(),
        foundHigh = std::numeric_limits<float>::lowest();
  for (size_t i = 0; i < points.size(); ++i) {
    foundLow = std::min(foundLow, static_cast<float>(points[i].value));
    foundHigh = std::max(foundHigh, static_cast<float>(points[i].value));
    if (i > 0) QVERIFY(points[i].step >= points[i - 1].step);
  }
  QCOMPARE(foundLow, low);
  QCOMPARE(foundHigh, high);
  QCOMPARE(series.count(), static_cast<size_t>(count));
}

void TestMetricHistory::memoryIsBounded() {
  MetricSeries series;
  for (int i = 1; i <= 3'000'000; ++i)
    series.append(i, wave(i));
  QVERIFY(series.envelope(0, 3e6, 1 << 20).size() <= 2 * MetricSeries::kMaxBuckets);
  QCOMPARE(series.lastStep(), 3e6);
}

void TestMetricHistory::nonFiniteValuesAreMarks() {
  MetricSeries series;
  series.append(1, 0.5);
  series.append(2, std::nan(""));
  series.append(3, std::numeric_limits<double>::infinity());
  series.append(4, 0.25);
  QCOMPARE(series.nonFiniteSteps(), (std::vector<double>{2, 3}));
  for (const CurvePoint& point : series.envelope(0, 4, 10))
    QVERIFY(std::isfinite(point.value));
  QCOMPARE(series.lastValue(), 0.25);
}

void TestMetricHistory::smoothingStartsAsAPlainMean() {
  MetricSeries series;
  series.setSmoothingSteps(50);
  series.append(1, 4);
  series.append(2, 2);
  QCOMPARE(series.lastSmoothed(), 3.0);
  series.append(3, 0);
  QCOMPARE(series.lastSmoothed(), 2.0);
  // A run that ends at a small part of its plan has an average that follows it
  MetricSeries falling;
  falling.setSmoothingSteps(8'440);
  for (int step = 1; step <= 500; ++step)
    falling.append(step, 2.3 * std::exp(-0.01 * step));
  QVERIFY2(falling.lastSmoothed() < 0.03, qPrintable(QString::number(falling.lastSmoothed())));
}

void TestMetricHistory::smoothingOfEachWeightIsThatOfTheSteps() {
  for (const int count : {1, 100, 300'000}) {
    MetricSeries series;
    std::array<double, 3> sums{}, pasts{1, 1, 1};
    constexpr std::array kWeights{0.3, 0.9, 0.999};
    for (int step = 1; step <= count; ++step) {
      const double value = 1.0 / step + 0.1 * std::sin(0.001 * step);
      series.append(step, value);
      for (size_t i = 0; i < kWeights.size(); ++i) {
        sums[i] = kWeights[i] * sums[i] + (1 - kWeights[i]) * value;
        pasts[i] *= kWeights[i];
      }
    }
    for (size_t i = 0; i < kWeights.size(); ++i) {
      const double expected = sums[i] / (1 - pasts[i]),
                   smoothed = series.lastSmoothed(Smoothing::ofWeight(kWeights[i]));
      // Buckets of several steps are smoothed as if each step had their mean
      QVERIFY2(std::abs(smoothed - expected) < (count > 65'536 ? 1e-3 : 1e-5),
               qPrintable(QString::number(smoothed - expected)));
    }
    QCOMPARE(series.lastSmoothed(Smoothing::none()), series.lastValue());
  }
}

void TestMetricHistory::theClockFollowsStepsAndTimes() {
  StepClock clock;
  QCOMPARE(clock.secondsAt(5), 0.0);
  // The second half of the steps takes ten times as long
  constexpr int kSteps = 100'000;
  double seconds = 0;
  for (int step = 1; step <= kSteps; ++step)
    clock.append(step, seconds += step <= kSteps / 2 ? 0.01 : 0.1);
  QCOMPARE(clock.lastSeconds(), seconds);
  QVERIFY(std::abs(clock.secondsAt(25'000) - 250) < 0.5);
  QVERIFY(std::abs(clock.secondsAt(75'000) - 3000) < 2);
  QVERIFY(std::abs(clock.stepAt(3000) - 75'000) < 20);
  for (const double step : {1.0, 777.0, 50'000.0, 99'999.0, 100'000.0})
    QVERIFY(std::abs(clock.stepAt(clock.secondsAt(step)) - step) < 1e-3);
  // The mean speed goes on after the last step
  QVERIFY(clock.secondsAt(2 * kSteps) > 1.9 * seconds);
}

void TestMetricHistory::allStagedRowsArriveInOrder() {
  StagedSteps staged;
  staged.reset(2);
  constexpr int kRows = 200000;
  std::thread producer([&] {
    for (int i = 0; i < kRows; ++i) {
      const double row[] = {static_cast<double>(i), -static_cast<double>(i)};
      staged.append(row);
    }
  });
  std::vector<double> rows;
  int expected = 0;
  while (expected < kRows) {
    QCOMPARE(staged.take(rows), size_t{2});
    for (size_t at = 0; at + 2 <= rows.size(); at += 2, ++expected) {
      if (rows[at] != expected || rows[at + 1] != -expected) producer.join();
      QCOMPARE(rows[at], static_cast<double>(expected));
      QCOMPARE(rows[at + 1], -static_cast<double>(expected));
    }
  }
  producer.join();
}

QTEST_APPLESS_MAIN(TestMetricHistory)
#include "tst_metric_history.moc"
