// SPDX-License-Identifier: GPL-3.0-or-later
// Shows a trace over time: a line for each row of each thread and stream, an axis, and the names of
// wide events. A drag moves the view, the wheel zooms around the mouse, and a double-click shows
// the whole trace. A drag with Shift selects a range of time. Keys: arrows, + and -, Home; Return
// selects an event, Tab the next one while one is selected, and Esc none.
// Not here: the picture (timeline_picture.h), reading traces (core/trace).
// Thread: GUI thread.
#pragma once

#include <QAbstractScrollArea>
#include <QCache>
#include <QStaticText>
#include <QTimer>
#include <optional>

#include "ui/plots/timeline_picture.h"

namespace strata::ui {

class TimelineTable;

class TimelineView : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit TimelineView(QWidget* parent = nullptr);
  ~TimelineView() override;

  /// Shows a trace. While a file is read, each snapshot replaces the one before: the view and the
  /// selection stay if `isSameFile` is true. A null pointer shows nothing.
  void setTrace(const TracePointer& trace, bool isSameFile = false);
  const TracePointer& trace() const { return m_picture.trace(); }
  /// Returns the shown times, in nanoseconds.
  double begin() const { return m_begin; }
  double end() const { return m_end; }
  void setView(double begin, double end);
  void showWhole();
  /// Shows and selects an event.
  void select(const std::optional<EventPlace>& place);
  std::optional<EventPlace> selected() const { return m_selected; }
  /// Returns the events in view as a table, which screen readers read instead of the picture.
  TimelineTable* table() const { return m_table; }
  /// Returns what the tooltip of an event says.
  QString describe(const EventPlace& place) const;
  /// Returns where an event is drawn, in pixels of the viewport.
  QRect areaOf(const EventPlace& place) const;
  QSize sizeHint() const override { return {640, 320}; }

 Q_SIGNALS:
  void viewChanged();
  /// The name of the layer is empty if the event has none, or there is no event.
  void hovered(const QString& layer);
  void eventSelected(const QString& layer);
  /// In nanoseconds; begin equals end if there is no range.
  void rangeSelected(qint64 begin, qint64 end);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void changeEvent(QEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  bool focusNextPrevChild(bool isNext) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  enum class Drag { None, Pan, Range };
  QRect eventsArea() const;
  TimelineRange range() const;
  double timeAt(double x) const;
  double placeOf(double time) const;
  void updateScrollBar();
  void redraw();
  void zoom(double factor, double around);
  void pan(double part);
  void hover(const QPoint& place);
  bool selectNext(int by);
  void reveal(const EventPlace& place);
  std::optional<EventPlace> eventUnder(const QPoint& place) const;
  QString layerOf(const std::optional<EventPlace>& place) const;
  void setRange(double begin, double end);
  void drawAxis(QPainter& painter);
  void drawNames(QPainter& painter);
  void drawTexts(QPainter& painter);
  void drawMarks(QPainter& painter);
  void drawSelection(QPainter& painter);
  QStaticText textFor(const TraceEvent& event, int width);

  TimelinePicture m_picture;
  TimelineTable* m_table;
  bool m_isPictureOld = true;
  double m_begin = 0, m_end = 1;
  bool m_isWhole = true;
  std::optional<EventPlace> m_selected;
  std::vector<EventPlace> m_linked;
  // The selected range of time; both ends are equal if there is none
  double m_rangeBegin = 0, m_rangeEnd = 0;
  Drag m_drag = Drag::None;
  QPoint m_pressed, m_last;
  bool m_hasMoved = false;
  QString m_hoveredLayer;
  // Prepared texts, by name and width
  QCache<quint64, QStaticText> m_texts;
  // Texts that may still be prepared in this frame
  int m_textsLeft = 0;
  QTimer m_moreTexts;
};

}  // namespace strata::ui
