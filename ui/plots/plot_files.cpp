// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_files.h"

#include <QPdfWriter>
#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/runs/history.h"
#include "gpu/base/error.h"
#include "ui/format.h"
#include "ui/plots/qcp.h"
#include "ui/run/history_filler.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMargin = 14, kGap = 8;

int headHeight(const PlotPicture& picture) {
  return picture.widget->fontMetrics().height() + kMargin + kGap;
}

QSize wholeSize(const PlotPicture& picture) {
  return {picture.size.width() + 2 * kMargin,
          picture.size.height() + headHeight(picture) + kMargin};
}

void drawWhole(const PlotPicture& picture, QPainter& painter) {
  const Colors& colors = colorsOf(picture.widget);
  const QFontMetrics metrics = picture.widget->fontMetrics();
  const QSize size = wholeSize(picture);
  painter.fillRect(QRect(QPoint(), size), colors.card);
  QFont bold = picture.widget->font();
  bold.setWeight(QFont::DemiBold);
  const int base = kMargin + metrics.ascent();
  painter.setFont(bold);
  painter.setPen(QPen(colors.text));
  painter.drawText(QPoint(kMargin, base), picture.caption.title);
  painter.setFont(picture.widget->font());
  int x = size.width() - kMargin;
  const auto& legend = picture.caption.legend;
  for (auto entry = legend.rbegin(); entry != legend.rend(); ++entry) {
    constexpr int kSample = 14, kBetween = 6, kBehind = 16;
    x -= metrics.horizontalAdvance(entry->words);
    painter.setPen(QPen(colors.muted));
    painter.drawText(QPoint(x, base), entry->words);
    x -= kSample + kBetween;
    painter.fillRect(QRect(x, base - metrics.ascent() / 2, kSample, 3), entry->color);
    x -= kBehind;
  }
  painter.translate(kMargin, headHeight(picture));
  picture.draw(painter);
}

QString writeVectors(const PlotPicture& picture, QSaveFile& file, bool isPdf) {
  const QSize size = wholeSize(picture);
  QCPPainter painter;
  QSvgGenerator svg;
  std::unique_ptr<QPdfWriter> pdf;
  if (isPdf) {
    // One point of the page for each pixel
    constexpr int kPointsPerInch = 72;
    pdf = std::make_unique<QPdfWriter>(&file);
    pdf->setResolution(kPointsPerInch);
    pdf->setTitle(picture.caption.title);
    pdf->setPageLayout(
        QPageLayout(QPageSize(QSizeF(size), QPageSize::Point), QPageLayout::Portrait, QMarginsF()));
    painter.begin(pdf.get());
  }
  else {
    svg.setOutputDevice(&file);
    svg.setSize(size);
    svg.setViewBox(QRect(QPoint(), size));
    svg.setTitle(picture.caption.title);
    painter.begin(&svg);
  }
  painter.setMode(QCPPainter::pmVectorized);
  drawWhole(picture, painter);
  painter.end();
  pdf.reset();
  return file.commit() ? QString() : file.errorString();
}

QString quotedCsv(const QString& cell) {
  if (!cell.contains(u',') && !cell.contains(u'"') && !cell.contains(u'\n')) return cell;
  return u'"' + QString(cell).replace(u'"', u"\"\""_s) + u'"';
}

QString jsonCell(const QString& cell) {
  if (cell.isEmpty()) return u"null"_s;
  bool isNumber = false;
  const double value = cell.toDouble(&isNumber);
  if (isNumber && std::isfinite(value)) return cell;
  return text(Json(cell.toStdString()).dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

PlotPicture pictureOf(QCustomPlot& plot, PlotCaption caption) {
  return {std::move(caption), plot.size(), &plot, [&plot](QPainter& painter) {
            plot.toPainter(static_cast<QCPPainter*>(&painter), plot.width(), plot.height());
          }};
}

PlotPicture pictureOf(QWidget& plot, PlotCaption caption) {
  return {std::move(caption), plot.size(), &plot, [&plot](QPainter& painter) {
            plot.render(&painter, QPoint(), QRegion(), QWidget::DrawChildren);
          }};
}

QImage imageOf(const PlotPicture& picture) {
  constexpr int kScale = 2;
  QImage image(wholeSize(picture) * kScale, QImage::Format_RGB32);
  image.setDevicePixelRatio(kScale);
  QCPPainter painter;
  painter.begin(&image);
  drawWhole(picture, painter);
  painter.end();
  return image;
}

QString writePicture(const PlotPicture& picture, const QString& target) {
  QSaveFile file(target);
  if (!file.open(QIODevice::WriteOnly)) return file.errorString();
  if (target.endsWith(u".svg"_s, Qt::CaseInsensitive)) return writeVectors(picture, file, false);
  if (target.endsWith(u".pdf"_s, Qt::CaseInsensitive)) return writeVectors(picture, file, true);
  if (!imageOf(picture).save(&file, "PNG")) {
    const QString why = file.errorString();
    file.cancelWriting();
    return why;
  }
  return file.commit() ? QString() : file.errorString();
}

QString cellOf(double value) {
  if (std::isnan(value)) return u"nan"_s;
  if (std::isinf(value)) return value > 0 ? u"inf"_s : u"-inf"_s;
  char digits[64];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  return QString::fromLatin1(digits, result.ptr - digits);
}

struct TableWriter::Impl {
  explicit Impl(const QString& target) : file(target) {}
  QSaveFile file;
  bool isJson = false, isFirst = true;
  // The first failure
  QString problem;
  void write(const QString& words) {
    if (problem.isEmpty() && file.write(words.toUtf8()) < 0) problem = file.errorString();
  }
};

TableWriter::TableWriter(const QString& target, const QStringList& columns)
    : m_impl(std::make_unique<Impl>(target)) {
  m_impl->isJson = target.endsWith(u".json"_s, Qt::CaseInsensitive);
  if (!m_impl->file.open(QIODevice::WriteOnly)) {
    m_impl->problem = m_impl->file.errorString();
    return;
  }
  if (!m_impl->isJson) {
    add(columns);
    return;
  }
  QStringList names;
  for (const QString& column : columns)
    names << jsonCell(column);
  m_impl->write(u"{\"columns\": [%1], \"rows\": ["_s.arg(names.join(u", "_s)));
}

TableWriter::~TableWriter() = default;

void TableWriter::add(const QStringList& cells) {
  QStringList words;
  for (const QString& cell : cells)
    words << (m_impl->isJson ? jsonCell(cell) : quotedCsv(cell));
  if (!m_impl->isJson) {
    m_impl->write(words.join(u',') + u'\n');
    return;
  }
  m_impl->write((m_impl->isFirst ? u"\n["_s : u",\n["_s) + words.join(u", "_s) + u']');
  m_impl->isFirst = false;
}

QString TableWriter::commit() {
  if (m_impl->isJson) m_impl->write(u"\n]}\n"_s);
  if (!m_impl->problem.isEmpty()) {
    m_impl->file.cancelWriting();
    return m_impl->problem;
  }
  return m_impl->file.commit() ? QString() : m_impl->file.errorString();
}

QString writeTable(const PlotTable& table, const QString& target) {
  TableWriter writer(target, table.columns);
  for (const QStringList& row : table.rows)
    writer.add(row);
  return writer.commit();
}

namespace {

/// Finds the values of a series in the records of a history.
class SeriesValues {
 public:
  SeriesValues(const HistoryReader& reader, const std::string& series) {
    const auto& names = reader.metricNames();
    const auto place = std::ranges::find(names, series);
    if (place != names.end()) m_metric = static_cast<size_t>(place - names.begin());
    for (size_t i = 0; i < kNumMeasures; ++i)
      if (series == measureName(static_cast<Measure>(i))) m_measure = i;
    m_isLoss = series == "loss";
    m_isRate = series == "learning_rate";
    m_isSpeed = series == "samples_per_second";
  }
  bool isKnown() const { return m_isLoss || m_isRate || m_isSpeed || m_metric || m_measure; }
  bool hasValidation() const { return m_isLoss || m_metric.has_value(); }
  double of(const HistoryStep& step) const {
    if (m_isLoss) return step.loss;
    if (m_isRate) return step.learningRate;
    if (m_isSpeed) return step.samplesPerSecond;
    return m_metric ? step.metrics[*m_metric] : static_cast<double>(step.measures[*m_measure]);
  }
  double of(const HistoryValidation& step) const {
    return m_isLoss ? step.loss : step.metrics[*m_metric];
  }
  /// Returns the cell of a step. Unknown measures leave it empty.
  QString cell(const HistoryStep& step) const {
    const double value = of(step);
    return m_measure && std::isnan(value) ? QString() : cellOf(value);
  }

 private:
  std::optional<size_t> m_metric, m_measure;
  bool m_isLoss = false, m_isRate = false, m_isSpeed = false;
};

}  // namespace

QString writeCurves(const std::string& historyFile, const std::string& series,
                    const QString& target) {
  try {
    const HistoryReader reader(historyFile);
    const SeriesValues values(reader, series);
    if (!values.isKnown()) return QStringLiteral("%1: no such series").arg(text(series));
    QStringList columns{u"step"_s, text(series)};
    if (values.hasValidation()) columns << text("val_" + series);
    TableWriter table(target, columns);
    // In the history, the record of a validation follows the record of its step. Both become one
    // row.
    QStringList row;
    const auto rowOf = [&](double step) {
      const QString number = QString::number(static_cast<qint64>(step));
      if (!row.isEmpty() && row[0] == number) return;
      if (!row.isEmpty()) table.add(row);
      row = {number, {}};
      if (values.hasValidation()) row << QString();
    };
    visitHistory(
        reader, std::numeric_limits<int64_t>::max(), {},
        [&](const HistoryStep& step) {
          rowOf(step.step);
          row[1] = values.cell(step);
        },
        [&](const HistoryValidation& validation) {
          if (!values.hasValidation()) return;
          rowOf(validation.step);
          row[2] = cellOf(values.of(validation));
        });
    if (!row.isEmpty()) table.add(row);
    return table.commit();
  }
  catch (const Error& error) {
    return text(error.line());
  }
}

}  // namespace strata::ui
