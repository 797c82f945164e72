// SPDX-License-Identifier: GPL-3.0-or-later
// Formats numbers, sizes, durations, shapes and the sentences of core for display, in the locale of
// the window. Do not use these functions for files. Thread: any.
#pragma once

#include <QString>
#include <QStringList>
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

/// Translates a sentence of core and inserts its arguments.
QString translated(const Text& sentence, const Arguments& arguments = {});

QString translated(const Diagnostic& problem);

/// Translates words of core or the engine, such as "a list of numbers".
QString translatedWords(const std::string& words);

/// Returns the spaces after which a text with `number` is as wide as with `widest`, in a font whose
/// digits have equal widths.
QString padding(const QString& number, const QString& widest);
/// Returns rich text in italics. Predicted values are in italics, and measured ones are upright.
QString italic(const QString& words);

/// Joins the parts of a list, such as "a, b, c".
QString listed(const QStringList& parts);

/// Formats a count, for example "93,322".
QString formatCount(int64_t count);
/// Converts a count to int, from which tr() selects singular or plural. formatCount() formats the
/// number itself.
int pluralOf(int64_t count);
/// Formats a number of parameters, for example "1 parameter" or "93,322 parameters".
QString parametersText(int64_t count);
/// Formats a large number with a unit prefix, for example "12.5 M".
QString formatMagnitude(double value);
/// Formats a number of bytes, for example "28 MiB" or "7.6 GiB".
QString formatBytes(double bytes);
/// Formats a duration with units, for example "0.88 ms", "11 s" or "2 min 5 s".
QString formatSeconds(double seconds);
/// Formats a duration as a clock, for example "0:07" or "1:02:03".
QString formatClock(double seconds);
/// Describes how long ago something happened, for example "Just now", "10 s ago" or "3 min ago".
QString formatAgo(double seconds);
QString formatPercent(double fraction, int decimals = 1);
/// Formats a share as formatPercent(), but "<1%" or "<0.1%" if it is small and not 0.
QString formatShare(double fraction, int decimals = 1);
/// Formats a rate with three significant digits, for example "24,100".
QString formatRate(double perSecond);
/// Formats a value with at most `digits` significant digits, for example "0.04812".
QString formatValue(double value, int digits = 4);
/// Returns the title of a metric, such as "Mean absolute error". Every kind of accuracy is called
/// "Accuracy".
QString metricTitle(const std::string& name);
/// Formats a shape, for example "28 × 28 × 1". Returns "scalar" if there are no dimensions.
QString formatShape(const Shape& shape);
QString formatShape(const std::vector<int64_t>& dims);

}  // namespace strata::ui
