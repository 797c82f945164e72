// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_graph.h"

#include <QImage>
#include <QRect>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace strata::ui {

namespace {

/// The part of a column of pixels that a curve covers, from its upper to its lower end.
struct Column {
  int x = 0;
  double top = 0, bottom = 0;

  int firstRow() const { return qFloor(top); }
  int lastRow() const { return qFloor(bottom); }
};

/// Returns the columns that the lines between the points cover, from left to right. A logical pixel
/// has `ratio` pixels in each direction. `range`: the logical pixels between which the values are.
QVector<Column> columnsOf(const QCPGraphDataContainer& points, const QCPAxis& keys,
                          const QCPAxis& values, std::pair<double, double> range, double ratio) {
  QVector<Column> columns;
  columns.reserve(points.size());
  double before = 0;
  for (auto point = points.constBegin(); point != points.constEnd(); ++point) {
    const int x = static_cast<int>(std::floor(keys.coordToPixel(point->key) * ratio));
    const double y =
        std::clamp(values.coordToPixel(point->value), range.first, range.second) * ratio;
    if (columns.isEmpty() || columns.back().x != x) {
      // The line from the column before ends in this one, and crosses those between them
      const int last = columns.isEmpty() ? x - 1 : columns.back().x;
      const double from = columns.isEmpty() ? y : before, slope = (y - from) / (x - last);
      for (int at = last; at < x; ++at) {
        const double left = from + slope * (at - last), right = left + slope;
        columns.append({at + 1, std::min(left, right), std::max(left, right)});
      }
    }
    else {
      columns.back().top = std::min(columns.back().top, y);
      columns.back().bottom = std::max(columns.back().bottom, y);
    }
    before = y;
  }
  // Lines are at least a logical pixel thick
  for (Column& column : columns)
    column.bottom = std::max(column.bottom, std::floor(column.top) + std::ceil(ratio) - 1);
  return columns;
}

/// Writes columns to the pixels of an image, row by row. QPainter takes ten times as long, because
/// most columns begin and end in rows of their own.
void fillColumns(QImage& image, const QVector<Column>& columns, const QRect& area, QRgb color) {
  std::vector<int> tops, bottoms;
  int top = area.bottom() + 1, bottom = area.top() - 1, left = 0;
  for (const Column& column : columns) {
    if (column.x < area.left() || column.x > area.right()) continue;
    if (tops.empty()) left = column.x;
    tops.push_back(column.firstRow());
    bottoms.push_back(column.lastRow());
    top = std::min(top, tops.back());
    bottom = std::max(bottom, bottoms.back());
  }
  for (int y = std::max(top, area.top()); y <= std::min(bottom, area.bottom()); ++y) {
    auto* const line = reinterpret_cast<QRgb*>(image.scanLine(y)) + left;
    for (size_t i = 0; i < tops.size(); ++i)
      if (tops[i] <= y && y <= bottoms[i]) line[i] = color;
  }
}

}  // namespace

void CurveGraph::draw(QCPPainter* painter) {
  const QCPAxis *keys = keyAxis(), *values = valueAxis();
  const int size = mDataContainer->size();
  const bool isOnScreen = !painter->modes().testFlag(QCPPainter::pmVectorized);
  // From this number of points for a pixel on, columns look like lines. Columns have hard edges.
  const double dense = antialiased() ? 1.5 : 0.5;
  const double width = size < 2 ? 0
                                : keys->coordToPixel((mDataContainer->constEnd() - 1)->key) -
                                      keys->coordToPixel(mDataContainer->constBegin()->key);
  const bool isDense = keys->scaleType() == QCPAxis::stLinear && size > dense * width && width > 50;
  if (!isDense || !isOnScreen || !scatterStyle().isNone() || lineStyle() != lsLine) {
    QCPGraph::draw(painter);
    return;
  }
  const QRect area = clipRect();
  constexpr double kBeyond = 2;
  const std::pair<double, double> range{area.top() - kBeyond, area.bottom() + 1 + kBeyond};
  const QColor color = pen().color();
  // With it, QCPPainter moves everything by half a pixel
  painter->setAntialiasing(false);
  auto* const image = dynamic_cast<QImage*>(painter->device());
  if (image && image->format() == QImage::Format_RGB32 && color.alpha() == 255 &&
      painter->transform().isIdentity()) {
    const double ratio = image->devicePixelRatio();
    const QRect pixels =
        QRectF(QPointF(area.topLeft()) * ratio, QSizeF(area.size()) * ratio).toRect();
    fillColumns(*image, columnsOf(*mDataContainer, *keys, *values, range, ratio),
                pixels & image->rect(), color.rgb());
    return;
  }
  painter->setPen(Qt::NoPen);
  painter->setBrush(color);
  // A polygon of all columns takes ten times as long
  QVector<QRect> rectangles;
  for (const Column& column : columnsOf(*mDataContainer, *keys, *values, range, 1))
    rectangles << QRect(QPoint(column.x, column.firstRow()), QPoint(column.x, column.lastRow()));
  painter->drawRects(rectangles);
}

}  // namespace strata::ui
