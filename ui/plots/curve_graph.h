// SPDX-License-Identifier: GPL-3.0-or-later
// A graph for curves of millions of steps. If it has about as many points as columns of pixels, or
// more, it fills each column from the smallest to the largest value: the same pixels as those of
// the line that goes up and down there, many times faster.
// Thread: the window's.
#pragma once

#include "ui/plots/qcp.h"

namespace strata::ui {

class CurveGraph : public QCPGraph {
 public:
  using QCPGraph::QCPGraph;

 protected:
  void draw(QCPPainter* painter) override;
};

}  // namespace strata::ui
