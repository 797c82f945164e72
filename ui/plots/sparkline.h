// SPDX-License-Identifier: GPL-3.0-or-later
// A small curve of one quantity over time, without axes. Next to it stand its values as text, which
// screen readers read. Thread: GUI thread.
#pragma once

#include <QWidget>

#include "ui/run/metric_history.h"

namespace strata::ui {

class Sparkline : public QWidget {
  Q_OBJECT
 public:
  explicit Sparkline(QWidget* parent = nullptr);
  /// Shows the series from 0 to `lastStep`, with values from 0 to `top`. The series must stay valid
  /// until the next call; null shows nothing.
  void setSeries(const MetricSeries* series, double lastStep, double top);
  QSize sizeHint() const override { return {240, 40}; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  const MetricSeries* m_series = nullptr;
  double m_lastStep = 0, m_top = 1;
};

}  // namespace strata::ui
