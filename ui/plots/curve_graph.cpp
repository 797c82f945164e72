// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/curve_graph.h"

#include <QRect>
#include <algorithm>
#include <cmath>
#include <ranges>
#include <span>
#include <utility>

namespace strata::ui {

namespace {

/// The part of a column of pixels that a curve covers, from its upper to its lower end.
struct Column {
  int x = 0;
  double top = 0, bottom = 0;

  int firstRow() const { return qFloor(top); }
  int lastRow() const { return qFloor(bottom); }
};

/// Returns the columns that the lines between the points cover, from left to right. `range`: the
/// pixels between which the values are.
QVector<Column> columnsOf(const QCPGraphDataContainer& points, const QCPAxis& keys,
                          const QCPAxis& values, std::pair<double, double> range) {
  QVector<Column> columns;
  columns.reserve(points.size());
  double before = 0;
  for (auto point = points.constBegin(); point != points.constEnd(); ++point) {
    const int x = static_cast<int>(std::floor(keys.coordToPixel(point->key)));
    const double y = std::clamp(values.coordToPixel(point->value), range.first, range.second);
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
  return columns;
}

/// Covers the parts of columns between two rows with rectangles that do not overlap. Filling a
/// rectangle takes a time for each of its rows, so neighbours share one for the rows that all of
/// them cover, and smaller groups of neighbours the rows above and below it.
void cover(std::span<const Column> columns, int first, int last, std::span<const size_t> groups,
           QVector<QRect>& rectangles) {
  if (first > last) return;
  for (size_t begin = 0; begin < columns.size(); begin += groups.front()) {
    const auto group = columns.subspan(begin, std::min(groups.front(), columns.size() - begin));
    int top = first, bottom = last;
    for (const Column& column : group) {
      top = std::max(top, column.firstRow());
      bottom = std::min(bottom, column.lastRow());
    }
    const bool isShared = top <= bottom;
    if (isShared) rectangles << QRect(QPoint(group.front().x, top), QPoint(group.back().x, bottom));
    if (groups.size() == 1) continue;
    cover(group, first, isShared ? top - 1 : last, groups.subspan(1), rectangles);
    if (isShared) cover(group, bottom + 1, last, groups.subspan(1), rectangles);
  }
}

/// Returns rectangles that cover the columns, and do not overlap.
QVector<QRect> rectanglesOf(const QVector<Column>& columns) {
  QVector<QRect> rectangles;
  if (columns.isEmpty()) return rectangles;
  rectangles.reserve(4 * columns.size());
  static constexpr size_t kGroups[] = {1024, 256, 64, 16, 4, 1};
  cover(columns, std::ranges::min(columns | std::views::transform(&Column::firstRow)),
        std::ranges::max(columns | std::views::transform(&Column::lastRow)), kGroups, rectangles);
  return rectangles;
}

}  // namespace

void CurveGraph::draw(QCPPainter* painter) {
  const QCPAxis *keys = keyAxis(), *values = valueAxis();
  const int size = mDataContainer->size();
  const bool isOnScreen = !painter->modes().testFlag(QCPPainter::pmVectorized);
  // With fewer points than this for a pixel, there would be gaps between the columns
  constexpr double kDense = 1.5;
  const double width = size < 2 ? 0
                                : keys->coordToPixel((mDataContainer->constEnd() - 1)->key) -
                                      keys->coordToPixel(mDataContainer->constBegin()->key);
  const bool isDense =
      keys->scaleType() == QCPAxis::stLinear && size > kDense * width && width > 50;
  if (!isDense || !isOnScreen || !scatterStyle().isNone() || lineStyle() != lsLine) {
    QCPGraph::draw(painter);
    return;
  }
  const QRectF area = clipRect();
  constexpr double kBeyond = 2;
  const QVector<Column> columns =
      columnsOf(*mDataContainer, *keys, *values, {area.top() - kBeyond, area.bottom() + kBeyond});
  painter->setAntialiasing(false);
  painter->setPen(Qt::NoPen);
  painter->setBrush(pen().color());
  // A polygon of all columns takes ten times as long
  painter->drawRects(rectanglesOf(columns));
}

}  // namespace strata::ui
