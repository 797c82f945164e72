// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a plot as an image, and the exact values of its curves as a table. Thread: GUI thread for
// images. Any thread may call writeCurves().
#pragma once

#include <QImage>
#include <QString>
#include <QStringList>
#include <string>
#include <vector>

class QCustomPlot;

namespace strata::ui {

struct PlotCaption {
  QString title;
  struct Entry {
    QString words;
    QColor color;
  };
  std::vector<Entry> legend;
};

/// Returns an image of the plot and its caption, with twice the resolution of the window.
QImage pictureOf(QCustomPlot& plot, const PlotCaption& caption);
/// Writes the plot as SVG. Returns "", or the reason why the file was not written.
QString writeSvg(QCustomPlot& plot, const PlotCaption& caption, const QString& target);
/// Writes one row per step with the training and validation values of `metric`, exactly as in
/// `historyFile`. Returns "", or the reason why the file was not written.
QString writeCurves(const std::string& historyFile, const std::string& metric,
                    const QString& target);

}  // namespace strata::ui
