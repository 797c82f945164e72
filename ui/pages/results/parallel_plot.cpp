// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/parallel_plot.h"

#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "ui/format.h"
#include "ui/models/run_table_model.h"
#include "ui/plots/plot_menu.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSides = 70;
constexpr double kReach = 7;

/// Returns the heading of a column, or the last part of a pointer.
QString axisTitle(const RunColumn& column) {
  return column.id.starts_with('/') ? text(column.id.substr(column.id.rfind('/') + 1))
                                    : columnTitle(column);
}

/// Returns the distance of a place from the straight line between two places.
double distanceTo(const QPointF& place, const QPointF& from, const QPointF& to) {
  const QPointF along = to - from;
  const double length = QPointF::dotProduct(along, along);
  const double share =
      length > 0 ? std::clamp(QPointF::dotProduct(place - from, along) / length, 0.0, 1.0) : 0;
  const QPointF off = place - (from + share * along);
  return std::hypot(off.x(), off.y());
}

}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : QWidget(parent) {
  setMouseTracking(true);
  setMinimumHeight(190);
  setAccessibleName(tr("Settings and results of the runs"));
  new PlotMenu(
      this,
      [] {
        return PlotCaption{tr("Settings and results of the runs"), {}};
      },
      [this] {
        PlotTable table{{u"run"_s}, {}};
        for (const Axis& axis : m_axes)
          table.columns << axis.title;
        for (const Line& line : m_lines)
          table.rows.push_back(QStringList{line.name} + line.values);
        return table;
      });
}

void ParallelPlot::setRuns(const std::vector<const RunRow*>& rows,
                           const std::vector<RunColumn>& columns) {
  m_axes.clear();
  m_lines.clear();
  m_hovered.clear();
  for (const RunRow* row : rows)
    m_lines.push_back({row->info.listedAt, runTitleWithNotes(*row), {}, {}});
  for (const RunColumn& column : columns)
    addAxis(column, rows);
  update();
}

/// Adds the axis of a column. Numbers have a linear scale, or a logarithmic one if they span a wide
/// range. Other values are evenly spaced.
void ParallelPlot::addAxis(const RunColumn& column, const std::vector<const RunRow*>& rows) {
  constexpr double kWideRange = 50;
  constexpr size_t kMaxTicks = 8;
  std::vector<RunCell> cells;
  // Value or word, and its text
  std::map<std::pair<double, QString>, QString> values;
  bool isNumeric = true;
  for (const RunRow* row : rows) {
    cells.push_back(cellOf(*row, column));
    isNumeric = isNumeric && (cells.back().isEmpty() || cells.back().number);
  }
  const auto keyOf = [&](const RunCell& cell) {
    return std::pair(isNumeric ? *cell.number : 0,
                     isNumeric ? QString() : runCellText(cell, column));
  };
  for (const RunCell& cell : cells)
    if (!cell.isEmpty()) values.emplace(keyOf(cell), runCellText(cell, column));
  const double low = values.empty() ? 0 : values.begin()->first.first,
               high = values.empty() ? 0 : values.rbegin()->first.first;
  const bool isLog = low > 0 && high / low >= kWideRange;
  const auto shareOf = [&](const std::pair<double, QString>& key) {
    const auto place = static_cast<double>(std::distance(values.begin(), values.find(key)));
    if (values.size() < 2) return 0.5;
    if (!isNumeric) return place / static_cast<double>(values.size() - 1);
    return isLog ? std::log(key.first / low) / std::log(high / low)
                 : (key.first - low) / (high - low);
  };
  Axis axis{axisTitle(column), {}};
  for (const auto& [key, words] : values) {
    const bool isEnd = key == values.begin()->first || key == values.rbegin()->first;
    if (isEnd || values.size() <= kMaxTicks) axis.ticks.push_back({shareOf(key), words});
  }
  m_axes.push_back(std::move(axis));
  for (size_t i = 0; i < cells.size(); ++i) {
    const bool isKnown = !cells[i].isEmpty();
    m_lines[i].shares.push_back(isKnown ? std::optional(shareOf(keyOf(cells[i]))) : std::nullopt);
    m_lines[i].values << (isKnown ? runCellText(cells[i], column) : QString());
  }
}

void ParallelPlot::setSelected(std::vector<std::string> runs) {
  m_selected = std::move(runs);
  update();
}

/// Returns the room between the ends of the axes. Runs without a value cross an axis below it.
QRectF ParallelPlot::room() const {
  const int line = fontMetrics().height();
  return QRectF(rect()).adjusted(kSides, 2 * line + 6, -kSides, -2 * line - 6);
}

double ParallelPlot::across(size_t axis) const {
  const QRectF inner = room();
  const auto last = static_cast<double>(m_axes.size() - 1);
  return m_axes.size() < 2 ? inner.center().x()
                           : inner.left() + inner.width() * static_cast<double>(axis) / last;
}

QPointF ParallelPlot::placeOf(size_t run, size_t axis) const {
  const std::optional<double> share = m_lines[run].shares[axis];
  const QRectF inner = room();
  const double below = inner.bottom() + fontMetrics().height();
  return {across(axis), share ? inner.bottom() - *share * inner.height() : below};
}

const ParallelPlot::Line* ParallelPlot::lineOf(const std::string& run) const {
  const auto found = std::ranges::find(m_lines, run, &Line::run);
  return found == m_lines.end() ? nullptr : &*found;
}

std::string ParallelPlot::runAt(const QPointF& place) const {
  std::string nearest;
  double least = kReach;
  for (size_t i = 0; i < m_lines.size(); ++i)
    for (size_t k = 0; k < m_axes.size(); ++k) {
      const double distance = distanceTo(place, placeOf(i, k > 0 ? k - 1 : 0), placeOf(i, k));
      if (distance >= least) continue;
      least = distance;
      nearest = m_lines[i].run;
    }
  return nearest;
}

void ParallelPlot::paintAxes(QPainter& painter) const {
  const Colors& colors = colorsOf(this);
  const QRectF inner = room();
  const int line = fontMetrics().height();
  const double gap = m_axes.size() < 2 ? width() : across(1) - across(0);
  for (size_t i = 0; i < m_axes.size(); ++i) {
    const double x = across(i);
    painter.setPen(QPen(colors.border, 1));
    painter.drawLine(QPointF(x, inner.top()), QPointF(x, inner.bottom()));
    painter.setPen(colors.text);
    const QString title =
        fontMetrics().elidedText(m_axes[i].title, Qt::ElideRight, static_cast<int>(gap) - 8);
    const double half = fontMetrics().horizontalAdvance(title) / 2.0 + 2;
    // The titles of the outer axes stay inside
    const double center = std::clamp(x, half, std::max(half, width() - half));
    painter.drawText(QRectF(center - half, 2, 2 * half, line), Qt::AlignCenter, title);
    // Both ends come first, and others if they do not overlap the ones before
    std::vector<Tick> ticks = m_axes[i].ticks;
    if (ticks.size() > 2) std::rotate(ticks.begin() + 1, ticks.end() - 1, ticks.end());
    std::vector<double> taken;
    for (const Tick& tick : ticks) {
      const double down = inner.bottom() - tick.share * inner.height();
      const bool overlaps = std::ranges::any_of(
          taken, [&](double other) { return std::abs(other - down) < line - 2; });
      if (overlaps) continue;
      taken.push_back(down);
      const double room = std::min(gap * 0.6, i + 1 == m_axes.size() ? kSides - 8.0 : gap * 0.6);
      const QString words =
          fontMetrics().elidedText(tick.words, Qt::ElideRight, static_cast<int>(room));
      const QRectF place(x + 6, down - line / 2.0, fontMetrics().horizontalAdvance(words) + 4,
                         line);
      QColor behind = colors.card;
      behind.setAlphaF(0.8F);
      painter.fillRect(place, behind);
      painter.setPen(colors.muted);
      painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter, words);
    }
    const bool isMissing =
        std::ranges::any_of(m_lines, [&](const Line& each) { return !each.shares[i].has_value(); });
    painter.setPen(colors.faint);
    if (isMissing)
      painter.drawText(QRectF(x - gap / 2, inner.bottom() + line, gap, line), Qt::AlignCenter,
                       tr("unknown"));
  }
}

void ParallelPlot::paintEvent(QPaintEvent*) {
  if (m_axes.empty()) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  const Colors& colors = colorsOf(this);
  const auto isEmphasized = [&](const Line& line) {
    return line.run == m_hovered || std::ranges::find(m_selected, line.run) != m_selected.end();
  };
  // Emphasized lines are above the others, and texts are above all lines
  for (const bool emphasis : {false, true})
    for (size_t i = 0; i < m_lines.size(); ++i) {
      if (isEmphasized(m_lines[i]) != emphasis) continue;
      painter.setPen(emphasis ? QPen(colors.accent, 2) : QPen(colors.cost, 1));
      painter.setBrush(Qt::NoBrush);
      QPainterPath path(placeOf(i, 0));
      for (size_t k = 1; k < m_axes.size(); ++k)
        path.lineTo(placeOf(i, k));
      painter.drawPath(path);
      painter.setBrush(painter.pen().color());
      for (size_t k = 0; k < m_axes.size(); ++k)
        painter.drawEllipse(placeOf(i, k), 2, 2);
    }
  paintAxes(painter);
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
  const std::string run = runAt(event->position());
  if (run == m_hovered) return;
  m_hovered = run;
  QStringList lines;
  if (const Line* line = lineOf(run)) {
    lines << line->name;
    for (size_t i = 0; i < m_axes.size(); ++i)
      lines << tr("%1: %2").arg(m_axes[i].title, line->shares[i]
                                                     ? line->values[static_cast<qsizetype>(i)]
                                                     : tr("unknown"));
  }
  if (lines.isEmpty())
    QToolTip::hideText();
  else
    QToolTip::showText(event->globalPosition().toPoint(), lines.join(u'\n'), this);
  update();
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) {
  const std::string run = runAt(event->position());
  if (event->button() == Qt::LeftButton && !run.empty()) Q_EMIT chosen(run);
}

void ParallelPlot::leaveEvent(QEvent*) {
  m_hovered.clear();
  update();
}

}  // namespace strata::ui
