// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/device_plot.h"

#include <QEvent>
#include <QVBoxLayout>
#include <algorithm>
#include <map>

#include "ui/format.h"
#include "ui/plots/axis_tickers.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// Labels the values of a quantity with their unit.
class QuantityTicker : public QCPAxisTicker {
 public:
  explicit QuantityTicker(std::function<QString(double)> format) : m_format(std::move(format)) {}

 protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override { return m_format(tick); }

 private:
  const std::function<QString(double)> m_format;
};

}  // namespace

DevicePlot::DevicePlot(DeviceQuantity quantity, const QString& title,
                       std::function<QString(double)> format, QWidget* parent)
    : QWidget(parent), m_quantity(quantity), m_title(title), m_format(std::move(format)) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(tr("%1 over time").arg(title));
  m_plot = new QCustomPlot(this);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setAccessibleName(tr("%1 over time").arg(title));
  m_plot->setMinimumHeight(120);
  layout->addWidget(m_plot, 1);
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new DurationTicker));
  const bool isMemory =
      quantity == DeviceQuantity::OwnMemory || quantity == DeviceQuantity::OtherMemory;
  if (isMemory)
    m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new BytesTicker));
  else
    m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new QuantityTicker(m_format)));
  m_plot->xAxis->setLabel(tr("Training time"));
  m_plot->axisRect()->setMinimumMargins(QMargins(64, 6, 18, 30));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);
  }
  m_plot->xAxis->grid()->setVisible(false);
  m_navigator = new PlotNavigator(m_plot, this);
  applyColors();
  connect(m_navigator, &PlotNavigator::viewChanged, this, &DevicePlot::redraw);
  connect(m_navigator, &PlotNavigator::cursorChanged, this, &DevicePlot::updateReading);
  new PlotMenu(
      m_plot,
      [this] {
        PlotCaption caption{m_title, {}};
        for (const Line& line : m_lines)
          caption.legend.push_back({line.device, line.color});
        return caption;
      },
      [this] { return table(); });
}

void DevicePlot::refresh(std::vector<Line> lines, double endSeconds) {
  m_lines = std::move(lines);
  const double end = std::max(0.1, endSeconds);
  m_navigator->setWhole(0, end, 1e-3 * end);
  redraw();
}

void DevicePlot::redraw() {
  while (m_graphs.size() > m_lines.size()) {
    m_plot->removeGraph(m_graphs.back());
    m_graphs.pop_back();
  }
  while (m_graphs.size() < m_lines.size()) {
    m_graphs.push_back(m_plot->addGraph());
    m_graphs.back()->setSelectable(QCP::stNone);
  }
  const double from = m_navigator->from(), to = m_navigator->to();
  const int columns = std::max(50, m_plot->axisRect()->width());
  double top = 0;
  for (size_t i = 0; i < m_lines.size(); ++i) {
    QVector<double> places, values;
    if (m_lines[i].series)
      for (const CurvePoint& point : m_lines[i].series->envelope(from, to, columns)) {
        places << point.step;
        values << point.value;
        top = std::max(top, point.value);
      }
    m_graphs[i]->setData(places, values, true);
    m_graphs[i]->setPen(QPen(m_lines[i].color, 1));
  }
  if (m_quantity == DeviceQuantity::Utilization) top = 1;
  m_plot->xAxis->setRange(from, to);
  m_plot->yAxis->setRange(0, top > 0 ? 1.1 * top : 1);
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

/// Describes the values at the line that follows the mouse, as a tooltip.
void DevicePlot::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  QStringList lines;
  if (at)
    for (const Line& line : m_lines)
      if (line.series)
        if (const auto reading = line.series->near(*at))
          lines << tr("%1: %2").arg(line.device, m_format(reading->maximum));
  if (!lines.isEmpty()) lines.prepend(tr("%1 after %2").arg(m_title, formatSeconds(*at)));
  m_plot->setToolTip(lines.join(u'\n'));
  setAccessibleDescription(lines.join(u", "_s));
}

PlotTable DevicePlot::table() const {
  PlotTable table{{u"seconds"_s}, {}};
  std::map<double, QStringList> rows;
  constexpr int kAll = 100'000;
  for (size_t i = 0; i < m_lines.size(); ++i) {
    table.columns << m_lines[i].device;
    if (!m_lines[i].series) continue;
    for (const CurvePoint& point :
         m_lines[i].series->envelope(0, m_lines[i].series->lastStep(), kAll)) {
      QStringList& cells = rows[point.step];
      cells.resize(static_cast<qsizetype>(m_lines.size()));
      cells[static_cast<qsizetype>(i)] = cellOf(point.value);
    }
  }
  for (const auto& [seconds, cells] : rows)
    table.rows.push_back(QStringList{cellOf(seconds)} + cells);
  return table;
}

void DevicePlot::applyColors() {
  colorRunAxes(*m_plot);
  m_navigator->applyColors();
}

void DevicePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || !m_navigator) return;
  applyColors();
  redraw();
}

void DevicePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  redraw();
}

}  // namespace strata::ui
