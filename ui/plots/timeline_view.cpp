// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/timeline_view.h"

#include <QFontMetrics>
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

#include "core/runs/device_lanes.h"
#include "ui/format.h"
#include "ui/plots/time_axis.h"
#include "ui/plots/timeline_table.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kNamesWidth = 204, kAxisHeight = 24, kTextMargin = 4;
// The smallest part of a trace that fills the view, in nanoseconds
constexpr double kMinSpan = 100;
constexpr size_t kMaxLinked = 100;
constexpr int kMaxTexts = 4000, kMaxNewTexts = 100;

}  // namespace

TimelineView::TimelineView(QWidget* parent)
    : QAbstractScrollArea(parent), m_table(new TimelineTable(this)), m_texts(kMaxTexts) {
  setFrameShape(QFrame::NoFrame);
  setFocusPolicy(Qt::StrongFocus);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  setAccessibleName(tr("Timeline"));
  viewport()->setMouseTracking(true);
  viewport()->setAttribute(Qt::WA_OpaquePaintEvent);
  m_moreTexts.setSingleShot(true);
  m_moreTexts.setInterval(0);
  connect(&m_moreTexts, &QTimer::timeout, viewport(), qOverload<>(&QWidget::update));
}

TimelineView::~TimelineView() = default;

QRect TimelineView::eventsArea() const {
  return viewport()->rect().adjusted(kNamesWidth, kAxisHeight, 0, 0);
}

TimelineRange TimelineView::range() const {
  TimelineRange range;
  range.size = eventsArea().size().expandedTo({1, 1});
  range.ratio = devicePixelRatioF();
  range.step = (m_end - m_begin) / range.columns();
  // The edges of pixels stay at the same times while the view moves, so that nothing flickers
  range.begin = std::floor(m_begin / range.step) * range.step;
  range.top = verticalScrollBar()->value();
  return range;
}

double TimelineView::timeAt(double x) const {
  const TimelineRange now = range();
  return now.begin + (x - kNamesWidth) * now.ratio * now.step;
}

double TimelineView::placeOf(double time) const {
  const TimelineRange now = range();
  return kNamesWidth + (time - now.begin) / (now.step * now.ratio);
}

void TimelineView::setTrace(const TracePointer& trace, bool isSameFile) {
  std::optional<std::pair<uint32_t, TraceEvent>> kept;
  if (isSameFile && m_selected) kept = {m_selected->lane, eventOf(*m_picture.trace(), *m_selected)};
  m_picture.setTrace(trace);
  m_selected.reset();
  m_linked.clear();
  m_texts.clear();
  // The event may have moved to another row
  if (kept && trace)
    for (uint32_t row = 0; row < trace->lanes[kept->first]->rows.size() && !m_selected; ++row) {
      const size_t index = findEvent(trace->lanes[kept->first]->rows[row], kept->second);
      if (index != kNoEvent) m_selected = EventPlace{kept->first, row, index};
    }
  if (m_selected) m_linked = linkedEvents(*trace, *m_selected, kMaxLinked);
  if (!isSameFile) {
    m_rangeBegin = m_rangeEnd = 0;
    verticalScrollBar()->setValue(0);
  }
  updateScrollBar();
  if (!isSameFile || m_isWhole)
    showWhole();
  else
    redraw();
}

void TimelineView::updateScrollBar() {
  const int page = eventsArea().height();
  verticalScrollBar()->setPageStep(page);
  verticalScrollBar()->setSingleStep(kAxisHeight);
  verticalScrollBar()->setRange(0, std::max(0, m_picture.height() - page));
}

/// Draws everything again, after the view or the trace changed.
void TimelineView::redraw() {
  m_isPictureOld = true;
  viewport()->update();
  if (!trace()) return m_table->setView(nullptr, {}, 0, 1);
  const auto [first, last] = m_picture.rowsInView(range());
  const auto rows = m_picture.rows().begin();
  m_table->setView(
      trace(),
      {rows + static_cast<std::ptrdiff_t>(first), rows + static_cast<std::ptrdiff_t>(last)},
      m_begin, m_end);
}

void TimelineView::showWhole() {
  m_isWhole = true;
  m_begin = trace() ? static_cast<double>(trace()->begin) : 0;
  m_end = trace() ? static_cast<double>(trace()->end) : 1;
  // A little room, so that the last event is visible
  m_end = std::max(m_begin + kMinSpan, m_end + 0.01 * (m_end - m_begin));
  redraw();
  Q_EMIT viewChanged();
}

void TimelineView::setView(double begin, double end) {
  if (!trace()) return;
  const auto first = static_cast<double>(trace()->begin);
  const auto last = static_cast<double>(trace()->end);
  const double whole = std::max(kMinSpan, 1.01 * (last - first));
  if (end - begin >= whole) return showWhole();
  const double span = std::max(kMinSpan, end - begin);
  // At least a part of the trace stays in view
  m_begin = std::clamp(begin, first - span / 2, std::max(first, last - span / 2));
  m_end = m_begin + span;
  m_isWhole = false;
  redraw();
  Q_EMIT viewChanged();
}

void TimelineView::zoom(double factor, double around) {
  setView(around - (around - m_begin) * factor, around + (m_end - around) * factor);
}

void TimelineView::pan(double part) {
  const double by = part * (m_end - m_begin);
  if (!m_isWhole) setView(m_begin + by, m_end + by);
}

QString TimelineView::layerOf(const std::optional<EventPlace>& place) const {
  if (!place) return {};
  const TraceRecord& record = trace()->recordOf(eventOf(*trace(), *place));
  return text(trace()->texts[record.layer]);
}

void TimelineView::select(const std::optional<EventPlace>& place) {
  m_selected = place;
  m_linked = place ? linkedEvents(*trace(), *place, kMaxLinked) : std::vector<EventPlace>();
  if (place) reveal(*place);
  setAccessibleDescription(place ? describe(*place) : QString());
  viewport()->update();
  Q_EMIT eventSelected(layerOf(place));
}

/// Moves the view as far as needed to show an event.
void TimelineView::reveal(const EventPlace& place) {
  const TraceEvent& event = eventOf(*trace(), place);
  const auto begin = static_cast<double>(event.begin());
  const auto end = static_cast<double>(event.end());
  const double span = m_end - m_begin;
  if (end < m_begin || begin >= m_end) {
    const double middle = std::min((begin + end) / 2, begin + span / 3);
    setView(middle - span / 2, middle + span / 2);
  }
  const QRect area = areaOf(place);
  const QRect visible = eventsArea();
  QScrollBar* bar = verticalScrollBar();
  if (area.top() < visible.top()) bar->setValue(bar->value() + area.top() - visible.top());
  if (area.bottom() > visible.bottom())
    bar->setValue(bar->value() + area.bottom() - visible.bottom());
}

QRect TimelineView::areaOf(const EventPlace& place) const {
  for (const TimelineRow& row : m_picture.rows()) {
    if (row.kind != TimelineRow::Kind::Events || row.owner != place.lane || row.row != place.row)
      continue;
    const TraceEvent& event = eventOf(*trace(), place);
    // Far outside, drawing would overflow
    constexpr double kFar = 1e5;
    const double left = std::clamp(placeOf(static_cast<double>(event.begin())), -kFar, kFar);
    const double right = std::clamp(placeOf(static_cast<double>(event.end())), -kFar, kFar);
    const int top = kAxisHeight + row.top - verticalScrollBar()->value();
    constexpr int kHeight = 16;
    return {static_cast<int>(std::floor(left)), top,
            std::max(1, static_cast<int>(std::ceil(right) - std::floor(left))), kHeight};
  }
  return {};
}

QString TimelineView::describe(const EventPlace& place) const {
  const Trace& all = *trace();
  const TraceEvent& event = eventOf(all, place);
  const TraceRecord& record = all.recordOf(event);
  const TraceWork& work = all.works[record.work];
  QStringList lines{text(all.texts[record.name])};
  const auto add = [&](const QString& line, const QString& value) {
    if (!value.isEmpty()) lines << line.arg(value);
  };
  const auto addText = [&](const QString& line, uint32_t value) {
    add(line, text(all.texts[value]));
  };
  const auto addExtent = [&](const QString& line, const std::array<int64_t, 3>& extent) {
    if (extent[0] > 0) add(line, formatShape(strata::Shape{extent[0], extent[1], extent[2]}));
  };
  const bool hasPredicted = isPredicted(all.processes[all.lanes[place.lane]->process]);
  add(hasPredicted ? tr("Predicted duration: %1") : tr("Duration: %1"),
      formatNanoseconds(event.duration()));
  add(tr("Begin: %1"), formatNanoseconds(event.begin()));
  addText(tr("Layer: %1"), record.layer);
  addText(tr("Op: %1"), record.op);
  addText(tr("Phase: %1"), record.phase);
  addText(tr("Category: %1"), record.category);
  addExtent(tr("Grid: %1"), work.grid);
  addExtent(tr("Block: %1"), work.block);
  if (work.registers > 0) add(tr("Registers: %1"), formatCount(work.registers));
  if (work.sharedBytes > 0)
    add(tr("Shared memory: %1"), formatBytes(static_cast<double>(work.sharedBytes)));
  if (work.occupancy > 0) add(tr("Occupancy: %1"), formatPercent(work.occupancy));
  if (work.bytes > 0) add(tr("Memory traffic: %1"), formatBytes(work.bytes));
  return lines.join(u'\n');
}

void TimelineView::paintEvent(QPaintEvent*) {
  const Colors& colors = colorsOf(this);
  if (m_isPictureOld || m_picture.image().devicePixelRatio() != devicePixelRatioF()) {
    m_picture.setColors(colors.isDark, colors.card);
    m_picture.draw(range());
    m_isPictureOld = false;
  }
  QPainter painter(viewport());
  const QRect area = eventsArea();
  painter.fillRect(QRect(0, 0, viewport()->width(), kAxisHeight), colors.card);
  painter.fillRect(QRect(0, kAxisHeight, kNamesWidth, area.height()), colors.card);
  if (!trace() || area.isEmpty()) {
    painter.fillRect(area, colors.card);
    return;
  }
  painter.drawImage(area.topLeft(), m_picture.image());
  painter.setClipRect(area);
  drawTexts(painter);
  drawMarks(painter);
  drawSelection(painter);
  painter.setClipping(false);
  drawAxis(painter);
  painter.setClipRect(QRect(0, kAxisHeight, kNamesWidth, area.height()));
  drawNames(painter);
}

void TimelineView::drawAxis(QPainter& painter) {
  const Colors& colors = colorsOf(this);
  const TimelineRange now = range();
  const double perPixel = now.step * now.ratio;
  const double gap = 90 * perPixel;
  const TimeAxis axis = timeAxis(now.begin, now.begin + perPixel * now.size.width(), gap);
  painter.setPen(colors.muted);
  painter.drawText(QRect(0, 0, kNamesWidth - kTextMargin, kAxisHeight),
                   Qt::AlignRight | Qt::AlignVCenter, axis.base);
  for (const TimeAxis::Mark& mark : axis.marks) {
    const auto x = static_cast<int>(std::lround(placeOf(mark.time)));
    painter.setPen(colors.border);
    painter.drawLine(x, kAxisHeight - 6, x, kAxisHeight);
    const QRect area(x + kTextMargin, 0, static_cast<int>(gap / perPixel), kAxisHeight - 2);
    // A label that the edge would cut is left out
    if (area.x() + fontMetrics().horizontalAdvance(mark.label) > viewport()->width()) continue;
    painter.setPen(colors.muted);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter, mark.label);
  }
  painter.setPen(colors.border);
  painter.drawLine(0, kAxisHeight - 1, viewport()->width(), kAxisHeight - 1);
}

void TimelineView::drawNames(QPainter& painter) {
  const Colors& colors = colorsOf(this);
  const TimelineRange now = range();
  const auto [first, last] = m_picture.rowsInView(now);
  for (size_t i = first; i < last; ++i) {
    const TimelineRow& row = m_picture.rows()[i];
    const bool isProcess = row.kind == TimelineRow::Kind::Process;
    if (!isProcess && row.row > 0) continue;
    const QRect area(kTextMargin + (isProcess ? 0 : 10), kAxisHeight + row.top - now.top,
                     kNamesWidth - 2 * kTextMargin - (isProcess ? 0 : 10),
                     isProcess ? row.height : 16);
    QString name =
        text(isProcess ? trace()->processes[row.owner].name : trace()->lanes[row.owner]->name);
    const uint32_t process = isProcess ? row.owner : trace()->lanes[row.owner]->process;
    const bool hasPrediction = isPredicted(trace()->processes[process]);
    // The number of a card is in the middle of its name
    if (isProcess && hasPrediction && fontMetrics().horizontalAdvance(name) > area.width())
      name.remove(u"simulated:"_s);
    painter.setPen(isProcess ? colors.text : colors.muted);
    QFont words = font();
    words.setItalic(hasPrediction);
    painter.setFont(words);
    painter.drawText(
        area, Qt::AlignLeft | Qt::AlignVCenter,
        fontMetrics().elidedText(
            name, isProcess && hasPrediction ? Qt::ElideRight : Qt::ElideMiddle, area.width()));
  }
  painter.setFont(font());
}

/// Returns the prepared name of an event, which is empty until there is time to prepare it.
QStaticText TimelineView::textFor(const TraceEvent& event, int width) {
  constexpr int kLongest = 100, kWidthStep = 8;
  constexpr quint64 kFull = 0xffff;
  const quint64 name = trace()->recordOf(event).name;
  const auto prepared = [&](quint64 key, int room) -> std::optional<QStaticText> {
    if (const QStaticText* known = m_texts.object(key)) return *known;
    if (m_textsLeft <= 0) return {};
    --m_textsLeft;
    QString words = text(trace()->nameOf(event)).left(kLongest);
    if (room >= 0) words = fontMetrics().elidedText(words, Qt::ElideRight, room);
    QStaticText made(words);
    made.setTextFormat(Qt::PlainText);
    made.prepare(QTransform(), font());
    m_texts.insert(key, new QStaticText(made));
    return made;
  };
  std::optional<QStaticText> words = prepared(name << 16 | kFull, -1);
  if (words && words->size().width() > width) {
    const int steps = width / kWidthStep;
    words = prepared(name << 16 | static_cast<quint64>(steps), steps * kWidthStep);
  }
  if (!words) m_moreTexts.start();
  return words.value_or(QStaticText());
}

void TimelineView::drawTexts(QPainter& painter) {
  const Colors& colors = colorsOf(this);
  m_textsLeft = kMaxNewTexts;
  painter.setPen(colors.text);
  const QPoint origin = eventsArea().topLeft();
  const int raise = (16 - fontMetrics().height()) / 2;
  for (const TimelinePicture::Wide& each : m_picture.wide()) {
    const int width = each.area.width() - 2 * kTextMargin;
    const QStaticText words = textFor(eventOf(*trace(), each.place), width);
    painter.drawStaticText(origin + each.area.topLeft() + QPoint(kTextMargin, raise), words);
  }
}

/// Draws marks of all lanes as lines, and those of one lane as short lines; one for each pixel.
void TimelineView::drawMarks(QPainter& painter) {
  const Colors& colors = colorsOf(this);
  const TimelineRange now = range();
  const QRect area = eventsArea();
  const auto draw = [&](const SharedList<TraceMark>& marks, int top, int bottom) {
    for (int x = 0; x < area.width(); ++x) {
      const double time = now.begin + x * now.ratio * now.step;
      const size_t next = marks.partitionPoint(
          [&](const TraceMark& mark) { return static_cast<double>(mark.time) < time; });
      if (next >= marks.size()) return;
      const double place =
          (static_cast<double>(marks[next].time) - now.begin) / (now.step * now.ratio);
      if (place >= area.width()) return;
      x = std::max(x, static_cast<int>(place));
      painter.drawLine(area.left() + x, top, area.left() + x, bottom);
    }
  };
  painter.setPen(colors.border);
  draw(trace()->marks, area.top(), area.bottom());
  painter.setPen(colors.accent);
  const auto [first, last] = m_picture.rowsInView(now);
  for (size_t i = first; i < last; ++i) {
    const TimelineRow& row = m_picture.rows()[i];
    if (row.kind != TimelineRow::Kind::Events || row.row > 0) continue;
    const int top = area.top() + row.top - now.top;
    draw(trace()->lanes[row.owner]->marks, top, top + 3);
  }
}

void TimelineView::drawSelection(QPainter& painter) {
  const Colors& colors = colorsOf(this);
  if (m_rangeBegin < m_rangeEnd) {
    QColor shade = colors.accent;
    shade.setAlpha(40);
    QRectF area = eventsArea();
    area.setLeft(std::max(area.left(), placeOf(m_rangeBegin)));
    area.setRight(std::min(area.right() + 1, placeOf(m_rangeEnd)));
    if (area.width() > 0) painter.fillRect(area, shade);
  }
  if (!m_selected) return;
  painter.setPen(QPen(colors.accent, 1));
  const QRect own = areaOf(*m_selected);
  for (const EventPlace& place : m_linked) {
    const QRect other = areaOf(place);
    painter.drawLine(own.center(), other.center());
    painter.drawRect(other.adjusted(0, 0, -1, -1));
  }
  painter.setPen(QPen(colors.accent, 2));
  painter.drawRect(own.adjusted(-1, 0, 0, -1));
}

void TimelineView::resizeEvent(QResizeEvent*) {
  updateScrollBar();
  redraw();
}

void TimelineView::scrollContentsBy(int, int) { redraw(); }

void TimelineView::changeEvent(QEvent* event) {
  QAbstractScrollArea::changeEvent(event);
  if (event->type() == QEvent::FontChange) m_texts.clear();
  if (event->type() == QEvent::PaletteChange || event->type() == QEvent::FontChange ||
      event->type() == QEvent::StyleChange)
    redraw();
}

}  // namespace strata::ui
