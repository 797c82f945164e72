// SPDX-License-Identifier: GPL-3.0-or-later
// Navigates in a plot along x. The wheel zooms around the mouse, and a drag zooms into a range. A
// drag with Shift or the middle button moves the view, and a double-click shows the whole range. A
// line follows the mouse or the arrow keys. The navigator has no data: the plot reads its range.
// Thread: GUI thread.
#pragma once

#include <QObject>
#include <QPoint>
#include <optional>
#include <vector>

class QCPItemLine;
class QCPItemRect;
class QCustomPlot;
class QKeyEvent;
class QMouseEvent;
class QWidget;
class QWheelEvent;

namespace strata::ui {

class PlotNavigator : public QObject {
  Q_OBJECT
 public:
  /// Creates the navigator of a plot. `keys` is the widget that has the keyboard focus for the
  /// plot.
  PlotNavigator(QCustomPlot* plot, QWidget* keys);

  /// Sets the range of an unzoomed view, and the smallest range of a view. On a logarithmic axis,
  /// the wheel zooms by factors.
  void setWhole(double from, double to, double minSpan = 2, bool isLogarithmic = false);
  void showWhole();
  /// Shows a part of the whole range, at least the smallest one.
  void setView(double from, double to);
  /// Takes over the view or the line of another plot with the same whole range.
  void adoptView(const PlotNavigator& other);
  void adoptCursor(const PlotNavigator& other);
  bool isZoomed() const { return m_isZoomed; }
  double from() const { return m_isZoomed ? m_from : m_wholeFrom; }
  double to() const { return m_isZoomed ? m_to : m_wholeTo; }
  /// Returns the position of the line, or nullopt while neither mouse nor keys point at a step.
  std::optional<double> cursor() const { return m_cursor; }
  /// Returns the name of the plot layer that is redrawn without the curves. The layer contains the
  /// items that follow the mouse.
  static const char* overlayName();
  /// Redraws only the overlay.
  void redrawOverlay();
  void setOverlayVisible(bool isVisible);
  void applyColors();

 Q_SIGNALS:
  void viewChanged();
  void cursorChanged();
  void menuRequested(const QPoint& global);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  enum class Drag { None, Select, Pan };
  bool onPress(const QMouseEvent& event);
  void onMove(const QMouseEvent& event);
  bool onRelease();
  void onWheel(const QWheelEvent& event);
  bool onKey(const QKeyEvent& event);
  void zoom(double factor, double around);
  void pan(double by);
  void setCursor(std::optional<double> x);
  void showSelection();
  double xAt(double pixel) const;

  QCustomPlot* const m_plot;
  QWidget* const m_keys;
  QCPItemLine* m_line;
  QCPItemRect* m_selection;
  bool m_isZoomed = false;
  bool m_isLogarithmic = false;
  double m_minSpan = 2;
  double m_wholeFrom = 0, m_wholeTo = 1, m_from = 0, m_to = 1;
  std::optional<double> m_cursor;
  // The horizontal mouse position in pixels, while the line follows the mouse.
  std::optional<int> m_mouse;
  Drag m_drag = Drag::None;
  QPoint m_dragStart, m_dragEnd;
};

/// Lets several plots zoom and move together, and shows the line of one in all of them. Their whole
/// ranges may differ only while no plot is zoomed.
class LinkedPlots : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  void add(PlotNavigator* navigator);

 private:
  std::vector<PlotNavigator*> m_navigators;
  // Whether a change is being passed on
  bool m_isBusy = false;
};

}  // namespace strata::ui
