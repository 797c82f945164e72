// SPDX-License-Identifier: GPL-3.0-or-later
// Runs as lines over parallel axes: one axis for each setting that differs, and one for a result.
// Hovering names a run, a click chooses it. The table of all runs is its twin for screen readers.
// Thread: GUI thread.
#pragma once

#include <QPointF>
#include <QWidget>
#include <optional>
#include <string>
#include <vector>

#include "core/run_list/run_table.h"

namespace strata::ui {

class ParallelPlot : public QWidget {
  Q_OBJECT
 public:
  explicit ParallelPlot(QWidget* parent);
  /// Shows the cells of these runs, with an axis for each column.
  void setRuns(const std::vector<const RunRow*>& rows, const std::vector<RunColumn>& columns);
  /// Emphasizes runs by RunInfo::listedAt.
  void setSelected(std::vector<std::string> runs);
  /// Returns the run whose line is nearest to a place and close to it, or "".
  std::string runAt(const QPointF& place) const;
  /// Returns where the line of a run crosses an axis.
  QPointF placeOf(size_t run, size_t axis) const;

 Q_SIGNALS:
  void chosen(const std::string& listedAt);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void leaveEvent(QEvent* event) override;

 private:
  struct Tick {
    // Place on the axis: 0 at the bottom, 1 at the top
    double share = 0;
    QString words;
  };
  struct Axis {
    QString title;
    std::vector<Tick> ticks;
  };
  struct Line {
    std::string run;
    QString name;
    // Absent where the run has no value
    std::vector<std::optional<double>> shares;
    QStringList values;
  };
  void addAxis(const RunColumn& column, const std::vector<const RunRow*>& rows);
  QRectF room() const;
  double across(size_t axis) const;
  const Line* lineOf(const std::string& run) const;
  void paintAxes(QPainter& painter) const;

  std::vector<Axis> m_axes;
  std::vector<Line> m_lines;
  std::vector<std::string> m_selected;
  // The run under the mouse pointer, or ""
  std::string m_hovered;
};

}  // namespace strata::ui
