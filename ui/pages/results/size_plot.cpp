// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/size_plot.h"

#include <QEvent>
#include <QHelpEvent>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kDot = 9;

SizePlot::SizePlot(QWidget* parent) : QWidget(parent), m_plot(new QCustomPlot(this)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 14, 10);
  layout->addWidget(m_plot);
  m_plot->setMinimumHeight(190);
  makePlainAxes(*m_plot);
  m_plot->xAxis->setLabel(tr("Parameters"));
  m_plot->setAccessibleName(tr("Size of the runs against their result"));
  m_plot->setMouseTracking(true);
  m_plot->installEventFilter(this);
  m_graph = m_plot->addGraph();
  m_graph->setLineStyle(QCPGraph::lsNone);
  m_graph->setSelectable(QCP::stNone);
  new PlotMenu(
      m_plot,
      [this] {
        return PlotCaption{tr("%1 against parameters").arg(m_title), {}};
      },
      [this] {
        PlotTable table{{u"run"_s, u"parameters"_s, u"result"_s}, {}};
        for (const Point& point : m_points)
          table.rows.push_back({point.name, cellOf(point.parameters), cellOf(point.result)});
        return table;
      });
  applyColors();
}

void SizePlot::setPoints(std::vector<Point> points, const QString& title) {
  m_points = std::move(points);
  m_title = title;
  m_plot->yAxis->setLabel(title);
  QVector<double> sizes, results;
  QStringList words;
  for (const Point& point : m_points) {
    sizes << point.parameters;
    results << point.result;
    words << tr("%1: %2, %3")
                 .arg(point.name, parametersText(static_cast<int64_t>(point.parameters)),
                      formatValue(point.result));
  }
  m_graph->setData(sizes, results);
  m_plot->setAccessibleDescription(words.join(u'\n'));
  const auto setRange = [](QCPAxis* axis, const QVector<double>& values) {
    if (values.isEmpty()) return;
    const auto [low, high] = std::ranges::minmax(values);
    const double room = high > low ? 0.15 * (high - low) : std::max(std::abs(high) * 0.1, 1e-6);
    axis->setRange(low - room, high + room);
  };
  setRange(m_plot->xAxis, sizes);
  setRange(m_plot->yAxis, results);
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

QString SizePlot::nameAt(const QPoint& place) const {
  const Point* nearest = nullptr;
  double least = kDot;
  for (const Point& point : m_points) {
    const double distance = std::hypot(m_plot->xAxis->coordToPixel(point.parameters) - place.x(),
                                       m_plot->yAxis->coordToPixel(point.result) - place.y());
    if (distance > least) continue;
    nearest = &point;
    least = distance;
  }
  return nearest
             ? tr("%1: %2, %3")
                   .arg(nearest->name, parametersText(static_cast<int64_t>(nearest->parameters)),
                        formatValue(nearest->result))
             : QString();
}

bool SizePlot::eventFilter(QObject* watched, QEvent* event) {
  if (watched == m_plot && event->type() == QEvent::MouseMove) {
    const auto* move = static_cast<QMouseEvent*>(event);
    const QString name = nameAt(move->pos());
    m_plot->setToolTip(name);
    if (name.isEmpty())
      QToolTip::hideText();
    else
      QToolTip::showText(move->globalPosition().toPoint(), name, m_plot);
  }
  return QWidget::eventFilter(watched, event);
}

void SizePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_plot) return;
  applyColors();
  m_plot->replot(QCustomPlot::rpQueuedReplot);
}

void SizePlot::applyColors() {
  colorPlainAxes(*m_plot);
  const Colors& colors = colorsOf(this);
  m_graph->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(colors.accent, 1),
                                           QBrush(colors.accent), kDot));
}

}  // namespace strata::ui
