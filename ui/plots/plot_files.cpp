// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_files.h"

#include <QSaveFile>
#include <QSvgGenerator>
#include <algorithm>
#include <charconv>

#include "core/runs/history.h"
#include "gpu/base/error.h"
#include "ui/format.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMargin = 14, kGap = 8;

int headHeight(const QCustomPlot& plot) { return plot.fontMetrics().height() + kMargin + kGap; }

QSize sizeOfPicture(const QCustomPlot& plot) {
  return {plot.width() + 2 * kMargin, plot.height() + headHeight(plot) + kMargin};
}

void drawPicture(QCustomPlot& plot, const PlotCaption& caption, QCPPainter& painter) {
  const Colors& colors = colorsOf(&plot);
  painter.fillRect(QRect(QPoint(), sizeOfPicture(plot)), colors.card);
  QFont bold = plot.font();
  bold.setWeight(QFont::DemiBold);
  const int base = kMargin + plot.fontMetrics().ascent();
  painter.setFont(bold);
  painter.setPen(QPen(colors.text));
  painter.drawText(QPoint(kMargin, base), caption.title);
  painter.setFont(plot.font());
  int x = sizeOfPicture(plot).width() - kMargin;
  for (auto entry = caption.legend.rbegin(); entry != caption.legend.rend(); ++entry) {
    constexpr int kSample = 14, kBetween = 6, kBehind = 16;
    x -= plot.fontMetrics().horizontalAdvance(entry->words);
    painter.setPen(QPen(colors.muted));
    painter.drawText(QPoint(x, base), entry->words);
    x -= kSample + kBetween;
    painter.fillRect(QRect(x, base - plot.fontMetrics().ascent() / 2, kSample, 3), entry->color);
    x -= kBehind;
  }
  painter.translate(kMargin, headHeight(plot));
  plot.toPainter(&painter, plot.width(), plot.height());
}

std::string asText(double value) {
  char digits[64];
  const auto result = std::to_chars(digits, digits + sizeof digits, value);
  return {digits, result.ptr};
}

}  // namespace

QImage pictureOf(QCustomPlot& plot, const PlotCaption& caption) {
  constexpr int kScale = 2;
  QImage image(sizeOfPicture(plot) * kScale, QImage::Format_RGB32);
  image.setDevicePixelRatio(kScale);
  QCPPainter painter;
  painter.begin(&image);
  drawPicture(plot, caption, painter);
  painter.end();
  return image;
}

QString writeSvg(QCustomPlot& plot, const PlotCaption& caption, const QString& target) {
  QSaveFile file(target);
  if (!file.open(QIODevice::WriteOnly)) return file.errorString();
  QSvgGenerator generator;
  generator.setOutputDevice(&file);
  generator.setSize(sizeOfPicture(plot));
  generator.setViewBox(QRect(QPoint(), sizeOfPicture(plot)));
  generator.setTitle(caption.title);
  QCPPainter painter;
  painter.begin(&generator);
  painter.setMode(QCPPainter::pmVectorized);
  drawPicture(plot, caption, painter);
  painter.end();
  return file.commit() ? QString() : file.errorString();
}

QString writeCurves(const std::string& historyFile, const std::string& metric,
                    const QString& target) {
  try {
    const HistoryReader reader(historyFile);
    const auto& names = reader.metricNames();
    const auto place = std::find(names.begin(), names.end(), metric);
    if (metric != "loss" && place == names.end())
      return QStringLiteral("%1: no such metric").arg(text(metric));
    const auto valueOf = [&](const HistoryRecord& record) {
      return metric == "loss" ? record.loss
                              : record.metrics[static_cast<size_t>(place - names.begin())];
    };
    QSaveFile file(target);
    if (!file.open(QIODevice::WriteOnly)) return file.errorString();
    file.write(("step," + metric + ",val_" + metric + "\n").c_str());
    // In the history, the record of a validation follows the record of its step. Both become one
    // row.
    std::string step, training, validation;
    const auto flush = [&] {
      if (!step.empty()) file.write((step + "," + training + "," + validation + "\n").c_str());
    };
    for (size_t i = 0; i < reader.size(); ++i) {
      const HistoryRecord record = reader[i];
      if (record.kind == HistoryKind::Epoch) continue;
      std::string now = std::to_string(record.step);
      if (now != step) {
        flush();
        step = std::move(now);
        training.clear();
        validation.clear();
      }
      (record.kind == HistoryKind::Step ? training : validation) = asText(valueOf(record));
    }
    flush();
    return file.commit() ? QString() : file.errorString();
  }
  catch (const Error& error) {
    return text(error.line());
  }
}

}  // namespace strata::ui
