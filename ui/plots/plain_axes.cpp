// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plain_axes.h"

#include <QEvent>
#include <algorithm>

#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"

namespace strata::ui {

namespace {

/// Leaves the wheel to the page that the plot is on.
class WheelPasser : public QObject {
 public:
  using QObject::QObject;

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Wheel) return QObject::eventFilter(watched, event);
    event->ignore();
    return true;
  }
};

}  // namespace

void makePlainAxes(QCustomPlot& plot) {
  plot.setFocusPolicy(Qt::NoFocus);
  plot.installEventFilter(new WheelPasser(&plot));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);
    axis->setTickLabelPadding(6);
    axis->grid()->setZeroLinePen(Qt::NoPen);
    axis->ticker()->setTickCount(5);
  }
}

void colorPlainAxes(QCustomPlot& plot) {
  const Colors& colors = colorsOf(&plot);
  plot.setBackground(QBrush(colors.card));
  QFont small = plot.font();
  small.setPointSizeF(std::max(7.0, plot.font().pointSizeF() - 1.5));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
    axis->setBasePen(QPen(colors.border, 1));
    axis->setTickLabelColor(colors.muted);
    axis->setTickLabelFont(small);
    axis->setLabelColor(colors.muted);
    axis->setLabelFont(small);
    axis->grid()->setPen(QPen(colors.hairline, 1));
  }
}

void tidyRunAxes(QCustomPlot& plot) {
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);
  }
  plot.xAxis->grid()->setVisible(false);
}

void colorRunAxes(QCustomPlot& plot) {
  colorPlainAxes(plot);
  plot.yAxis->setBasePen(QPen(colorsOf(&plot).card, 1));
  for (QCPAxis* axis : {plot.xAxis, plot.yAxis})
    axis->grid()->setZeroLinePen(Qt::NoPen);
}

}  // namespace strata::ui
