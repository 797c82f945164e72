// SPDX-License-Identifier: GPL-3.0-or-later
// Plots rows of a profile against the limits of the device (roofline model: Williams, Waterman and
// Patterson, "Roofline: An Insightful Visual Performance Model", 2009): arithmetic per byte to the
// right, arithmetic per second upwards. A row below the slope is limited by memory. Thread: GUI
// thread.
#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/cost/speed_limits.h"

class QCustomPlot;
class QCPGraph;
class QCPItemText;
class QLabel;

namespace strata::ui {

class RooflinePlot : public QWidget {
  Q_OBJECT
 public:
  explicit RooflinePlot(QWidget* parent = nullptr);
  struct Point {
    QString name, layer;
    // FLOP per byte, FLOP per second, and the part of the step
    double intensity = 0, rate = 0, share = 0;
  };
  /// `precision` is that of the run, whose limit is drawn stronger.
  void setPoints(std::vector<Point> points, const SpeedLimits& limits, const std::string& precision,
                 bool isPredicted);
  const std::vector<Point>& points() const { return m_points; }
  QCustomPlot* plot() const { return m_plot; }
  /// Returns where a point is drawn, in pixels of the plot.
  QPointF placeOf(size_t point) const;
  /// Returns the index of the point at a pixel.
  std::optional<size_t> pointAt(const QPointF& place) const;
  /// Returns the rate that the limits allow at an intensity.
  static double roofAt(double intensity, double flopsPerSecond, double bytesPerSecond);

 Q_SIGNALS:
  void pointClicked(const QString& layer);

 protected:
  void changeEvent(QEvent* event) override;
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void redraw();
  void applyColors();
  QString describe(const Point& point) const;

  QLabel* m_note;
  QCustomPlot* m_plot;
  QCPGraph* m_dots = nullptr;
  // The roof of each precision, and its name
  std::vector<QCPGraph*> m_roofs;
  std::vector<QCPItemText*> m_names;
  std::vector<Point> m_points;
  SpeedLimits m_limits;
  std::string m_precision;
  bool m_isPredicted = false;
};

}  // namespace strata::ui
