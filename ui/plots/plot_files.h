// SPDX-License-Identifier: GPL-3.0-or-later
// Saves plots: the picture as PNG, SVG or PDF, and the values as CSV or JSON. Not here: the menu
// (plot_menu.h). Thread: GUI thread for pictures. Any thread may write tables.
#pragma once

#include <QColor>
#include <QImage>
#include <QSize>
#include <QString>
#include <QStringList>
#include <functional>
#include <memory>
#include <string>
#include <vector>

class QCustomPlot;
class QFont;
class QPainter;
class QWidget;

namespace strata::ui {

struct PlotCaption {
  QString title;
  struct Entry {
    QString words;
    QColor color;
  };
  std::vector<Entry> legend;
};

/// The picture of a plot: its caption, and what draws the plot below it.
struct PlotPicture {
  PlotCaption caption;
  // In the coordinates of the plot, without its caption
  QSize size;
  // For fonts and colours
  const QWidget* widget = nullptr;
  std::function<void(QPainter& painter)> draw;
};
PlotPicture pictureOf(QCustomPlot& plot, PlotCaption caption);
PlotPicture pictureOf(QWidget& plot, PlotCaption caption);

/// Returns the picture with twice the resolution of the window.
QImage imageOf(const PlotPicture& picture);
/// Writes the picture as PNG, SVG or PDF, according to the suffix. Returns "", or the reason why
/// the file was not written.
QString writePicture(const PlotPicture& picture, const QString& target);

/// The values of a plot. Cells are numbers, or texts in quotation marks for JSON.
struct PlotTable {
  QStringList columns;
  std::vector<QStringList> rows;
};
/// Returns the shortest text from which the same number is read. NaN and infinities are "nan",
/// "inf" and "-inf".
QString cellOf(double value);

/// Writes the rows of a table one after the other, as CSV or, if the name ends in .json, as
/// {"columns": [...], "rows": [[...], ...]}. In JSON, cells that are not numbers become strings,
/// and empty ones null. Nothing has the name `target` before commit().
class TableWriter {
 public:
  TableWriter(const QString& target, const QStringList& columns);
  ~TableWriter();
  TableWriter(const TableWriter&) = delete;
  TableWriter& operator=(const TableWriter&) = delete;
  void add(const QStringList& cells);
  /// Returns "", or the reason why the file was not written.
  QString commit();

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};
QString writeTable(const PlotTable& table, const QString& target);

/// Writes one row per step with the values of series, such as "loss" or "gradient_norm", exactly as
/// in `historyFile`. A series with validation has two columns. Returns "", or the reason why the
/// file was not written.
QString writeCurves(const std::string& historyFile, const std::string& series,
                    const QString& target);

}  // namespace strata::ui
