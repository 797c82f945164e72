// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/memory_time_plot.h"

#include <QEvent>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "ui/format.h"
#include "ui/plots/axis_tickers.h"
#include "ui/plots/legend.h"
#include "ui/plots/plain_axes.h"
#include "ui/plots/plot_menu.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/theme/category_colors.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The bands above those of the categories
constexpr size_t kHoles = 0, kSamples = 1, kContext = 2, kOthers = 3;

}  // namespace

MemoryTimePlot::MemoryTimePlot(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 8, 8);
  layout->setSpacing(4);
  setFocusPolicy(Qt::StrongFocus);
  m_title = new QLabel(this);
  setRole(m_title, "section");
  layout->addWidget(m_title);
  m_plot = new QCustomPlot(this);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setMinimumHeight(150);
  layout->addWidget(m_plot, 1);
  m_legend = new QLabel(this);
  m_legend->setWordWrap(true);
  m_legend->setTextFormat(Qt::RichText);
  setRole(m_legend, "muted");
  layout->addWidget(m_legend);
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new DurationTicker));
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(new BytesTicker));
  m_plot->xAxis->setLabel(tr("Training time"));
  m_plot->axisRect()->setMinimumMargins(QMargins(56, 6, 18, 30));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);
  }
  m_plot->xAxis->grid()->setVisible(false);
  m_navigator = new PlotNavigator(m_plot, this);
  const auto makeLine = [this] {
    auto* line = new QCPItemLine(m_plot);
    line->setSelectable(false);
    line->start->setTypeX(QCPItemPosition::ptAxisRectRatio);
    line->end->setTypeX(QCPItemPosition::ptAxisRectRatio);
    line->setVisible(false);
    return line;
  };
  m_predicted = makeLine();
  m_limit = makeLine();
  m_total = makeLine();
  makeBands();
  applyColors();
  connect(m_navigator, &PlotNavigator::viewChanged, this, &MemoryTimePlot::redraw);
  connect(m_navigator, &PlotNavigator::cursorChanged, this, &MemoryTimePlot::updateReading);
  new PlotMenu(
      m_plot, [this] { return caption(); }, [this] { return table(); });
}

void MemoryTimePlot::makeBands() {
  m_floor = m_plot->addGraph();
  QCPGraph* below = m_floor;
  const auto add = [&](const QString& title) {
    auto* top = m_plot->addGraph();
    top->setChannelFillGraph(below);
    top->setLineStyle(QCPGraph::lsStepLeft);
    top->setSelectable(QCP::stNone);
    m_bands.push_back({title, {}, top});
    below = top;
  };
  m_floor->setSelectable(QCP::stNone);
  for (size_t i = 0; i < kNumCategories; ++i)
    add(categoryTitle(static_cast<Category>(i)));
  add(tr("Alignment and holes"));
  add(tr("Samples and transfers"));
  add(tr("Program and libraries"));
  add(tr("Other processes"));
}

void MemoryTimePlot::setFigures(const QString& device, const Figures& figures) {
  m_device = device;
  m_figures = figures;
  const QString title = tr("Memory over time, %1").arg(device);
  m_title->setText(title);
  setAccessibleName(title);
  m_plot->setAccessibleName(title);
  redraw();
}

void MemoryTimePlot::refresh(const DeviceHistory* history, double endSeconds) {
  m_history = history;
  m_end = std::max(0.1, endSeconds);
  m_navigator->setWhole(0, m_end, 1e-3 * m_end);
  redraw();
}

void MemoryTimePlot::setOthersShown(bool isShown) {
  m_hasOthers = isShown;
  redraw();
}

void MemoryTimePlot::redraw() {
  const double from = m_navigator->from(), to = m_navigator->to();
  const int columns = std::max(50, m_plot->axisRect()->width());
  // The sums are constant up to the samples. What the process has beyond them is the program.
  QVector<double> ends{from, to};
  double sum = 0;
  m_floor->setData(ends, {0, 0}, true);
  m_tops.clear();
  const auto setConstant = [&](size_t band, double bytes) {
    sum += bytes;
    m_bands[band].top->setData(ends, {sum, sum}, true);
    m_tops.push_back(sum);
  };
  for (size_t i = 0; i < kNumCategories; ++i)
    setConstant(i, static_cast<double>(m_figures.network[i]));
  setConstant(kNumCategories + kHoles, m_figures.holes);
  setConstant(kNumCategories + kSamples, m_figures.samples + m_figures.transfers);
  QVector<double> places, own, all;
  if (m_history) {
    const auto points = m_history->series(DeviceQuantity::OwnMemory).envelope(from, to, columns);
    const MetricSeries& others = m_history->series(DeviceQuantity::OtherMemory);
    for (const CurvePoint& point : points) {
      const auto other = others.near(point.step);
      places << point.step;
      own << std::max(sum, point.value);
      all << own.back() + (other ? other->maximum : 0.0);
    }
    if (!places.isEmpty() && places.back() < to && !m_navigator->isZoomed()) {
      places << std::min(to, m_history->last().seconds);
      own << own.back();
      all << all.back();
    }
  }
  if (places.isEmpty()) {
    places = ends;
    own = all = {sum + m_figures.context, sum + m_figures.context};
  }
  m_bands[kNumCategories + kContext].top->setData(places, own, true);
  m_bands[kNumCategories + kOthers].top->setData(places, all, true);
  m_bands[kNumCategories + kOthers].top->setVisible(m_hasOthers);
  m_tops.push_back(own.back());
  m_tops.push_back(all.back());
  double top = *std::ranges::max_element(m_hasOthers ? all : own);
  top = std::max(top, m_figures.predicted);
  const auto place = [&](QCPItemLine* line, double bytes, bool isWanted) {
    line->setVisible(bytes > 0 && isWanted);
    line->start->setCoords(0, bytes);
    line->end->setCoords(1, bytes);
    if (line->visible()) top = std::max(top, bytes);
  };
  place(m_predicted, m_figures.predicted, true);
  // A limit far above the memory in use would make everything else a line
  constexpr double kNear = 3;
  place(m_limit, m_figures.limit, m_hasOthers || m_figures.limit < kNear * top);
  place(m_total, m_figures.total, m_hasOthers || m_figures.total < kNear * top);
  m_plot->xAxis->setRange(from, to);
  m_plot->yAxis->setRange(0, 1.08 * top);
  updateLegend();
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

void MemoryTimePlot::updateLegend() {
  QStringList entries, words;
  const auto add = [&](const QColor& color, const QString& entry, bool isPredicted) {
    words << entry;
    entries << legendEntry(entry, color, isPredicted);
  };
  double below = 0;
  for (size_t i = 0; i < m_bands.size() && i < m_tops.size(); ++i) {
    const double bytes = m_tops[i] - below;
    below = m_tops[i];
    const bool isOthers = i == kNumCategories + kOthers;
    if (bytes <= 0 || (isOthers && !m_hasOthers)) continue;
    add(m_bands[i].color, tr("%1 %2").arg(m_bands[i].title, formatBytes(bytes)),
        i == kNumCategories + kContext && (m_figures.isContextEstimated || !m_history));
  }
  if (m_figures.predicted > 0)
    add({}, tr("predicted %1").arg(formatBytes(m_figures.predicted)), true);
  if (m_figures.limit > 0) add({}, tr("limit %1").arg(formatBytes(m_figures.limit)), false);
  if (m_figures.total > 0)
    add({}, tr("memory of the device %1").arg(formatBytes(m_figures.total)), false);
  const QString legend = legendOf(entries);
  if (legend == m_legend->text()) return;
  m_legend->setText(legend);
  m_plot->setAccessibleDescription(words.join(u", "_s));
}

/// Describes the memory at the line that follows the mouse, as a tooltip.
void MemoryTimePlot::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  if (!at || !m_history) {
    m_plot->setToolTip({});
    return;
  }
  const auto own = m_history->series(DeviceQuantity::OwnMemory).near(*at),
             other = m_history->series(DeviceQuantity::OtherMemory).near(*at);
  QStringList lines{tr("After %1").arg(formatSeconds(*at))};
  if (own) lines << tr("This process: %1").arg(formatBytes(own->maximum));
  if (other) lines << tr("Other processes: %1").arg(formatBytes(other->maximum));
  m_plot->setToolTip(lines.join(u'\n'));
  setAccessibleDescription(lines.join(u", "_s));
}

PlotCaption MemoryTimePlot::caption() const {
  PlotCaption caption{m_title->text(), {}};
  double below = 0;
  for (size_t i = 0; i < m_bands.size() && i < m_tops.size(); ++i) {
    if (m_tops[i] > below && (i < kNumCategories + kOthers || m_hasOthers))
      caption.legend.push_back({m_bands[i].title, m_bands[i].color});
    below = m_tops[i];
  }
  return caption;
}

PlotTable MemoryTimePlot::table() const {
  PlotTable table{{u"seconds"_s, u"own_bytes"_s, u"other_bytes"_s}, {}};
  if (!m_history) return table;
  const MetricSeries& own = m_history->series(DeviceQuantity::OwnMemory);
  const MetricSeries& other = m_history->series(DeviceQuantity::OtherMemory);
  constexpr int kAll = 100'000;
  for (const CurvePoint& point : own.envelope(0, own.lastStep(), kAll)) {
    const auto there = other.near(point.step);
    table.rows.push_back(
        {cellOf(point.step), cellOf(point.value), there ? cellOf(there->maximum) : QString()});
  }
  return table;
}

void MemoryTimePlot::applyColors() {
  const Colors& colors = colorsOf(this);
  for (size_t i = 0; i < m_bands.size(); ++i) {
    Band& band = m_bands[i];
    if (i < kNumCategories)
      band.color = categoryColor(static_cast<Category>(i), colors.isDark);
    else if (i == kNumCategories + kHoles)
      band.color = colors.border;
    else if (i == kNumCategories + kSamples)
      band.color = colors.stripBorder;
    else
      band.color = i == kNumCategories + kContext ? colors.faint : colors.hover;
    band.top->setPen(Qt::NoPen);
    band.top->setBrush(band.color);
  }
  m_floor->setPen(Qt::NoPen);
  m_predicted->setPen(QPen(colors.text, 1, Qt::DashLine));
  m_limit->setPen(QPen(colors.problem, 1));
  m_total->setPen(QPen(colors.muted, 1));
  colorRunAxes(*m_plot);
  m_navigator->applyColors();
}

void MemoryTimePlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() != QEvent::PaletteChange || m_bands.empty()) return;
  applyColors();
  redraw();
}

void MemoryTimePlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  redraw();
}

}  // namespace strata::ui
