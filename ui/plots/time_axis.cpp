// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/time_axis.h"

#include <QCoreApplication>
#include <QLocale>
#include <cmath>

#include "ui/format.h"

namespace strata::ui {

namespace {

struct Unit {
  double nanoseconds;
  const char* text;
};
constexpr Unit kUnits[] = {{1e9, QT_TRANSLATE_NOOP("TimeAxis", "%1 s")},
                           {1e6, QT_TRANSLATE_NOOP("TimeAxis", "%1 ms")},
                           {1e3, QT_TRANSLATE_NOOP("TimeAxis", "%1 µs")},
                           {1, QT_TRANSLATE_NOOP("TimeAxis", "%1 ns")}};

/// Returns the largest unit that is at most as long as the time.
const Unit& unitFor(double nanoseconds) {
  for (const Unit& unit : kUnits)
    if (nanoseconds >= unit.nanoseconds) return unit;
  return kUnits[3];
}

QString withUnit(const QString& number, const Unit& unit) {
  return QCoreApplication::translate("TimeAxis", unit.text).arg(number);
}

double roundStep(double minGap) {
  const double power = std::pow(10.0, std::floor(std::log10(minGap)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= minGap * (1 - 1e-9)) return std::max(1.0, factor * power);
  return std::max(1.0, 10 * power);
}

}  // namespace

TimeAxis timeAxis(double begin, double end, double minGap) {
  TimeAxis axis;
  const double step = roundStep(minGap);
  const Unit& unit = unitFor(step);
  // Numbers of up to five digits stay as they are
  constexpr double kMostDigits = 1e5;
  double base = 0;
  if (std::max(std::abs(begin), std::abs(end)) >= kMostDigits * unit.nanoseconds) {
    const double unitOfBase = 1000 * unit.nanoseconds;
    base = std::floor(begin / unitOfBase) * unitOfBase;
    int decimals = 0;
    for (double each = unitOfBase; each < kUnits[0].nanoseconds; each *= 10)
      ++decimals;
    const double seconds = base / kUnits[0].nanoseconds;
    axis.base = withUnit(QLocale().toString(seconds, 'f', decimals), kUnits[0]);
  }
  constexpr int kMostMarks = 1000;
  for (int i = 0; i < kMostMarks; ++i) {
    const double time = (std::ceil(begin / step) + i) * step;
    if (time >= end) break;
    const QString number = formatCount(std::llround((time - base) / unit.nanoseconds));
    const QString label = withUnit(number, unit);
    axis.marks.push_back({time, base != 0 ? QStringLiteral("+") + label : label});
  }
  return axis;
}

QString formatNanoseconds(int64_t nanoseconds) {
  const Unit& unit = unitFor(std::abs(static_cast<double>(nanoseconds)));
  const double value = static_cast<double>(nanoseconds) / unit.nanoseconds;
  const QString number = QLocale().toString(value, 'f', unit.nanoseconds > 1 ? 3 : 0);
  return withUnit(number, unit);
}

}  // namespace strata::ui
