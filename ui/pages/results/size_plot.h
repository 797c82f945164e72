// SPDX-License-Identifier: GPL-3.0-or-later
// A plot of the number of parameters of runs against one of their results. Hovering names a run.
// The table of the comparison is its twin for screen readers. Thread: GUI thread.
#pragma once

#include <QString>
#include <QWidget>
#include <vector>

class QCPGraph;
class QCustomPlot;
class QLabel;

namespace strata::ui {

class SizePlot : public QWidget {
  Q_OBJECT
 public:
  struct Point {
    QString name;
    double parameters = 0, result = 0;
  };
  explicit SizePlot(QWidget* parent);
  /// Shows these points. `title` is the name of the result.
  void setPoints(std::vector<Point> points, const QString& title);
  QCustomPlot* plot() const { return m_plot; }
  /// Returns the name of the point at this place of the plot, or "".
  QString nameAt(const QPoint& place) const;

 protected:
  void changeEvent(QEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void applyColors();

  std::vector<Point> m_points;
  QString m_title;
  QCustomPlot* m_plot;
  QCPGraph* m_graph;
};

}  // namespace strata::ui
