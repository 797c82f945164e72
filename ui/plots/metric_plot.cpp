// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/metric_plot.h"

#include <QEvent>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QPainter>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/format.h"
#include "ui/plots/axis_tickers.h"
#include "ui/plots/curve_graph.h"
#include "ui/plots/opaque_plot.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/plots/series_colors.h"
#include "ui/plots/smoothing_setting.h"
#include "ui/run/run_text.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

// The diameter of a point of the validation
constexpr int kPixelsOfDisc = 6;

QVector<double> valuesOf(const std::vector<CurvePoint>& points) {
  QVector<double> result;
  result.reserve(static_cast<qsizetype>(points.size()));
  for (const CurvePoint& point : points)
    result.append(point.value);
  return result;
}

QVector<double> placesOf(const std::vector<CurvePoint>& points, const RunAxis& axis,
                         const StepClock& clock) {
  QVector<double> result;
  result.reserve(static_cast<qsizetype>(points.size()));
  for (const CurvePoint& point : points)
    result.append(axis.xOf(point.step, clock));
  return result;
}

}  // namespace

MetricPlot::MetricPlot(const QString& title, Scale scale, QWidget* parent)
    : QWidget(parent), m_scale(scale) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 8, 8);
  layout->setSpacing(4);
  setFocusPolicy(Qt::StrongFocus);
  setAccessibleName(title);
  makeHead(layout, title);
  m_plot = new OpaquePlot(this);
  makePlot();
  layout->addWidget(m_plot, 1);
  m_navigator = new PlotNavigator(m_plot, this);
  m_reading = new QCPItemText(m_plot);
  m_reading->setLayer(QString::fromLatin1(PlotNavigator::overlayName()));
  m_reading->setSelectable(false);
  m_reading->setVisible(false);
  m_reading->setClipToAxisRect(false);
  m_reading->setTextAlignment(Qt::AlignLeft);
  m_reading->setPadding(QMargins(7, 4, 7, 4));
  m_reading->position->setType(QCPItemPosition::ptAbsolute);
  connect(m_navigator, &PlotNavigator::viewChanged, this, &MetricPlot::redraw);
  connect(m_navigator, &PlotNavigator::cursorChanged, this, &MetricPlot::updateReading);
  connect(m_navigator, &PlotNavigator::menuRequested, this, &MetricPlot::showMenu);
  connect(m_whole, &QPushButton::clicked, m_navigator, &PlotNavigator::showWhole);
  connect(m_more, &QPushButton::clicked, this,
          [this] { showMenu(m_more->mapToGlobal(QPoint(0, m_more->height() + 2))); });
  m_range.setIgnoresOutliers(storedIgnoresOutliers());
  useScale(scale);
  applyColors();
}

void MetricPlot::makeHead(QBoxLayout* layout, const QString& title) {
  auto* line = new QHBoxLayout;
  line->setSpacing(6);
  m_head = new QBoxLayout(QBoxLayout::LeftToRight);
  m_head->setSpacing(2);
  m_title = new QLabel(title, this);
  setRole(m_title, "section");
  m_legend = new QLabel(this);
  setRole(m_legend, "muted");
  m_legend->setTextFormat(Qt::RichText);
  m_head->addWidget(m_title, 1);
  m_head->addWidget(m_legend);
  m_whole = new QPushButton(tr("Whole run"), this);
  setRole(m_whole, "link");
  m_whole->setAccessibleName(tr("%1: show the whole run").arg(title));
  m_whole->hide();
  m_more = new QPushButton(u"⋯"_s, this);
  setRole(m_more, "link");
  m_more->setAccessibleName(tr("%1: options for scale, smoothing and saving").arg(title));
  m_more->setToolTip(
      tr("Scroll to zoom, drag to zoom into a range, Shift+drag to move, double-click to show the "
         "whole run."));
  line->addLayout(m_head, 1);
  line->addWidget(m_whole, 0, Qt::AlignTop);
  line->addWidget(m_more, 0, Qt::AlignTop);
  layout->addLayout(line);
}

void MetricPlot::makePlot() {
  m_plot->setAccessibleName(m_title->text());
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setMinimumHeight(120);
  m_plot->setNoAntialiasingOnDrag(true);
  m_plot->axisRect()->setupFullAxesBox();
  m_plot->xAxis2->setVisible(false);
  m_plot->yAxis2->setVisible(false);
  // Room for half of the last label, because QCustomPlot omits labels that are cut.
  constexpr int kRight = 18;
  m_plot->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  m_plot->axisRect()->setMargins(QMargins(0, 6, kRight, 0));
  m_plot->axisRect()->setMinimumMargins(QMargins(34, 6, kRight, 18));
  m_plot->xAxis->setTicker(m_axis.makeTicker());
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    // QCustomPlot draws a tick of length zero as a dot.
    axis->setTickPen(Qt::NoPen);
    axis->setTickLabelPadding(6);
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
  m_plot->xAxis->grid()->setVisible(false);

  // Every data line is one pixel wide, because QCustomPlot needs seconds to draw wider lines.
  m_raw = new CurveGraph(m_plot->xAxis, m_plot->yAxis);
  m_smooth = m_plot->addGraph();
  m_validation = new CurveGraph(m_plot->xAxis, m_plot->yAxis);
  m_broken = m_plot->addGraph();
  m_broken->setLineStyle(QCPGraph::lsNone);
  // The band is behind the curves
  for (QCPGraph*& graph : m_band) {
    graph = m_plot->addGraph();
    graph->setLayer(u"grid"_s);
    graph->setVisible(false);
  }
  m_band[2]->setChannelFillGraph(m_band[0]);
  m_raw->setAntialiased(false);
  m_smooth->setAntialiased(true);
  for (int i = 0; i < m_plot->graphCount(); ++i)
    m_plot->graph(i)->setSelectable(QCP::stNone);
  m_marks.emplace(m_plot);
  m_now = new QCPItemLine(m_plot);
  m_now->setSelectable(false);
  m_now->setVisible(false);
  m_empty = new QCPItemText(m_plot);
  m_empty->setSelectable(false);
  m_empty->position->setType(QCPItemPosition::ptAxisRectRatio);
  m_empty->position->setCoords(0.5, 0.5);
  m_empty->setText(tr("No steps yet"));
  m_outside = new QCPItemText(m_plot);
  m_outside->setSelectable(false);
  m_outside->setVisible(false);
  m_outside->position->setType(QCPItemPosition::ptAxisRectRatio);
  m_outside->setPadding(QMargins(4, 1, 2, 1));
}

void MetricPlot::useScale(Scale scale) {
  m_scale = scale;
  const bool isLogarithmic = m_isLogarithmic && scale != Scale::Percent;
  m_plot->yAxis->setScaleType(isLogarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  QCPAxisTicker* ticker = nullptr;
  if (isLogarithmic)
    ticker = new QCPAxisTickerLog;
  else if (scale == Scale::Percent)
    ticker = new PercentTicker;
  else if (scale == Scale::Seconds)
    ticker = new SecondsTicker;
  else
    ticker = new QCPAxisTicker;
  ticker->setTickCount(4);
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(ticker));
  m_plot->yAxis->setRange(isLogarithmic ? 0.1 : 0, 1);
  m_range.reset();
}

void MetricPlot::setMetric(const QString& title, Scale scale) {
  m_title->setText(title);
  setAccessibleName(title);
  m_plot->setAccessibleName(title);
  m_whole->setAccessibleName(tr("%1: show the whole run").arg(title));
  m_more->setAccessibleName(tr("%1: options for scale, smoothing and saving").arg(title));
  if (scale != m_scale) useScale(scale);
}

void MetricPlot::setSeries(std::string training, std::string validation) {
  m_trainingName = std::move(training);
  m_validationName = std::move(validation);
  reserveLegend();
}

void MetricPlot::setAveraged(bool isAveraged) {
  m_isAveraged = isAveraged;
  reserveLegend();
}

void MetricPlot::setPlan(double totalSteps, double stepsPerEpoch) {
  m_totalSteps = std::max(1.0, totalSteps);
  m_axis.stepsPerEpoch = std::max(1.0, stepsPerEpoch);
  m_range.reset();
  m_plot->xAxis->setTicker(m_axis.makeTicker());
  updateWhole();
  m_navigator->showWhole();
}

void MetricPlot::setSteps(double totalSteps) {
  m_totalSteps = std::max(1.0, totalSteps);
  m_range.reset();
  updateWhole();
  redraw();
}

void MetricPlot::setAxis(RunAxis::Unit unit, bool isLogarithmic) {
  const RunAxis wanted{unit, isLogarithmic, m_axis.stepsPerEpoch};
  if (wanted == m_axis) return;
  m_axis = wanted;
  m_plot->xAxis->setScaleType(isLogarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  m_plot->xAxis->setTicker(m_axis.makeTicker());
  if (m_hasTitles) m_plot->xAxis->setLabel(m_axis.title());
  updateWhole();
  m_navigator->showWhole();
  placeMarks();
  redraw();
}

void MetricPlot::showAxisTitles(const QString& unit) {
  m_hasTitles = true;
  m_unit = unit;
  m_plot->xAxis->setLabel(m_axis.title());
  m_plot->yAxis->setLabel(unit.isEmpty() ? m_title->text() : unit);
  m_plot->axisRect()->setMinimumMargins(QMargins(34, 6, 18, 34));
  applyColors();
}

const StepClock& MetricPlot::clock() const {
  static const StepClock kUnknown;
  return m_history ? m_history->clock() : kUnknown;
}

/// Sets the range of the whole run, whose time becomes known while it trains.
void MetricPlot::updateWhole() {
  // Room to the right of the last step, so that the marker of its validation is not cut.
  constexpr double kRoom = 1.015;
  double steps = m_totalSteps, end = m_axis.xOf(steps, clock());
  for (const OtherRun& other : m_others)
    if (const MetricSeries* series = other.history->find(m_trainingName))
      end = std::max(
          end, m_axis.forRun(other.stepsPerEpoch).xOf(series->lastStep(), other.history->clock()));
  // A logarithmic axis begins at the first step
  const double first = m_axis.isLogarithmic ? std::max(1e-3, m_axis.xOf(1, clock())) : 0;
  end = std::max(end, first + 1e-3) * kRoom;
  constexpr double kMinSteps = 2, kMinPart = 1e-4;
  const bool isInSteps = m_axis.unit != RunAxis::Unit::Time && !m_axis.isLogarithmic;
  m_navigator->setWhole(first, end, isInSteps ? kMinSteps : kMinPart * (end - first),
                        m_axis.isLogarithmic);
}

void MetricPlot::setSmoothing(Smoothing smoothing) {
  if (m_smoothing == smoothing) return;
  m_smoothing = smoothing;
  applyColors();
  redraw();
}

void MetricPlot::setLogarithmic(bool isLogarithmic) {
  if (m_isLogarithmic == isLogarithmic) return;
  m_isLogarithmic = isLogarithmic;
  useScale(m_scale);
  redraw();
}

void MetricPlot::setIgnoresOutliers(bool on) {
  if (m_range.ignoresOutliers() == on) return;
  m_range.setIgnoresOutliers(on);
  redraw();
}

void MetricPlot::setMarks(const std::vector<RunMark>& marks) {
  m_markedSteps = marks;
  placeMarks();
}

void MetricPlot::setEmptyText(const QString& words) { m_empty->setText(words); }

void MetricPlot::placeMarks() {
  std::vector<PlotMark> placed;
  for (const RunMark& mark : m_markedSteps)
    placed.push_back(
        {m_axis.xOf(static_cast<double>(mark.step), clock()), mark.kind, RunText::mark(mark)});
  std::ranges::stable_sort(placed, {}, &PlotMark::x);
  m_marks->set(std::move(placed));
}

void MetricPlot::setOthers(std::vector<OtherRun> others, bool hasBand) {
  m_others = std::move(others);
  m_hasBand = hasBand;
  while (m_otherGraphs.size() < m_others.size()) {
    m_otherGraphs.push_back(new CurveGraph(m_plot->xAxis, m_plot->yAxis));
    m_otherGraphs.back()->setSelectable(QCP::stNone);
  }
  for (size_t i = 0; i < m_otherGraphs.size(); ++i) {
    m_otherGraphs[i]->setVisible(i < m_others.size());
    if (i < m_others.size()) m_otherGraphs[i]->setPen(QPen(m_others[i].color, 1));
  }
  updateWhole();
  redraw();
}

void MetricPlot::refresh(const MetricHistory& history) {
  m_history = &history;
  redraw();
}

void MetricPlot::setData(QCPGraph* graph, const std::vector<CurvePoint>& points) {
  graph->setData(placesOf(points, m_axis, clock()), valuesOf(points), true);
}

void MetricPlot::redraw() {
  if (!m_history) return;
  const MetricSeries* training = m_history->find(m_trainingName);
  const MetricSeries* validation =
      m_validationName.empty() ? nullptr : m_history->find(m_validationName);
  const int columns = std::max(50, m_plot->axisRect()->width());
  if (m_axis.unit == RunAxis::Unit::Time) updateWhole();
  const double from = m_axis.stepOf(m_navigator->from(), clock()),
               to = m_axis.stepOf(m_navigator->to(), clock());
  VisibleCurves visible;
  if (training) {
    visible.raw = training->envelope(from, to, columns);
    if (!m_smoothing.isNone()) visible.smooth = training->smoothed(from, to, columns, m_smoothing);
  }
  // Validation is not smoothed, because an average over epochs would be misleading.
  if (validation) visible.validation = validation->envelope(from, to, columns);
  setData(m_raw, visible.raw);
  setData(m_smooth, visible.smooth);
  setData(m_validation, visible.validation);
  drawValidation(static_cast<int>(visible.validation.size()) * kPixelsOfDisc <= columns);
  m_empty->setVisible(visible.raw.empty() && visible.validation.empty());
  drawOthers(from, to, columns, visible);
  m_whole->setVisible(m_navigator->isZoomed());
  updateAxes(training, validation, visible);
  drawBroken(training);
  if (m_axis.unit == RunAxis::Unit::Time) placeMarks();
  m_marks->draw();
  updateLegend();
  replot();
  if (!m_navigator->cursor()) return;
  // The position of the reading is known only after the axes are laid out.
  updateReading();
  m_navigator->redrawOverlay();
}

/// Draws the points of the validation as discs, unless they would cover each other. Many discs, and
/// antialiased lines that turn at each pixel, take long.
void MetricPlot::drawValidation(bool hasDiscs) {
  m_hasDiscs = hasDiscs;
  m_validation->setAntialiased(hasDiscs);
  const QColor color = m_validation->pen().color();
  m_validation->setScatterStyle(hasDiscs ? QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(color, 1),
                                                           QBrush(color), kPixelsOfDisc)
                                         : QCPScatterStyle());
}

/// Draws the moving averages of other runs, and adds them to the values that decide the range.
void MetricPlot::drawOthers(double from, double to, int columns, VisibleCurves& visible) {
  for (size_t i = 0; i < m_others.size(); ++i) {
    const MetricHistory& history = *m_others[i].history;
    const RunAxis axis = m_axis.forRun(m_others[i].stepsPerEpoch);
    const MetricSeries* series = history.find(m_trainingName);
    std::vector<CurvePoint> points;
    if (series) {
      const double first = axis.stepOf(m_axis.xOf(from, clock()), history.clock()),
                   last = axis.stepOf(m_axis.xOf(to, clock()), history.clock());
      points = m_smoothing.isNone() ? series->envelope(first, last, columns)
                                    : series->smoothed(first, last, columns, m_smoothing);
    }
    m_otherGraphs[i]->setData(placesOf(points, axis, history.clock()), valuesOf(points), true);
    visible.others.insert(visible.others.end(), points.begin(), points.end());
  }
  for (QCPGraph* graph : m_band)
    graph->setVisible(m_hasBand && !m_others.empty());
  if (m_hasBand && !m_others.empty()) drawBand(columns);
}

/// Draws the smallest, the mean and the largest moving average of all runs at each place.
void MetricPlot::drawBand(int columns) {
  const int count = std::min(columns, 400);
  const double from = m_navigator->from(), to = m_navigator->to();
  struct Drawn {
    const MetricSeries* series;
    const StepClock* clock;
    RunAxis axis;
  };
  std::vector<Drawn> runs;
  const auto add = [&](const MetricHistory& history, const RunAxis& axis) {
    if (const MetricSeries* series = history.find(m_trainingName); series && !series->isEmpty())
      runs.push_back({series, &history.clock(), axis});
  };
  add(*m_history, m_axis);
  for (const OtherRun& other : m_others)
    add(*other.history, m_axis.forRun(other.stepsPerEpoch));
  QVector<double> places, low, mean, high;
  for (int i = 0; i <= count; ++i) {
    const double x = from + (to - from) * i / count;
    double least = INFINITY, most = -INFINITY, sum = 0;
    int known = 0;
    for (const auto& [series, clock, axis] : runs) {
      const double step = axis.stepOf(x, *clock);
      if (step > series->lastStep()) continue;
      const double value = series->near(step, m_smoothing)->smoothed;
      least = std::min(least, value);
      most = std::max(most, value);
      sum += value;
      ++known;
    }
    if (known == 0) continue;
    places << x;
    low << least;
    mean << sum / known;
    high << most;
  }
  m_band[0]->setData(places, low, true);
  m_band[1]->setData(places, mean, true);
  m_band[2]->setData(places, high, true);
}

/// Marks the steps whose value is not finite at the upper edge.
void MetricPlot::drawBroken(const MetricSeries* training) {
  std::vector<CurvePoint> broken;
  if (training)
    for (const double step : training->nonFiniteSteps())
      broken.push_back({step, m_plot->yAxis->range().upper});
  setData(m_broken, broken);
}

/// Draws the plot if it is visible. Otherwise showEvent() or a resize draws it later.
void MetricPlot::replot() {
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

void MetricPlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  setIgnoresOutliers(storedIgnoresOutliers());
  replot();
}

void MetricPlot::updateAxes(const MetricSeries* training, const MetricSeries* validation,
                            const VisibleCurves& visible) {
  m_plot->xAxis->setRange(m_navigator->from(), m_navigator->to());
  if (m_isLogarithmic && m_scale != Scale::Percent)
    m_range.fitLogarithmic(visible);
  else if (m_navigator->isZoomed() || !m_others.empty())
    m_range.fit(visible);
  else
    m_range.follow(visible, training, validation, m_scale == Scale::Percent);
  const double low = m_range.low(), high = m_range.high();
  m_plot->yAxis->setRange(low, high);
  showOutside(visible);
  const double last = training ? training->lastStep() : 0, now = m_axis.xOf(last, clock());
  m_now->setVisible(last > 0 && last < m_totalSteps);
  m_now->start->setCoords(now, low);
  m_now->end->setCoords(now, high);
}

/// Says which values the axis leaves out.
void MetricPlot::showOutside(const VisibleCurves& visible) {
  const ValuesOutside outside = valuesOutside(visible, m_range.low(), m_range.high());
  if (outside == m_shownOutside) return;
  m_shownOutside = outside;
  m_outside->setVisible(outside.highest || outside.lowest);
  m_outside->position->setCoords(1, outside.highest ? 0 : 1);
  m_outside->setPositionAlignment(Qt::AlignRight |
                                  (outside.highest ? Qt::AlignTop : Qt::AlignBottom));
  if (outside.highest && outside.lowest)
    m_outside->setText(
        tr("Outside: %1 to %2").arg(valueText(*outside.lowest), valueText(*outside.highest)));
  else if (outside.highest)
    m_outside->setText(tr("Outside: up to %1").arg(valueText(*outside.highest)));
  else if (outside.lowest)
    m_outside->setText(tr("Outside: down to %1").arg(valueText(*outside.lowest)));
}

void MetricPlot::focusInEvent(QFocusEvent* event) {
  m_isReachedByKey = event->reason() != Qt::MouseFocusReason;
  QWidget::focusInEvent(event);
}

void MetricPlot::paintEvent(QPaintEvent* event) {
  QWidget::paintEvent(event);
  if (!hasFocus() || !m_isReachedByKey) return;
  QPainter painter(this);
  painter.setRenderHint(QPainter::Antialiasing);
  painter.setPen(QPen(colorsOf(this).accent, 1));
  painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 5, 5);
}

void MetricPlot::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  layOutHead();
}

void MetricPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_navigator) {
    applyColors();
    if (m_history) updateLegend();
    replot();
  }
}

void MetricPlot::applyColors() {
  const Colors& colors = colorsOf(this);
  // The colour is opaque, because transparent lines would look dark where they overlap.
  const auto mixed = [](int accent, int card) {
    return (30 * accent + 70 * card) / 100;
  };
  const QColor faint(mixed(colors.accent.red(), colors.card.red()),
                     mixed(colors.accent.green(), colors.card.green()),
                     mixed(colors.accent.blue(), colors.card.blue()));
  const QColor validation = validationColor(colors);
  m_plot->setBackground(QBrush(colors.card));
  m_raw->setPen(QPen(m_smoothing.isNone() ? colors.accent : faint, 1));
  m_smooth->setPen(QPen(colors.accent, 1));
  m_validation->setPen(QPen(validation, 1));
  drawValidation(m_hasDiscs);
  m_broken->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssCrossCircle, QPen(colors.problem, 1), Qt::NoBrush, 9));
  QColor soft = colors.muted;
  soft.setAlpha(40);
  m_band[0]->setPen(Qt::NoPen);
  m_band[1]->setPen(QPen(colors.muted, 1, Qt::DashLine));
  m_band[2]->setPen(Qt::NoPen);
  m_band[2]->setBrush(soft);
  m_now->setPen(QPen(colors.faint, 1, Qt::DashLine));
  m_empty->setColor(colors.muted);
  m_outside->setColor(colors.muted);
  m_outside->setBrush(colors.card);
  m_navigator->applyColors();
  m_reading->setColor(colors.text);
  m_reading->setPen(QPen(colors.border, 1));
  m_reading->setBrush(colors.card);
  QFont small = font();
  small.setPointSizeF(std::max(7.0, font().pointSizeF() - 1.5));
  m_reading->setFont(small);
  m_outside->setFont(small);
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setBasePen(QPen(axis == m_plot->xAxis ? colors.border : colors.card, 1));
    axis->setTickLabelColor(colors.muted);
    axis->setTickLabelFont(small);
    axis->setLabelColor(colors.muted);
    axis->setLabelFont(small);
    axis->setLabelPadding(2);
    axis->grid()->setPen(QPen(colors.hairline, 1));
  }
}

}  // namespace strata::ui
