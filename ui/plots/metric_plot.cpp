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
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// A plot that ignores empty sizes, which it receives before the layout is computed.
class RoomyPlot : public QCustomPlot {
 public:
  using QCustomPlot::QCustomPlot;

 protected:
  void resizeEvent(QResizeEvent* event) override {
    if (!event->size().isEmpty()) QCustomPlot::resizeEvent(event);
  }
};

QVector<double> column(const std::vector<CurvePoint>& points, double CurvePoint::*member) {
  QVector<double> result;
  result.reserve(static_cast<qsizetype>(points.size()));
  for (const CurvePoint& point : points)
    result.append(point.*member);
  return result;
}

QColor validationColor(const Colors& colors) {
  return colors.isDark ? QColor(0xf0, 0xa0, 0x4b) : QColor(0xdd, 0x7a, 0x1e);
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
  m_plot = new RoomyPlot(this);
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
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new EpochTicker));
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
  m_raw = m_plot->addGraph();
  m_smooth = m_plot->addGraph();
  m_validation = m_plot->addGraph();
  m_raw->setAntialiased(false);
  m_smooth->setAntialiased(true);
  for (QCPGraph* graph : {m_raw, m_smooth, m_validation})
    graph->setSelectable(QCP::stNone);
  m_now = new QCPItemLine(m_plot);
  m_now->setSelectable(false);
  m_now->setVisible(false);
  m_empty = new QCPItemText(m_plot);
  m_empty->setSelectable(false);
  m_empty->position->setType(QCPItemPosition::ptAxisRectRatio);
  m_empty->position->setCoords(0.5, 0.5);
  m_empty->setText(tr("No steps yet"));
}

void MetricPlot::useScale(Scale scale) {
  m_scale = scale;
  const bool isLogarithmic = m_isLogarithmic && scale == Scale::Value;
  m_plot->yAxis->setScaleType(isLogarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
  QCPAxisTicker* ticker = nullptr;
  if (isLogarithmic)
    ticker = new QCPAxisTickerLog;
  else if (scale == Scale::Percent)
    ticker = new PercentTicker;
  else
    ticker = new QCPAxisTicker;
  ticker->setTickCount(4);
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(ticker));
  m_plot->xAxis->setRange(0, m_totalSteps);
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

QString MetricPlot::validationText(const QString& value) const {
  return (m_isAveraged ? tr("validation of averaged weights %1") : tr("validation %1")).arg(value);
}

/// Gives the legend the width of the longest usual values, so that the curves stay where they are.
void MetricPlot::reserveLegend() {
  const QString longest = valueText(m_scale == Scale::Percent ? 1.0 : 0.00088888);
  QString words = u"● "_s + tr("training %1").arg(longest);
  if (!m_validationName.empty()) words += u"   ● "_s + validationText(longest);
  m_legend->ensurePolished();
  m_legend->setMinimumWidth(m_legend->fontMetrics().horizontalAdvance(words));
  layOutHead();
}

void MetricPlot::setPlan(double totalSteps, double stepsPerEpoch) {
  m_totalSteps = std::max(1.0, totalSteps);
  m_stepsPerEpoch = std::max(1.0, stepsPerEpoch);
  m_range.reset();
  qSharedPointerCast<EpochTicker>(m_plot->xAxis->ticker())->setStepsPerEpoch(m_stepsPerEpoch);
  // Room to the right of the last step, so that the marker of its validation is not cut.
  constexpr double kRoom = 1.015;
  m_navigator->setWhole(0, m_totalSteps * kRoom);
  m_navigator->showWhole();
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

void MetricPlot::setMarks(std::vector<double> steps) { m_markSteps = std::move(steps); }

QString MetricPlot::valueText(double value) const {
  if (!std::isfinite(value)) return std::isnan(value) ? u"NaN"_s : u"∞"_s;
  return m_scale == Scale::Percent ? formatPercent(value) : formatValue(value, 3);
}

void MetricPlot::refresh(const MetricHistory& history) {
  m_history = &history;
  redraw();
}

void MetricPlot::redraw() {
  if (!m_history) return;
  const MetricSeries* training = m_history->find(m_trainingName);
  const MetricSeries* validation =
      m_validationName.empty() ? nullptr : m_history->find(m_validationName);
  const int columns = std::max(50, m_plot->axisRect()->width());
  const double from = m_navigator->from(), to = m_navigator->to();
  VisibleCurves visible;
  if (training) {
    visible.raw = training->envelope(from, to, columns);
    if (m_smoothing != Smoothing::None)
      visible.smooth = training->smoothed(from, to, columns, m_smoothing);
  }
  // Validation is not smoothed, because an average over epochs would be misleading.
  if (validation) visible.validation = validation->envelope(from, to, columns);
  m_raw->setData(column(visible.raw, &CurvePoint::step), column(visible.raw, &CurvePoint::value),
                 true);
  m_smooth->setData(column(visible.smooth, &CurvePoint::step),
                    column(visible.smooth, &CurvePoint::value), true);
  m_validation->setData(column(visible.validation, &CurvePoint::step),
                        column(visible.validation, &CurvePoint::value), true);
  m_empty->setVisible(visible.raw.empty() && visible.validation.empty());
  m_whole->setVisible(m_navigator->isZoomed());
  updateAxes(training, validation, visible);
  updateLegend();
  replot();
  if (!m_navigator->cursor()) return;
  // The position of the reading is known only after the axes are laid out.
  updateReading();
  m_navigator->redrawOverlay();
}

/// Shows the name and the latest value of each curve, in the colour of the curve.
void MetricPlot::updateLegend() {
  const MetricSeries* training = m_history->find(m_trainingName);
  const MetricSeries* validation =
      m_validationName.empty() ? nullptr : m_history->find(m_validationName);
  const Colors& colors = colorsOf(this);
  QStringList entries, words;
  const auto add = [&](const QColor& color, const QString& entry) {
    words << entry;
    entries << u"<span style='color:%1'>●</span>&nbsp;%2"_s.arg(
        color.name(), entry.toHtmlEscaped().replace(u' ', u"&nbsp;"_s));
  };
  if (training && training->count() > 0) {
    const bool isBroken = !training->nonFiniteSteps().empty() &&
                          training->lastStep() == training->nonFiniteSteps().back();
    add(colors.accent,
        tr("training %1")
            .arg(valueText(isBroken ? training->lastValue() : training->lastSmoothed())));
  }
  if (validation && validation->count() > 0)
    add(validationColor(colors), validationText(valueText(validation->lastValue())));
  const QString legend = entries.join(u" &nbsp; "_s);
  if (legend == m_legend->text()) return;
  m_legend->setText(legend);
  m_plot->setAccessibleDescription(words.join(u", "_s));
  layOutHead();
}

/// Puts the legend next to the title if there is room, and below it otherwise.
void MetricPlot::layOutHead() {
  const int others = m_more->sizeHint().width() +
                     (m_navigator->isZoomed() ? m_whole->sizeHint().width() + 6 : 0) + 6;
  const QMargins margins = layout()->contentsMargins();
  const int room = width() - margins.left() - margins.right() - others;
  const int legend = std::max(m_legend->minimumWidth(), m_legend->sizeHint().width());
  const bool isInLine = m_title->sizeHint().width() + 12 + legend <= room;
  m_head->setDirection(isInLine ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  m_legend->setAlignment((isInLine ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
}

/// Shows the values at the line that follows the mouse or the keys.
void MetricPlot::updateReading() {
  const std::optional<double> at = m_navigator->cursor();
  const MetricSeries* training = m_history ? m_history->find(m_trainingName) : nullptr;
  const MetricSeries* validation =
      m_history && !m_validationName.empty() ? m_history->find(m_validationName) : nullptr;
  const auto reading = at && training ? training->near(*at, m_smoothing) : std::nullopt;
  m_reading->setVisible(reading.has_value());
  if (!reading) {
    m_plot->setToolTip({});
    return;
  }
  const auto steps = [](const CurveReading& r) {
    const QString last = formatCount(static_cast<int64_t>(r.lastStep));
    return r.firstStep == r.lastStep
               ? last
               : tr("%1 to %2").arg(formatCount(static_cast<int64_t>(r.firstStep)), last);
  };
  const auto values = [this](const CurveReading& r) {
    return r.minimum == r.maximum ? valueText(r.minimum)
                                  : tr("%1 to %2").arg(valueText(r.minimum), valueText(r.maximum));
  };
  const QString epoch =
      QLocale().toString(std::floor(reading->lastStep / m_stepsPerEpoch * 100) / 100, 'g', 5);
  QStringList lines{tr("Step %1, epoch %2").arg(steps(*reading), epoch),
                    tr("Training: %1").arg(values(*reading))};
  if (m_smoothing != Smoothing::None) lines << tr("Smoothed: %1").arg(valueText(reading->smoothed));
  if (const auto measured = validation ? validation->near(*at) : std::nullopt)
    lines << tr("Validation: %1 (step %2)").arg(values(*measured), steps(*measured));
  m_reading->setText(lines.join(u'\n'));
  const QRect area = m_plot->axisRect()->rect();
  const double x = m_plot->xAxis->coordToPixel(*at);
  constexpr double kReadingGap = 8;
  int width = 0;
  for (const QString& line : lines)
    width = std::max(width, QFontMetrics(m_reading->font()).horizontalAdvance(line));
  width += m_reading->padding().left() + m_reading->padding().right() + 2;
  // The reading is to the right of the line, or to its left if there is not enough room.
  const bool isRight = x + kReadingGap + width <= m_plot->viewport().right();
  m_reading->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_reading->position->setCoords(isRight ? x + kReadingGap : std::max(0.0, x - kReadingGap - width),
                                 area.top() + 4);
  setAccessibleDescription(lines.join(u", "_s));
}

/// Draws the plot if it is visible. Otherwise showEvent() or a resize draws it later.
void MetricPlot::replot() {
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

void MetricPlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  replot();
}

void MetricPlot::updateAxes(const MetricSeries* training, const MetricSeries* validation,
                            const VisibleCurves& visible) {
  m_plot->xAxis->setRange(m_navigator->from(), m_navigator->to());
  if (m_isLogarithmic && m_scale == Scale::Value)
    m_range.fitLogarithmic(visible);
  else if (m_navigator->isZoomed())
    m_range.fit(visible);
  else
    m_range.follow(visible, training, validation, m_scale == Scale::Percent);
  const double low = m_range.low(), high = m_range.high();
  m_plot->yAxis->setRange(low, high);
  const double now = training ? training->lastStep() : 0;
  m_now->setVisible(now > 0 && now < m_totalSteps);
  m_now->start->setCoords(now, low);
  m_now->end->setCoords(now, high);
  while (m_marks.size() < m_markSteps.size()) {
    m_marks.push_back(new QCPItemLine(m_plot));
    m_marks.back()->setSelectable(false);
    m_marks.back()->setPen(QPen(colorsOf(this).cost, 1));
  }
  for (size_t i = 0; i < m_marks.size(); ++i) {
    m_marks[i]->setVisible(i < m_markSteps.size());
    if (i >= m_markSteps.size()) continue;
    m_marks[i]->start->setCoords(m_markSteps[i], low);
    m_marks[i]->end->setCoords(m_markSteps[i], high);
  }
}

PlotCaption MetricPlot::caption() const {
  const Colors& colors = colorsOf(this);
  PlotCaption caption{m_title->text(), {{tr("training"), colors.accent}}};
  if (m_validation->dataCount() > 0)
    caption.legend.push_back({tr("validation"), validationColor(colors)});
  return caption;
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
  m_raw->setPen(QPen(m_smoothing == Smoothing::None ? colors.accent : faint, 1));
  m_smooth->setPen(QPen(colors.accent, 1));
  m_validation->setPen(QPen(validation, 1));
  m_validation->setScatterStyle(
      QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(validation, 1), QBrush(validation), 6));
  m_now->setPen(QPen(colors.faint, 1, Qt::DashLine));
  m_empty->setColor(colors.muted);
  m_navigator->applyColors();
  m_reading->setColor(colors.text);
  m_reading->setPen(QPen(colors.border, 1));
  m_reading->setBrush(colors.card);
  QFont small = font();
  small.setPointSizeF(std::max(7.0, font().pointSizeF() - 1.5));
  m_reading->setFont(small);
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setBasePen(QPen(axis == m_plot->xAxis ? colors.border : colors.card, 1));
    axis->setTickLabelColor(colors.muted);
    axis->setTickLabelFont(small);
    axis->grid()->setPen(QPen(colors.hairline, 1));
  }
}

}  // namespace strata::ui
