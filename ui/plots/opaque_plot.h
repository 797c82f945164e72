// SPDX-License-Identifier: GPL-3.0-or-later
// A plot whose picture is opaque. QCustomPlot has a transparent one, and blends it with the
// background of the widget. An opaque one is copied, and graphs can write their pixels to it
// (curve_graph.h).
// Thread: GUI thread.
#pragma once

#include "ui/plots/qcp.h"

namespace strata::ui {

class OpaquePlot final : public QCustomPlot {
 public:
  explicit OpaquePlot(QWidget* parent = nullptr);

 protected:
  void paintEvent(QPaintEvent* event) override;
  /// Ignores empty sizes, which a plot receives before the layout is computed.
  void resizeEvent(QResizeEvent* event) override;

 private:
  class Buffer;
};

}  // namespace strata::ui
