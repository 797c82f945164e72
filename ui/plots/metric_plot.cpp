// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/metric_plot.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/format.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// Axis labels: epochs on x; on y plain numbers or percent.
class EpochTicker : public QCPAxisTicker {
 public:
  void setStepsPerEpoch(double steps) { m_stepsPerEpoch = steps; }

 protected:
  double getTickStep(const QCPRange& range) override {
    const double wanted = range.size() / m_stepsPerEpoch / 6;
    if (wanted < 0.25) return m_stepsPerEpoch / 4;  // one epoch: its quarters
    return m_stepsPerEpoch * (wanted <= 1 ? 1.0 : cleanMantissa(wanted));
  }
  QString getTickLabel(double tick, const QLocale& locale, QChar, int) override {
    const double epochs = std::round(tick / m_stepsPerEpoch * 4) / 4;
    return epochs == std::round(epochs) ? locale.toString(static_cast<qlonglong>(epochs)) : locale.toString(epochs, 'g', 3);
  }

 private:
  double m_stepsPerEpoch = 1;
};

class PercentTicker : public QCPAxisTicker {
 protected:
  QString getTickLabel(double tick, const QLocale&, QChar, int) override {
    return formatPercent(tick, std::abs(tick * 100 - std::round(tick * 100)) < 1e-6 ? 0 : 1);
  }
};

/// Draws at each change of its size, but not while a layout has given it none.
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
  for (const CurvePoint& point : points) result.append(point.*member);
  return result;
}

}  // namespace

MetricPlot::MetricPlot(const QString& title, Scale scale, QWidget* parent) : QWidget(parent), m_scale(scale) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 14, 8);
  layout->setSpacing(4);
  auto* head = new QHBoxLayout;
  m_title = new QLabel(title, this);
  setRole(m_title, "section");
  m_latest = new QLabel(this);
  setRole(m_latest, "muted");
  m_latest->setTextFormat(Qt::PlainText);
  head->addWidget(m_title);
  head->addStretch();
  head->addWidget(m_latest);
  layout->addLayout(head);

  m_plot = new RoomyPlot(this);
  m_plot->setAccessibleName(title);
  m_plot->setFocusPolicy(Qt::NoFocus);
  m_plot->setMinimumHeight(120);
  m_plot->setNoAntialiasingOnDrag(true);
  m_plot->axisRect()->setupFullAxesBox();
  m_plot->xAxis2->setVisible(false);
  m_plot->yAxis2->setVisible(false);
  constexpr int kRight = 18;  // half of the last label, which is left out where it would be cut
  m_plot->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  m_plot->axisRect()->setMargins(QMargins(0, 6, kRight, 0));
  m_plot->axisRect()->setMinimumMargins(QMargins(34, 6, kRight, 18));
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new EpochTicker));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    axis->setTickPen(Qt::NoPen);  // a tick of no length is still a dot
    axis->setTickLabelPadding(6);
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
  m_plot->xAxis->grid()->setVisible(false);

  // Every data line is one pixel wide: QCustomPlot draws wider ones point by point, for seconds.
  m_raw = m_plot->addGraph();
  m_smooth = m_plot->addGraph();
  m_validation = m_plot->addGraph();
  m_raw->setAntialiased(false);
  m_smooth->setAntialiased(true);
  for (QCPGraph* graph : {m_raw, m_smooth, m_validation}) graph->setSelectable(QCP::stNone);
  m_now = new QCPItemLine(m_plot);
  m_now->setSelectable(false);
  m_now->setVisible(false);
  m_empty = new QCPItemText(m_plot);
  m_empty->setSelectable(false);
  m_empty->position->setType(QCPItemPosition::ptAxisRectRatio);
  m_empty->position->setCoords(0.5, 0.5);
  m_empty->setText(tr("No steps yet"));
  layout->addWidget(m_plot, 1);
  useScale(scale);
  applyColors();
}

void MetricPlot::useScale(Scale scale) {
  m_scale = scale;
  m_plot->yAxis->setTicker(QSharedPointer<QCPAxisTicker>(scale == Scale::Percent ? new PercentTicker : new QCPAxisTicker));
  m_plot->yAxis->ticker()->setTickCount(4);
  m_plot->xAxis->setRange(0, m_totalSteps);
  m_plot->yAxis->setRange(0, 1);
}

void MetricPlot::setMetric(const QString& title, Scale scale) {
  m_title->setText(title);
  m_plot->setAccessibleName(title);
  if (scale != m_scale) useScale(scale);
}

void MetricPlot::setSeries(std::string training, std::string validation) {
  m_trainingName = std::move(training);
  m_validationName = std::move(validation);
}

void MetricPlot::setPlan(double totalSteps, double stepsPerEpoch) {
  m_totalSteps = std::max(1.0, totalSteps);
  m_stepsPerEpoch = std::max(1.0, stepsPerEpoch);
  m_isNewPlan = true;
  qSharedPointerCast<EpochTicker>(m_plot->xAxis->ticker())->setStepsPerEpoch(m_stepsPerEpoch);
}

void MetricPlot::setMarks(std::vector<double> steps) { m_markSteps = std::move(steps); }

QString MetricPlot::valueText(double value) const {
  if (!std::isfinite(value)) return std::isnan(value) ? u"NaN"_s : u"∞"_s;
  return m_scale == Scale::Percent ? formatPercent(value) : formatValue(value, 3);
}

void MetricPlot::refresh(const MetricHistory& history) {
  const MetricSeries* training = history.find(m_trainingName);
  const MetricSeries* validation = m_validationName.empty() ? nullptr : history.find(m_validationName);
  const int columns = std::max(50, m_plot->axisRect()->width());
  std::vector<CurvePoint> raw, smooth, points;
  if (training) {
    raw = training->envelope(0, m_totalSteps, columns);
    smooth = training->smoothed(0, m_totalSteps, columns);
  }
  if (validation) points = validation->envelope(0, m_totalSteps, columns);  // as they are: an average over epochs would lie
  m_raw->setData(column(raw, &CurvePoint::step), column(raw, &CurvePoint::value), true);
  m_smooth->setData(column(smooth, &CurvePoint::step), column(smooth, &CurvePoint::value), true);
  m_validation->setData(column(points, &CurvePoint::step), column(points, &CurvePoint::value), true);
  m_empty->setVisible(raw.empty() && points.empty());
  updateAxes(training, validation, smooth);

  QString latest;
  if (training && training->count() > 0) {
    latest = valueText(training->lastSmoothed());
    if (!training->nonFiniteSteps().empty() && training->lastStep() == training->nonFiniteSteps().back())
      latest = valueText(training->lastValue());
    if (validation && validation->count() > 0) latest = tr("%1, validation %2").arg(latest, valueText(validation->lastValue()));
  }
  m_latest->setText(latest);
  m_plot->setAccessibleDescription(latest);
  replot();
}

/// A plot without a place yet has nothing to draw on; it is drawn when it gets one.
void MetricPlot::replot() {
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty()) m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

void MetricPlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  replot();
}

void MetricPlot::updateAxes(const MetricSeries* training, const MetricSeries* validation, const std::vector<CurvePoint>& smooth) {
  constexpr double kRoom = 1.015;  // to the right of the last step, where half the mark of a validation would be cut
  m_plot->xAxis->setRange(0, m_totalSteps * kRoom);
  // The average after the first steep fall decides the range, so that the interesting part fills the plot; what lies outside is cut by the frame.
  double low = 0, high = 1;
  if (!smooth.empty()) {
    const size_t skipped = smooth.size() > 20 ? std::min(smooth.size() / 4, smooth.size() - 20) : 0;
    low = high = smooth[skipped].value;
    for (size_t i = skipped; i < smooth.size(); ++i) {
      low = std::min(low, smooth[i].value);
      high = std::max(high, smooth[i].value);
    }
  }
  if (validation && validation->count() > 0) {
    low = std::min(low, validation->minimum());
    high = std::max(high, validation->maximum());
  }
  if (m_scale == Scale::Percent) {
    const double room = std::max(0.02, 1 - low);
    low = std::max(0.0, std::floor((1 - room * 1.6) * 20) / 20);
    high = 1 + 0.01 * (1 - low);  // room for the label of 100%
  } else {
    low = std::min(0.0, low);
    high = high <= 0 ? 1 : high * 1.35;
  }
  // Follows at once when it must grow, and slowly when it may shrink: a jumping axis reads as a jumping loss.
  const bool jumps = m_raw->data()->size() < 3 || std::exchange(m_isNewPlan, false);
  m_low = low < m_low || jumps ? low : m_low + 0.2 * (low - m_low);
  m_high = high > m_high || jumps ? high : m_high + 0.2 * (high - m_high);
  m_plot->yAxis->setRange(m_low, m_high);
  const double now = training ? training->lastStep() : 0;
  m_now->setVisible(now > 0 && now < m_totalSteps);
  m_now->start->setCoords(now, m_low);
  m_now->end->setCoords(now, m_high);
  while (m_marks.size() < m_markSteps.size()) {
    m_marks.push_back(new QCPItemLine(m_plot));
    m_marks.back()->setSelectable(false);
    m_marks.back()->setPen(QPen(colorsOf(this).cost, 1));
  }
  for (size_t i = 0; i < m_marks.size(); ++i) {
    m_marks[i]->setVisible(i < m_markSteps.size());
    if (i >= m_markSteps.size()) continue;
    m_marks[i]->start->setCoords(m_markSteps[i], m_low);
    m_marks[i]->end->setCoords(m_markSteps[i], m_high);
  }
}

void MetricPlot::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_plot) {
    applyColors();
    replot();
  }
}

void MetricPlot::applyColors() {
  const Colors& colors = colorsOf(this);
  // Opaque: where many lines lie on one another a transparent one would grow dark.
  const auto mixed = [](int accent, int card) { return (30 * accent + 70 * card) / 100; };
  const QColor faint(mixed(colors.accent.red(), colors.card.red()), mixed(colors.accent.green(), colors.card.green()),
                     mixed(colors.accent.blue(), colors.card.blue()));
  const QColor validation = colors.isDark ? QColor(0xf0, 0xa0, 0x4b) : QColor(0xdd, 0x7a, 0x1e);
  m_plot->setBackground(QBrush(colors.card));
  m_raw->setPen(QPen(faint, 1));
  m_smooth->setPen(QPen(colors.accent, 1));
  m_validation->setPen(QPen(validation, 1));
  m_validation->setScatterStyle(QCPScatterStyle(QCPScatterStyle::ssDisc, QPen(validation, 1), QBrush(validation), 6));
  m_now->setPen(QPen(colors.faint, 1, Qt::DashLine));
  m_empty->setColor(colors.muted);
  QFont small = font();
  small.setPointSizeF(std::max(7.0, font().pointSizeF() - 1.5));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setBasePen(QPen(axis == m_plot->xAxis ? colors.border : colors.card, 1));
    axis->setTickLabelColor(colors.muted);
    axis->setTickLabelFont(small);
    axis->grid()->setPen(QPen(colors.hairline, 1));
  }
}

}  // namespace strata::ui
