// SPDX-License-Identifier: GPL-3.0-or-later
// Draws the events of a trace into an image, one pixel column at a time. Each pixel has the colour
// of the event that takes most of its time. The work depends on the size of the image and hardly on
// the number of events.
// Not here: texts, lines and input (timeline_view.h).
// Thread: GUI thread.
#pragma once

#include <QColor>
#include <QImage>
#include <array>
#include <optional>
#include <vector>

#include "core/trace/trace.h"
#include "core/trace/trace_query.h"

namespace strata::ui {

/// A line of the timeline: the name of a process, or a row of a lane.
struct TimelineRow {
  enum class Kind : uint8_t { Process, Events };
  Kind kind = Kind::Events;
  // Index in Trace::processes for the name of a process, otherwise in Trace::lanes
  uint32_t owner = 0;
  // Index in TraceLane::rows
  uint32_t row = 0;
  // In logical pixels from the top of the first line
  int top = 0, height = 0;
  int bottom() const { return top + height; }
};
/// Returns the lines of all processes that have events or marks, from top to bottom.
std::vector<TimelineRow> timelineRows(const Trace& trace);

/// The part of a trace that is shown.
struct TimelineRange {
  // The time at the left edge, and the nanoseconds of a physical pixel
  double begin = 0, step = 1;
  // The vertical position in logical pixels
  int top = 0;
  // The size in logical pixels, and the physical pixels of one
  QSize size;
  double ratio = 1;
  int columns() const;
  bool operator==(const TimelineRange&) const = default;
};

class TimelinePicture {
 public:
  /// An event that is wide enough for a text.
  struct Wide {
    EventPlace place;
    // In logical pixels
    QRect area;
  };

  void setTrace(TracePointer trace);
  const TracePointer& trace() const { return m_trace; }
  const std::vector<TimelineRow>& rows() const { return m_rows; }
  int height() const { return m_rows.empty() ? 0 : m_rows.back().bottom(); }
  /// Sets the colours of the image. `background` is that of times without events.
  void setColors(bool isDark, const QColor& background);

  void draw(const TimelineRange& range);
  const QImage& image() const { return m_image; }
  /// Returns the wide events of the last image.
  const std::vector<Wide>& wide() const { return m_wide; }
  /// Returns the lines that are in view, as indices of the first one and the one after the last.
  std::pair<size_t, size_t> rowsInView(const TimelineRange& range) const;
  /// Returns the event whose colour is at a place, in logical pixels.
  std::optional<EventPlace> eventAt(const TimelineRange& range, const QPoint& place) const;
  /// Returns the colour of an event. The first pixel of an event that is at least kMinEdged wide is
  /// darker, so that events of one colour can be told apart.
  QRgb colorOf(const TraceEvent& event, bool isEdge = false);
  QRgb background() const { return m_background; }
  static constexpr int kMinEdged = 3;

 private:
  /// What a thread draws with.
  struct Brush {
    std::vector<uint32_t> columns;
    std::vector<QRgb> line;
    std::vector<Wide> wide;
  };
  void drawRows(size_t first, size_t last, const TimelineRange& range);
  void drawRow(const TimelineRow& row, const TimelineRange& range, Brush& brush);
  void drawEvents(const TimelineRow& row, const TimelineRange& range, Brush& brush);
  void noteWide(const TimelineRow& row, size_t begin, size_t end, const TimelineRange& range,
                Brush& brush) const;
  int lineAt(int place, const TimelineRange& range) const;

  TracePointer m_trace;
  std::vector<TimelineRow> m_rows;
  bool m_isDark = false;
  QRgb m_background = 0xffffffff;
  // By record; 0 until the colour is needed
  std::vector<QRgb> m_colors;
  QImage m_image;
  // Those of the image; two threads draw different lines
  QRgb* m_pixels = nullptr;
  std::array<Brush, 2> m_brushes;
  std::vector<Wide> m_wide;
};

}  // namespace strata::ui
