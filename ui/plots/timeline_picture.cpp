// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeline_picture.h"

#include <QThreadPool>
#include <algorithm>
#include <atomic>
#include <cmath>
#include <functional>
#include <memory>
#include <string_view>

#include "ui/theme/colors.h"

namespace strata::ui {

namespace {

constexpr int kProcessHeight = 22, kRowHeight = 16, kRowGap = 1, kLaneGap = 5;
// The least width of an event with a text, in logical pixels
constexpr int kMinTextWidth = 32;

/// Returns the number of the colour of a category. Categories of Strata and of the PyTorch profiler
/// have fixed colours, others one that depends on their name.
int colorNumber(std::string_view category) {
  static constexpr std::pair<std::string_view, int> kKnown[] = {
      {"kernel", 0},        {"gpu_memcpy", 5},  {"gpu_memset", 5},      {"layer", 1},
      {"cpu_op", 1},        {"step", 6},        {"user_annotation", 6}, {"gpu_user_annotation", 6},
      {"cuda_runtime", 2},  {"cuda_driver", 2}, {"python_function", 3}, {"loader", 7},
      {"communication", 4},
  };
  for (const auto& [name, number] : kKnown)
    if (name == category) return number;
  return static_cast<int>(std::hash<std::string_view>()(category) % kNumEventColors);
}

}  // namespace

std::vector<TimelineRow> timelineRows(const Trace& trace) {
  std::vector<TimelineRow> rows;
  int top = 0;
  const auto add = [&](TimelineRow::Kind kind, uint32_t owner, uint32_t row, int height) {
    rows.push_back({kind, owner, row, top, height});
    top += height;
  };
  for (const uint32_t process : trace.processOrder) {
    bool isNamed = false;
    for (const uint32_t lane : trace.processes[process].lanes) {
      const TraceLane& each = *trace.lanes[lane];
      if (each.rows.empty()) continue;
      if (!isNamed) add(TimelineRow::Kind::Process, process, 0, kProcessHeight);
      isNamed = true;
      for (uint32_t row = 0; row < each.rows.size(); ++row)
        add(TimelineRow::Kind::Events, lane, row, kRowHeight + kRowGap);
      rows.back().height += kLaneGap;
      top += kLaneGap;
    }
  }
  return rows;
}

int TimelineRange::columns() const {
  return std::max(1, static_cast<int>(std::lround(size.width() * ratio)));
}

void TimelinePicture::setTrace(TracePointer trace) {
  m_trace = std::move(trace);
  m_rows = m_trace ? timelineRows(*m_trace) : std::vector<TimelineRow>();
  m_colors.assign(m_trace ? m_trace->records.size() : 0, 0);
  m_wide.clear();
}

void TimelinePicture::setColors(bool isDark, const QColor& background) {
  m_isDark = isDark;
  m_background = background.rgb();
  std::ranges::fill(m_colors, 0);
}

QRgb TimelinePicture::colorOf(const TraceEvent& event, bool isEdge) {
  const std::atomic_ref<QRgb> stored(m_colors[event.record()]);
  QRgb known = stored.load(std::memory_order_relaxed);
  if (known == 0) {
    const TraceRecord& record = m_trace->recordOf(event);
    // Names differ a little in their lightness
    constexpr size_t kShades = 3;
    const size_t shade = std::hash<std::string>()(m_trace->texts[record.name]) % kShades;
    const QColor color = eventColor(colorNumber(m_trace->texts[record.category]), m_isDark);
    known = color.lighter(100 + (m_isDark ? 12 : 4) * static_cast<int>(shade)).rgb();
    stored.store(known, std::memory_order_relaxed);
  }
  if (!isEdge) return known;
  const auto darker = [](int value) {
    return value * 3 / 4;
  };
  return qRgb(darker(qRed(known)), darker(qGreen(known)), darker(qBlue(known)));
}

std::pair<size_t, size_t> TimelinePicture::rowsInView(const TimelineRange& range) const {
  const auto first = std::ranges::upper_bound(m_rows, range.top, {}, &TimelineRow::bottom);
  const auto last =
      std::ranges::lower_bound(m_rows, range.top + range.size.height(), {}, &TimelineRow::top);
  return {static_cast<size_t>(first - m_rows.begin()), static_cast<size_t>(last - m_rows.begin())};
}

void TimelinePicture::noteWide(const TimelineRow& row, size_t begin, size_t end,
                               const TimelineRange& range, Brush& brush) const {
  const auto left = static_cast<int>(std::ceil(static_cast<double>(begin) / range.ratio));
  const auto right = static_cast<int>(static_cast<double>(end) / range.ratio);
  if (right - left < kMinTextWidth) return;
  brush.wide.push_back({{row.owner, row.row, brush.columns[begin]},
                        QRect(left, row.top - range.top, right - left, kRowHeight)});
}

/// Draws the events of a row to one line of pixels.
void TimelinePicture::drawEvents(const TimelineRow& row, const TimelineRange& range, Brush& brush) {
  const TraceRow& events = m_trace->lanes[row.owner]->rows[row.row];
  const std::vector<uint32_t>& columns = brush.columns;
  fillColumns(events, range.begin, range.step, brush.columns);
  for (size_t begin = 0; begin < columns.size();) {
    const uint32_t index = columns[begin];
    size_t end = begin + 1;
    while (end < columns.size() && columns[end] == index)
      ++end;
    const bool isEmpty = index == kNoColumn;
    const QRgb color = isEmpty ? m_background : colorOf(events.events[index]);
    std::fill(brush.line.begin() + static_cast<std::ptrdiff_t>(begin),
              brush.line.begin() + static_cast<std::ptrdiff_t>(end), color);
    if (!isEmpty && end - begin >= kMinEdged) {
      brush.line[begin] = colorOf(events.events[index], true);
      noteWide(row, begin, end, range, brush);
    }
    begin = end;
  }
}

/// Returns the line of the image at a place of the rows.
int TimelinePicture::lineAt(int place, const TimelineRange& range) const {
  return std::clamp(static_cast<int>(std::lround((place - range.top) * range.ratio)), 0,
                    m_image.height());
}

/// Draws all lines of a row, with the gap after it.
void TimelinePicture::drawRow(const TimelineRow& row, const TimelineRange& range, Brush& brush) {
  const bool hasEvents = row.kind == TimelineRow::Kind::Events;
  if (hasEvents) drawEvents(row, range, brush);
  const int end = lineAt(row.top + kRowHeight, range);
  for (int y = lineAt(row.top, range); y < lineAt(row.bottom(), range); ++y) {
    QRgb* const line = m_pixels + static_cast<std::ptrdiff_t>(y) * m_image.width();
    if (hasEvents && y < end)
      std::ranges::copy(brush.line, line);
    else
      std::fill_n(line, m_image.width(), m_background);
  }
}

/// Draws rows until none is left. A helper on another thread takes rows, too, while there are any.
void TimelinePicture::drawRows(size_t first, size_t last, const TimelineRange& range) {
  struct Rows {
    std::atomic<size_t> next, done = 0;
  };
  const auto rows = std::make_shared<Rows>(first);
  // Once no row is left, a helper that begins late must not touch the picture
  const auto takeRows = [this, rows, last, range](Brush& brush) {
    for (size_t i = 0; (i = rows->next.fetch_add(1)) < last;) {
      drawRow(m_rows[i], range, brush);
      rows->done.fetch_add(1);
      rows->done.notify_one();
    }
  };
  for (Brush& brush : m_brushes) {
    brush.columns.resize(static_cast<size_t>(m_image.width()));
    brush.line.resize(brush.columns.size());
    brush.wide.clear();
  }
  (void)QThreadPool::globalInstance()->tryStart(
      [takeRows, helper = &m_brushes[1]] { takeRows(*helper); });
  takeRows(m_brushes[0]);
  for (size_t done = 0; (done = rows->done.load()) < last - first;)
    rows->done.wait(done);
}

void TimelinePicture::draw(const TimelineRange& range) {
  const QSize size(range.columns(),
                   std::max(1, static_cast<int>(std::lround(range.size.height() * range.ratio))));
  if (m_image.size() != size) m_image = QImage(size, QImage::Format_RGB32);
  m_image.setDevicePixelRatio(range.ratio);
  m_pixels = reinterpret_cast<QRgb*>(m_image.bits());
  m_wide.clear();
  int drawn = 0;
  if (m_trace) {
    const auto [first, last] = rowsInView(range);
    drawRows(first, last, range);
    if (last > first) drawn = lineAt(m_rows[last - 1].bottom(), range);
    for (const Brush& brush : m_brushes)
      m_wide.insert(m_wide.end(), brush.wide.begin(), brush.wide.end());
    std::ranges::stable_sort(m_wide, {}, [](const Wide& each) { return each.area.top(); });
  }
  std::fill(m_pixels + static_cast<std::ptrdiff_t>(drawn) * size.width(),
            m_pixels + static_cast<std::ptrdiff_t>(size.height()) * size.width(), m_background);
}

std::optional<EventPlace> TimelinePicture::eventAt(const TimelineRange& range,
                                                   const QPoint& place) const {
  if (!m_trace || place.x() < 0 || place.x() >= range.size.width()) return {};
  const int y = place.y() + range.top;
  const auto row = std::ranges::upper_bound(m_rows, y, {}, &TimelineRow::bottom);
  if (row == m_rows.end() || row->kind != TimelineRow::Kind::Events || y < row->top ||
      y >= row->top + kRowHeight)
    return {};
  uint32_t column = kNoColumn;
  const double begin = range.begin + std::floor(place.x() * range.ratio) * range.step;
  fillColumns(m_trace->lanes[row->owner]->rows[row->row], begin, range.step, {&column, 1});
  if (column == kNoColumn) return {};
  return EventPlace{row->owner, row->row, column};
}

}  // namespace strata::ui
