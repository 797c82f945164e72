// SPDX-License-Identifier: GPL-3.0-or-later
// Saves a plot as a picture, and the exact values of its curves as a table. Thread: GUI thread for
// pictures, any for writeCurves().
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

/// At twice the resolution of the window
QImage pictureOf(QCustomPlot& plot, const PlotCaption& caption);
/// Both return "", or the reason why the file was not written.
QString writeSvg(QCustomPlot& plot, const PlotCaption& caption, const QString& target);
/// One row per step with the values of `metric` and of its validation, exactly as `historyFile` has
/// them.
QString writeCurves(const std::string& historyFile, const std::string& metric,
                    const QString& target);

}  // namespace strata::ui
