// SPDX-License-Identifier: GPL-3.0-or-later
// Ticks and labels of the axes of a metric plot. QCustomPlot calls them when it lays out an axis.
// Not here: the ranges of the axes (metric_plot.h, value_range.h). Thread: GUI thread.
#pragma once

#include "ui/plots/qcp.h"

namespace strata::ui {

/// Labels steps as epochs. The ticks are whole epochs, or fractions of an epoch if the range is
/// small.
class EpochTicker : public QCPAxisTicker {
 public:
  void setStepsPerEpoch(double steps) { m_stepsPerEpoch = steps; }

 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  double m_stepsPerEpoch = 1;
};

/// Labels the values 0 to 1 as 0% to 100%.
class PercentTicker : public QCPAxisTicker {
 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// Labels seconds with their unit, such as 40 µs.
class SecondsTicker : public QCPAxisTicker {
 protected:
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// Labels bytes, such as 512 MiB.
class BytesTicker : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

/// Labels counts with separators, such as 12,000.
class CountTicker : public QCPAxisTicker {
 public:
  /// With a horizontal axis, which must outlive the ticker, there are no more labels than fit.
  explicit CountTicker(const QCPAxis* axis = nullptr) : m_axis(axis) {}

 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;

 private:
  const QCPAxis* m_axis;
};

/// Labels seconds as durations, such as 0.5 s, 1:30 or 2:00:00.
class DurationTicker : public QCPAxisTicker {
 protected:
  double getTickStep(const QCPRange& range) override;
  QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
};

}  // namespace strata::ui
