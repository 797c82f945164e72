// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/plot_marks.h"

#include <algorithm>
#include <cmath>

#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"

namespace strata::ui {

// Lines are at least so many pixels apart
static constexpr double kLineGap = 3;
static constexpr double kReach = 5;

static QPen penOf(RunMark::Kind kind, const Colors& colors) {
  switch (kind) {
    case RunMark::Kind::Setting: return QPen(colors.cost, 1);
    case RunMark::Kind::Stage: return QPen(colors.muted, 1);
    case RunMark::Kind::Continuation: return QPen(colors.accent, 1, Qt::DashLine);
    case RunMark::Kind::Checkpoint:
    case RunMark::Kind::BestWeights: return QPen(colors.border, 1, Qt::DotLine);
  }
  return {};
}

/// Marks of a higher rank hide those that they touch.
static int rankOf(RunMark::Kind kind) {
  if (kind == RunMark::Kind::Checkpoint) return 0;
  return kind == RunMark::Kind::BestWeights ? 1 : 2;
}

void PlotMarks::draw() {
  const QCPRange range = m_plot->xAxis->range();
  const Colors& colors = colorsOf(m_plot);
  std::vector<PlotMark> shown;
  double last = -1e9;
  for (const PlotMark& mark : m_marks) {
    if (!range.contains(mark.x)) continue;
    const double pixel = m_plot->xAxis->coordToPixel(mark.x);
    if (pixel - last < kLineGap && !shown.empty()) {
      if (rankOf(mark.kind) > rankOf(shown.back().kind)) shown.back() = mark;
      continue;
    }
    last = pixel;
    shown.push_back(mark);
  }
  while (m_lines.size() < shown.size()) {
    auto* line = new QCPItemLine(m_plot);
    line->setSelectable(false);
    line->start->setTypeY(QCPItemPosition::ptAxisRectRatio);
    line->end->setTypeY(QCPItemPosition::ptAxisRectRatio);
    m_lines.push_back(line);
  }
  for (size_t i = 0; i < m_lines.size(); ++i) {
    m_lines[i]->setVisible(i < shown.size());
    if (i >= shown.size()) continue;
    m_lines[i]->setPen(penOf(shown[i].kind, colors));
    m_lines[i]->start->setCoords(shown[i].x, 0);
    m_lines[i]->end->setCoords(shown[i].x, 1);
  }
}

QStringList PlotMarks::wordsNear(double x) const {
  constexpr qsizetype kMostWords = 4;
  QStringList words;
  const double pixel = m_plot->xAxis->coordToPixel(x);
  for (const PlotMark& mark : m_marks)
    if (std::abs(m_plot->xAxis->coordToPixel(mark.x) - pixel) <= kReach &&
        words.size() < kMostWords)
      words << mark.words;
  return words;
}

}  // namespace strata::ui
