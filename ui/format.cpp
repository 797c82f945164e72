// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/format.h"

#include <QCoreApplication>
#include <QLocale>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/project/diagnostic.h"
#include "core/recipe/metrics.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct Format {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::Format)
};

/// Formats a value with `digits` significant digits and without an exponent.
QString significant(double value, int digits) {
  const double magnitude = std::abs(value);
  // The number of digits before the decimal point. It is zero or negative for values below 1.
  const int before = magnitude == 0 ? 1 : static_cast<int>(std::floor(std::log10(magnitude))) + 1;
  return QLocale().toString(value, 'f', std::clamp(digits - before, 0, 12));
}

}  // namespace

QString translatedWords(const std::string& words) {
  return words.empty() ? QString() : QCoreApplication::translate("argument", words.c_str());
}

QString translated(const Text& sentence, const Arguments& arguments) {
  // All placeholders are replaced in one pass, so that a %1 inside an argument stays unchanged.
  const QString pattern = QCoreApplication::translate(sentence.context, sentence.source);
  QString out;
  out.reserve(pattern.size() + 32);
  for (qsizetype i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == u'%' && i + 1 < pattern.size() && pattern[i + 1].isDigit()) {
      size_t index = 0;
      qsizetype end = i + 1;
      while (end < pattern.size() && end < i + 3 && pattern[end].isDigit())
        index = index * 10 + static_cast<size_t>(pattern[end++].digitValue());
      if (index >= 1 && index <= arguments.size()) {
        const Argument& argument = arguments[index - 1];
        out += argument.isWords() ? translatedWords(argument.text()) : text(argument.text());
        i = end - 1;
        continue;
      }
    }
    out += pattern[i];
  }
  return out;
}

QString translated(const Diagnostic& problem) {
  QString result = translated(problem.message, problem.arguments);
  for (Phrase outer : problem.around) {
    outer.arguments.push_back(result.toStdString());
    result = translated(outer.text, outer.arguments);
  }
  return result;
}

QString formatCount(int64_t count) { return QLocale().toString(static_cast<qlonglong>(count)); }

int pluralOf(int64_t count) {
  return static_cast<int>(std::clamp<int64_t>(count, 0, std::numeric_limits<int>::max()));
}

QString italic(const QString& words) { return u"<i>%1</i>"_s.arg(words.toHtmlEscaped()); }

QString parametersText(int64_t count) {
  return Format::tr("%1 parameter(s)", nullptr, pluralOf(count)).arg(formatCount(count));
}

QString formatMagnitude(double value) {
  struct Unit {
    double scale;
    const char* pattern;
  };
  static constexpr Unit kUnits[] = {{1e12, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 T")},
                                    {1e9, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 G")},
                                    {1e6, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 M")},
                                    {1e3, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 k")}};
  for (const Unit& unit : kUnits) {
    if (std::abs(value) >= unit.scale * 0.9995)
      return Format::tr(unit.pattern).arg(significant(value / unit.scale, 3));
  }
  return formatCount(std::llround(value));
}

QString formatBytes(double bytes) {
  struct Unit {
    double scale;
    const char* pattern;
  };
  static constexpr Unit kUnits[] = {
      {1024.0 * 1024 * 1024 * 1024, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 TiB")},
      {1024.0 * 1024 * 1024, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 GiB")},
      {1024.0 * 1024, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 MiB")},
      {1024.0, QT_TRANSLATE_NOOP("strata::ui::Format", "%1 KiB")}};
  for (const Unit& unit : kUnits) {
    if (bytes >= unit.scale) {
      const double value = bytes / unit.scale;
      return Format::tr(unit.pattern).arg(QLocale().toString(value, 'f', value < 9.95 ? 1 : 0));
    }
  }
  return Format::tr("%1 B").arg(formatCount(std::llround(bytes)));
}

QString formatSeconds(double seconds) {
  if (seconds <= 0) return Format::tr("0 s");
  if (seconds < 1e-3)
    return Format::tr("%1 µs").arg(significant(seconds * 1e6, seconds < 1e-5 ? 2 : 3));
  if (seconds < 0.9995)
    return Format::tr("%1 ms").arg(significant(seconds * 1e3, seconds < 1e-2 ? 3 : 2));
  if (seconds < 9.95) return Format::tr("%1 s").arg(QLocale().toString(seconds, 'f', 1));
  if (seconds < 119.5) return Format::tr("%1 s").arg(formatCount(std::llround(seconds)));
  const int64_t whole = std::llround(seconds);
  if (whole < 7200)
    return Format::tr("%1 min %2 s").arg(formatCount(whole / 60), formatCount(whole % 60));
  return Format::tr("%1 h %2 min").arg(formatCount(whole / 3600), formatCount(whole % 3600 / 60));
}

QString formatClock(double seconds) {
  const int64_t whole = std::max<int64_t>(0, std::llround(seconds));
  const QChar zero = u'0';
  if (whole < 3600) return u"%1:%2"_s.arg(whole / 60).arg(whole % 60, 2, 10, zero);
  return u"%1:%2:%3"_s.arg(whole / 3600)
      .arg(whole % 3600 / 60, 2, 10, zero)
      .arg(whole % 60, 2, 10, zero);
}

QString padding(const QString& number, const QString& widest) {
  constexpr QChar kFigureSpace(0x2007), kPunctuationSpace(0x2008);
  QString spaces;
  for (qsizetype i = 0; i + number.size() < widest.size(); ++i)
    spaces += widest[i].isDigit() ? kFigureSpace : kPunctuationSpace;
  return spaces;
}

QString listed(const QStringList& parts) {
  QString words = parts.value(0);
  for (const QString& part : parts.mid(1))
    words = Format::tr("%1, %2").arg(words, part);
  return words;
}

QString formatAgo(double seconds) {
  if (seconds < 5) return Format::tr("just now");
  if (seconds < 60) return Format::tr("%1 s ago").arg(static_cast<int>(seconds) / 5 * 5);
  if (seconds < 3600) return Format::tr("%n min ago", nullptr, static_cast<int>(seconds / 60));
  return Format::tr("%n h ago", nullptr, static_cast<int>(seconds / 3600));
}

QString formatPercent(double fraction, int decimals) {
  return Format::tr("%1%").arg(QLocale().toString(fraction * 100, 'f', decimals));
}

QString formatShare(double fraction, int decimals) {
  const double least = std::pow(10.0, -2 - decimals);
  if (fraction > 0 && fraction < least / 2)
    return Format::tr("<%1").arg(formatPercent(least, decimals));
  return formatPercent(fraction, decimals);
}

QString formatRate(double perSecond) {
  if (perSecond < 100) return significant(perSecond, 3);
  const double step = std::pow(10.0, std::floor(std::log10(perSecond)) - 2);
  return formatCount(std::llround(std::round(perSecond / step) * step));
}

QString formatValue(double value, int digits) {
  if (std::isnan(value)) return Format::tr("not a number");
  if (std::isinf(value)) return value > 0 ? Format::tr("infinity") : Format::tr("minus infinity");
  const double magnitude = std::abs(value);
  if (magnitude != 0 && (magnitude < 1e-4 || magnitude >= 1e7))
    return QLocale().toString(value, 'g', digits);
  QString words = significant(value, digits);
  // Remove trailing zeros: 0.001 instead of 0.001000.
  if (const QString point = QLocale().decimalPoint(); words.contains(point)) {
    while (words.endsWith(u'0'))
      words.chop(1);
    if (words.endsWith(point)) words.chop(point.size());
  }
  return words;
}

QString metricTitle(const std::string& name) {
  const bool isKnown = name == "loss" || name == "accuracy" || findMetric(name);
  if (isKnown && name.ends_with("accuracy")) return Format::tr("Accuracy");
  constexpr std::string_view kWeighted = "weighted_";
  if (name.starts_with(kWeighted))
    return Format::tr("Weighted %1").arg(metricTitle(name.substr(kWeighted.size())).toLower());
  // Some metrics start with the name of an output, such as cls_accuracy.
  for (size_t at = name.find('_'); !isKnown && at != std::string::npos;
       at = name.find('_', at + 1)) {
    const std::string rest = name.substr(at + 1);
    if (rest == "loss" || rest == "accuracy" || rest.starts_with(kWeighted) || findMetric(rest))
      return Format::tr("%1: %2").arg(text(name.substr(0, at)), metricTitle(rest).toLower());
  }
  [[maybe_unused]] static constexpr const char* kKnown[] = {
      QT_TRANSLATE_NOOP("strata::ui::Format", "Mean absolute error"),
      QT_TRANSLATE_NOOP("strata::ui::Format", "Mean squared error"),
      QT_TRANSLATE_NOOP("strata::ui::Format", "Loss")};
  const QString words = text(name).replace(u'_', u' ');
  return Format::tr((words.left(1).toUpper() + words.mid(1)).toUtf8().constData());
}

QString formatShape(const std::vector<int64_t>& dims) {
  if (dims.empty()) return Format::tr("scalar");
  QStringList parts;
  for (const int64_t dim : dims)
    parts << QString::number(dim);
  return parts.join(u" × "_s);
}

QString formatShape(const Shape& shape) {
  return formatShape(std::vector<int64_t>(shape.dims().begin(), shape.dims().end()));
}

}  // namespace strata::ui
