// SPDX-License-Identifier: GPL-3.0-or-later
// Formats numbers, sizes, durations, shapes and sentences of core for a person, in the locale of
// the window. Not for files. Thread: any.
#pragma once

#include <QString>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/project/text.h"
#include "gpu/tensor/shape.h"

namespace strata {
struct Diagnostic;
}

namespace strata::ui {

inline QString text(const std::string& utf8) { return QString::fromStdString(utf8); }

/// A translated sentence of core, with its arguments inserted
QString translated(const Text& sentence, const Arguments& arguments = {});

QString translated(const Diagnostic& problem);

/// Translated words of core or the engine, such as "a list of numbers"
QString translatedWords(const std::string& words);

/// As rich text: predicted values are in italics, measured ones are upright
QString italic(const QString& words);

// 93,322
QString formatCount(int64_t count);
/// Selects singular or plural; the number itself is written by formatCount.
int pluralOf(int64_t count);
// "1 parameter", "93,322 parameters"
QString parametersText(int64_t count);
// 12.5 M
QString formatMagnitude(double value);
// 28 MiB, 7.6 GiB
QString formatBytes(double bytes);
// 0.88 ms, 11 s, 2 min 5 s
QString formatSeconds(double seconds);
// 0:07, 1:02:03
QString formatClock(double seconds);
// Just now, 10 s ago, 3 min ago
QString formatAgo(double seconds);
QString formatPercent(double fraction, int decimals = 1);
// 24,100 (three significant digits)
QString formatRate(double perSecond);
// 0.04812, with at most `digits` significant digits
QString formatValue(double value, int digits = 4);
// "Mean absolute error"; "Accuracy" for every kind of accuracy
QString metricTitle(const std::string& name);
// 28 × 28 × 1; "scalar" without dimensions
QString formatShape(const Shape& shape);
QString formatShape(const std::vector<int64_t>& dims);

}  // namespace strata::ui
