// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/metric_plot.h"

#include <QActionGroup>
#include <QApplication>
#include <QClipboard>
#include <QEvent>
#include <QFileDialog>
#include <QFocusEvent>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPainter>
#include <QPointer>
#include <QPushButton>
#include <QThreadPool>
#include <QVBoxLayout>
#include <cmath>
#include <utility>

#include "ui/format.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/qcp.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// Axis labels: epochs on x, plain numbers or percent on y
class EpochTicker : public QCPAxisTicker {
 public:
  void setStepsPerEpoch(double steps) { m_stepsPerEpoch = steps; }

 protected:
  double getTickStep(const QCPRange& range) override {
    const double wanted = range.size() / m_stepsPerEpoch / 6;
    const bool isOneEpoch = range.size() > 0.9 * m_stepsPerEpoch;
    if (wanted < 0.25 && isOneEpoch) return m_stepsPerEpoch / 4;
    if (wanted < 0.25) return std::max(1.0, m_stepsPerEpoch * cleanMantissa(wanted));
    return m_stepsPerEpoch * (wanted <= 1 ? 1.0 : cleanMantissa(wanted));
  }
  QString getTickLabel(double tick, const QLocale& locale, QChar, int) override {
    const double epochs = std::round(tick / m_stepsPerEpoch * 1e4) / 1e4;
    return epochs == std::round(epochs) ? locale.toString(static_cast<qlonglong>(epochs))
                                        : locale.toString(epochs, 'g', 6);
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

/// Redraws when its size changes, except while the layout has given it no size.
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
  // Half of the last label, which would be omitted if it were cut
  constexpr int kRight = 18;
  m_plot->axisRect()->setAutoMargins(QCP::msLeft | QCP::msBottom);
  m_plot->axisRect()->setMargins(QMargins(0, 6, kRight, 0));
  m_plot->axisRect()->setMinimumMargins(QMargins(34, 6, kRight, 18));
  m_plot->xAxis->setTicker(QSharedPointer<QCPAxisTicker>(new EpochTicker));
  for (QCPAxis* axis : {m_plot->xAxis, m_plot->yAxis}) {
    axis->setSubTicks(false);
    axis->setTickLength(0, 0);
    // Even a tick of length zero is drawn as a dot.
    axis->setTickPen(Qt::NoPen);
    axis->setTickLabelPadding(6);
    axis->grid()->setZeroLinePen(Qt::NoPen);
  }
  m_plot->xAxis->grid()->setVisible(false);

  // Every data line is one pixel wide, because QCustomPlot draws wider ones point by point, which
  // takes seconds.
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
  m_isNewPlan = true;
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
}

void MetricPlot::setPlan(double totalSteps, double stepsPerEpoch) {
  m_totalSteps = std::max(1.0, totalSteps);
  m_stepsPerEpoch = std::max(1.0, stepsPerEpoch);
  m_isNewPlan = true;
  qSharedPointerCast<EpochTicker>(m_plot->xAxis->ticker())->setStepsPerEpoch(m_stepsPerEpoch);
  // Room to the right of the last step, where the marker of a validation would be cut
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
  Visible visible;
  if (training) {
    visible.raw = training->envelope(from, to, columns);
    if (m_smoothing != Smoothing::None)
      visible.smooth = training->smoothed(from, to, columns, m_smoothing);
  }
  // Validation shows its values: an average over epochs would mislead.
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
  // Its place is known only after the axes are laid out.
  updateReading();
  m_navigator->redrawOverlay();
}

/// The curves, identified by colour, with their latest values
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
    add(validationColor(colors), tr("validation %1").arg(valueText(validation->lastValue())));
  const QString legend = entries.join(u" &nbsp; "_s);
  if (legend == m_legend->text()) return;
  m_legend->setText(legend);
  m_plot->setAccessibleDescription(words.join(u", "_s));
  layOutHead();
}

/// The legend goes next to the title if there is room, else below it.
void MetricPlot::layOutHead() {
  const int others = m_more->sizeHint().width() +
                     (m_navigator->isZoomed() ? m_whole->sizeHint().width() + 6 : 0) + 6;
  const QMargins margins = layout()->contentsMargins();
  const int room = width() - margins.left() - margins.right() - others;
  const bool isBeside = m_title->sizeHint().width() + 12 + m_legend->sizeHint().width() <= room;
  m_head->setDirection(isBeside ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
}

/// Shows the values at the line that follows the mouse.
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
  // On the side of the line that has room
  const bool isRight = x + kReadingGap + width <= m_plot->viewport().right();
  m_reading->setPositionAlignment(Qt::AlignLeft | Qt::AlignTop);
  m_reading->position->setCoords(isRight ? x + kReadingGap : std::max(0.0, x - kReadingGap - width),
                                 area.top() + 4);
  setAccessibleDescription(lines.join(u", "_s));
}

/// A plot without a size is drawn once it gets one.
void MetricPlot::replot() {
  if (m_plot->isVisible() && !m_plot->viewport().isEmpty())
    m_plot->replot(QCustomPlot::rpImmediateRefresh);
}

void MetricPlot::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  replot();
}

/// Expands at once but shrinks slowly, because a jumping axis looks like a jumping loss.
void MetricPlot::updateRange(const MetricSeries* training, const MetricSeries* validation,
                             const Visible& visible) {
  const bool isLogarithmic = m_isLogarithmic && m_scale == Scale::Value;
  std::vector<double> values;
  const auto take = [&](const std::vector<CurvePoint>& points, size_t skipped) {
    for (size_t i = skipped; i < points.size(); ++i)
      if (!isLogarithmic || points[i].value > 0) values.push_back(points[i].value);
  };
  if (m_navigator->isZoomed() || isLogarithmic) {
    take(visible.raw, 0);
    take(visible.smooth, 0);
    take(visible.validation, 0);
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    m_low = isLogarithmic ? 0.1 : 0;
    m_high = 1;
    if (!values.empty()) {
      m_low = *low;
      m_high = *high;
    }
    if (isLogarithmic) {
      m_low /= 1.25;
      m_high *= 1.25;
      return;
    }
    const double room =
        m_high > m_low ? 0.06 * (m_high - m_low) : std::max(0.01, 0.1 * std::abs(m_high));
    m_low -= room;
    m_high += room;
    return;
  }
  // The average after the steep start determines the range, so that the interesting part fills the
  // plot; the rest is clipped.
  const auto& decisive = visible.smooth.empty() ? visible.raw : visible.smooth;
  take(decisive, decisive.size() > 20 ? std::min(decisive.size() / 4, decisive.size() - 20) : 0);
  if (validation && validation->count() > 0) {
    values.push_back(validation->minimum());
    values.push_back(validation->maximum());
  }
  double low = values.empty() ? 0 : *std::min_element(values.begin(), values.end());
  double high = values.empty() ? 1 : *std::max_element(values.begin(), values.end());
  if (m_scale == Scale::Percent) {
    const double room = std::max(0.02, 1 - low);
    low = std::max(0.0, std::floor((1 - room * 1.6) * 20) / 20);
    // Room for the label 100%
    high = 1 + 0.01 * (1 - low);
  }
  else {
    low = std::min(0.0, low);
    high = high <= 0 ? 1 : high * 1.35;
  }
  const bool jumps = !training || training->count() < 3 || std::exchange(m_isNewPlan, false);
  m_low = low < m_low || jumps ? low : m_low + 0.2 * (low - m_low);
  m_high = high > m_high || jumps ? high : m_high + 0.2 * (high - m_high);
}

void MetricPlot::updateAxes(const MetricSeries* training, const MetricSeries* validation,
                            const Visible& visible) {
  m_plot->xAxis->setRange(m_navigator->from(), m_navigator->to());
  updateRange(training, validation, visible);
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

void MetricPlot::showMenu(const QPoint& global) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  QAction* whole = menu->addAction(tr("Whole run"), m_navigator, &PlotNavigator::showWhole);
  whole->setEnabled(m_navigator->isZoomed());
  if (m_scale == Scale::Value) {
    QAction* logarithmic =
        menu->addAction(tr("Logarithmic scale"), this, &MetricPlot::setLogarithmic);
    logarithmic->setCheckable(true);
    logarithmic->setChecked(m_isLogarithmic);
  }
  addSmoothing(menu->addMenu(tr("Smoothing")));
  menu->addSeparator();
  menu->addAction(tr("Copy image"), this,
                  [this] { QApplication::clipboard()->setImage(pictureOf(*m_plot, caption())); });
  menu->addAction(tr("Save as PNG…"), this,
                  [this] { chooseFile(tr("Save the plot"), tr("PNG image (*.png)"), u"png"_s); });
  menu->addAction(tr("Save as SVG…"), this,
                  [this] { chooseFile(tr("Save the plot"), tr("SVG image (*.svg)"), u"svg"_s); });
  QAction* table = menu->addAction(tr("Save as CSV…"), this, [this] {
    chooseFile(tr("Save the values"), tr("Table (*.csv)"), u"csv"_s);
  });
  table->setEnabled(!m_historyFile.empty());
  menu->popup(global);
}

void MetricPlot::addSmoothing(QMenu* menu) {
  auto* group = new QActionGroup(menu);
  const auto add = [&](const QString& words, Smoothing smoothing) {
    QAction* action = group->addAction(words);
    action->setCheckable(true);
    action->setChecked(m_smoothing == smoothing);
    menu->addAction(action);
    connect(action, &QAction::triggered, this, [this, smoothing] {
      setSmoothing(smoothing);
      Q_EMIT smoothingChosen(smoothing);
    });
  };
  add(tr("Automatic"), Smoothing::Automatic);
  add(tr("None"), Smoothing::None);
  add(u"0.6"_s, Smoothing::Weight60);
  add(u"0.9"_s, Smoothing::Weight90);
  add(u"0.99"_s, Smoothing::Weight99);
}

QString MetricPlot::metricName() const { return text(m_trainingName); }

PlotCaption MetricPlot::caption() const {
  const Colors& colors = colorsOf(this);
  PlotCaption caption{m_title->text(), {{tr("training"), colors.accent}}};
  if (m_validation->dataCount() > 0)
    caption.legend.push_back({tr("validation"), validationColor(colors)});
  return caption;
}

void MetricPlot::chooseFile(const QString& title, const QString& filter, const QString& suffix) {
  auto* dialog = new QFileDialog(this, title);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setViewMode(QFileDialog::List);
  dialog->setAcceptMode(QFileDialog::AcceptSave);
  dialog->setNameFilter(filter);
  dialog->setDefaultSuffix(suffix);
  dialog->selectFile(u"%1.%2"_s.arg(metricName(), suffix));
  connect(dialog, &QFileDialog::fileSelected, this, &MetricPlot::saveTo);
  dialog->open();
}

void MetricPlot::saveTo(const QString& target) {
  const auto report = [window = QPointer<MetricPlot>(this), target](const QString& why) {
    if (why.isEmpty() || !window) return;
    auto* box = new QMessageBox(QMessageBox::Warning, tr("Not saved"),
                                tr("%1 was not saved: %2").arg(target, why), QMessageBox::Ok,
                                window.data());
    box->setAttribute(Qt::WA_DeleteOnClose);
    box->open();
  };
  if (target.endsWith(u".csv"_s, Qt::CaseInsensitive)) {
    // A long run has millions of rows.
    QThreadPool::globalInstance()->start(
        [file = m_historyFile, metric = m_trainingName, target, report] {
          const QString why = writeCurves(file, metric, target);
          QMetaObject::invokeMethod(
              qApp, [why, report] { report(why); }, Qt::QueuedConnection);
        });
    return;
  }
  m_navigator->setOverlayVisible(false);
  QString why;
  if (target.endsWith(u".svg"_s, Qt::CaseInsensitive))
    why = writeSvg(*m_plot, caption(), target);
  else if (!pictureOf(*m_plot, caption()).save(target))
    why = tr("the file cannot be written");
  m_navigator->setOverlayVisible(true);
  replot();
  report(why);
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
  // Opaque, because transparent lines would look dark where many overlap.
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
