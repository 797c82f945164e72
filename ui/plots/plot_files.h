// SPDX-License-Identifier: GPL-3.0-or-later
// A plot as a picture, and the exact values of its curves as a table. Thread: pictures the
// window's, writeCurves() any.
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

/// Twice as fine as the window shows it.
QImage pictureOf(QCustomPlot& plot, const PlotCaption& caption);
/// Both return "", or why the file was not written.
QString writeSvg(QCustomPlot& plot, const PlotCaption& caption, const QString& target);
/// A row a step: the values of `metric` and of its validation as `historyFile` has them, to the
/// last bit.
QString writeCurves(const std::string& historyFile, const std::string& metric,
                    const QString& target);

}  // namespace strata::ui
