// SPDX-License-Identifier: GPL-3.0-or-later
// A small curve of any values over any places, with the ends of both axes as text, and one marked
// place: the rates of a schedule, or the losses of a range test. Screen readers read its accessible
// description. Not here: metrics of a run (metric_plot.h). Thread: GUI thread.
#pragma once

#include <QList>
#include <QPointF>
#include <QString>
#include <QWidget>
#include <optional>

namespace strata::ui {

class CurveView : public QWidget {
  Q_OBJECT
 public:
  explicit CurveView(QWidget* parent = nullptr);
  /// Shows the points, which are sorted by x. With `isLogarithmic`, the x axis is logarithmic and
  /// all x are positive. `mark` is the x of a vertical line.
  void setPoints(QList<QPointF> points, bool isLogarithmic, std::optional<double> mark = {});
  /// Sets the texts at the ends of the x axis.
  void setEnds(const QString& left, const QString& right);
  const QList<QPointF>& points() const { return m_points; }
  std::optional<double> mark() const { return m_mark; }
  QSize sizeHint() const override { return {240, 96}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  double place(double x) const;

  QList<QPointF> m_points;
  QString m_left, m_right;
  std::optional<double> m_mark;
  bool m_isLogarithmic = false;
};

}  // namespace strata::ui
