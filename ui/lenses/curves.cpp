// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/curves.h"

#include <QApplication>
#include <QBoxLayout>
#include <QCheckBox>
#include <QComboBox>
#include <QFrame>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollArea>
#include <QSettings>
#include <QSlider>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include "gpu/devices/device_name.h"
#include "ui/format.h"
#include "ui/lenses/classes_card.h"
#include "ui/lenses/run_picker.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/smoothing_setting.h"
#include "ui/run/run_view.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr QLatin1String kAxisKey("curves/axis"), kLogXKey("curves/log_x"),
    kLogYKey("curves/log_y");
// The slider's lowest position is automatic, the next one none. Each further one removes the same
// part of the weight that new values have.
static constexpr int kPositions = 61, kNone = 1;
static constexpr double kPositionsPerDecade = 20;
static constexpr int kChartHeight = 250, kChartWidth = 380;

static Smoothing smoothingAt(int position) {
  if (position == 0) return Smoothing::automatic();
  if (position == kNone) return Smoothing::none();
  return Smoothing::ofWeight(1 - std::pow(10.0, (kNone - position) / kPositionsPerDecade));
}

static int positionOf(Smoothing smoothing) {
  if (smoothing.isAutomatic) return 0;
  if (smoothing.isNone()) return kNone;
  const double position = kNone - kPositionsPerDecade * std::log10(1 - smoothing.weight);
  return std::clamp(static_cast<int>(std::lround(position)), kNone, kPositions);
}

CurvesLens::CurvesLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(8);
  layout->addLayout(makeControls());
  m_empty = new QLabel(this);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  m_empty->hide();
  layout->addWidget(m_empty, 1);
  m_scroll = new QScrollArea(this);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  keepScrollBarRoom(m_scroll);
  m_scroll->setAccessibleName(tr("Charts of the run"));
  m_content = new QWidget(m_scroll);
  m_grid = new QGridLayout(m_content);
  m_grid->setContentsMargins(0, 0, 4, 0);
  m_grid->setSpacing(12);
  m_classes = new ClassesCard(m_context, m_content);
  m_classFrame = cardAround(m_classes, m_content);
  m_classFrame->hide();
  m_scroll->setWidget(m_content);
  layout->addWidget(m_scroll, 1);

  RunView& view = m_context.view;
  connect(&view, &RunView::changed, this, &CurvesLens::showRun);
  connect(&view, &RunView::metricsArrived, this, [this] {
    if (isVisible()) refresh();
  });
  connect(&view, &RunView::settingChanged, this, [this] {
    for (const Card& card : m_cards)
      card.plot->setMarks(m_context.view.shown().marks);
  });
  connect(&view, &RunView::ended, this, &CurvesLens::showEnd);
  connect(&view, &RunView::stateChanged, this, [this] {
    if (m_cards.empty()) showRun();
  });
  showRun();
}

QLayout* CurvesLens::makeControls() {
  m_controls = new QBoxLayout(QBoxLayout::LeftToRight);
  m_controls->setSpacing(8);
  auto* row = new QHBoxLayout;
  row->setSpacing(8);
  auto* smoothing = new QLabel(tr("Smoothing"), this);
  row->addWidget(smoothing);
  m_smoothing = new QSlider(Qt::Horizontal, this);
  m_smoothing->setRange(0, kPositions);
  m_smoothing->setFixedWidth(110);
  m_smoothing->setAccessibleName(tr("Smoothing"));
  m_smoothing->setToolTip(
      tr("The weight of earlier steps in the moving average. The raw curve stays behind it."));
  smoothing->setBuddy(m_smoothing);
  row->addWidget(m_smoothing);
  m_smoothingText = new QLabel(this);
  setRole(m_smoothingText, "muted");
  m_smoothingText->setMinimumWidth(
      widthOf(m_smoothingText, {tr("automatic"), tr("none"), u"0.888"_s}));
  row->addWidget(m_smoothingText);
  m_axis = new QComboBox(this);
  m_axis->addItems({tr("By epoch"), tr("By step"), tr("By time")});
  m_axis->setAccessibleName(tr("Horizontal axis"));
  row->addWidget(m_axis);
  row->addStretch();
  m_controls->addLayout(row, 1);
  row = new QHBoxLayout;
  row->setSpacing(8);
  m_logX = new QCheckBox(tr("Log x"), this);
  m_logX->setToolTip(tr("Uses a logarithmic horizontal axis."));
  m_logY = new QCheckBox(tr("Log y"), this);
  m_logY->setToolTip(tr("Uses logarithmic vertical axes, except for percentages."));
  row->addWidget(m_logX);
  row->addWidget(m_logY);
  row->addStretch();
  m_band = new QCheckBox(tr("Range of runs"), this);
  m_band->setToolTip(tr("Shows the smallest, the mean and the largest value of the drawn runs."));
  row->addWidget(m_band);
  m_others = new RunPicker(m_context.document, m_context.view, this);
  row->addWidget(m_others);
  m_controls->addLayout(row);

  const QSettings settings;
  m_axis->setCurrentIndex(std::clamp(settings.value(kAxisKey, 0).toInt(), 0, 2));
  m_logX->setChecked(settings.value(kLogXKey, false).toBool());
  m_logY->setChecked(settings.value(kLogYKey, false).toBool());
  showSmoothing(storedSmoothing());
  m_band->setEnabled(false);
  connect(m_smoothing, &QSlider::valueChanged, this,
          [this](int position) { useSmoothing(smoothingAt(position)); });
  connect(m_axis, &QComboBox::currentIndexChanged, this, &CurvesLens::useAxis);
  connect(m_logX, &QCheckBox::toggled, this, &CurvesLens::useAxis);
  connect(m_logY, &QCheckBox::toggled, this, [this](bool on) {
    QSettings().setValue(kLogYKey, on);
    for (const Card& card : m_cards)
      card.plot->setLogarithmic(on);
  });
  connect(m_band, &QCheckBox::toggled, this, &CurvesLens::useOthers);
  connect(m_others, &RunPicker::runsChanged, this, &CurvesLens::useOthers);
  return m_controls;
}

/// Makes the charts of the shown run.
void CurvesLens::showRun() {
  const ShownRun& run = m_context.view.shown();
  for (const Card& card : m_cards) {
    m_grid->removeWidget(card.frame);
    card.frame->hide();
    card.frame->deleteLater();
  }
  m_cards.clear();
  m_columns = 0;
  delete m_linked;
  m_linked = new LinkedPlots(this);
  const bool hasCurves = run.start && run.problem.empty();
  m_scroll->setVisible(hasCurves);
  m_empty->setVisible(!hasCurves);
  if (!hasCurves) {
    m_empty->setText(run.problem.empty() ? tr("Curves appear when the run begins to train.")
                                         : text(run.problem));
    return;
  }
  m_mayHaveClasses = mayHaveClasses(run);
  std::vector<CurveChart> charts = chartsOf(run);
  m_order.sort(charts);
  for (CurveChart& chart : charts)
    addCard(std::move(chart));
  arrange();
  useOthers();
  if (isVisible()) refresh();
}

/// Shows the end of the run in the present charts, whose zoom and dialogs stay.
void CurvesLens::showEnd() {
  const ShownRun& run = m_context.view.shown();
  std::vector<CurveChart> charts;
  if (run.start && run.problem.empty()) charts = chartsOf(run);
  if (charts.size() != m_cards.size()) {
    showRun();
    return;
  }
  for (const Card& card : m_cards) {
    const auto chart = std::ranges::find(charts, card.chart.series, &CurveChart::series);
    if (chart != charts.end()) card.plot->setEmptyText(chart->whyEmpty);
    card.plot->setMarks(run.marks);
    card.plot->setSteps(run.stepsOfAxis());
  }
  if (isVisible()) refresh();
}

void CurvesLens::addCard(CurveChart chart) {
  const ShownRun& run = m_context.view.shown();
  auto* plot = new MetricPlot(chart.title, chart.scale, m_content);
  plot->setSeries(chart.series, chart.validation);
  plot->setPredicted(chart.series == "replica_wait" && DeviceName(run.start->device).isSimulated());
  plot->setAveraged(run.start->usesAverages && !chart.validation.empty());
  plot->setSmoothing(smoothingAt(m_smoothing->value()));
  plot->setAxis(static_cast<RunAxis::Unit>(m_axis->currentIndex()), m_logX->isChecked());
  plot->setLogarithmic(m_logY->isChecked());
  plot->setPlan(run.stepsOfAxis(), static_cast<double>(run.start->stepsPerEpoch));
  plot->showAxisTitles(chart.unit);
  plot->setHistoryFile(run.start->runDirectory.empty() ? std::string()
                                                       : run.start->runDirectory + "/history.bin");
  plot->setMarks(run.marks);
  if (!m_context.view.isLive()) plot->setEmptyText(chart.whyEmpty);
  plot->setMenuEntries([this, series = chart.series](QMenu* menu) { extendMenu(menu, series); });
  connect(plot, &MetricPlot::smoothingChosen, this, [this](Smoothing chosen) {
    showSmoothing(chosen);
    useSmoothing(chosen);
  });
  connect(plot, &MetricPlot::outliersChosen, this, [this](bool on) {
    for (const Card& each : m_cards)
      each.plot->setIgnoresOutliers(on);
  });
  m_linked->add(plot->navigator());
  plot->titleLabel()->installEventFilter(this);
  plot->titleLabel()->setCursor(Qt::OpenHandCursor);
  plot->titleLabel()->setToolTip(tr("Drag the title to move the chart."));
  QFrame* frame = cardAround(plot, m_content);
  frame->setMinimumHeight(kChartHeight);
  m_cards.push_back({std::move(chart), frame, plot});
}

void CurvesLens::extendMenu(QMenu* menu, const std::string& series) {
  QAction* pin = menu->addAction(tr("Pin to the top"), this, [this, series](bool on) {
    m_order.setPinned(series, on);
    arrange();
  });
  pin->setCheckable(true);
  pin->setChecked(m_order.isPinned(series));
  const auto place =
      std::ranges::find(m_cards, series, [](const Card& card) { return card.chart.series; });
  const auto index = static_cast<size_t>(place - m_cards.begin());
  const auto add = [&](const QString& words, bool isPossible, size_t before) {
    QAction* move = menu->addAction(words, this, [this, series, before] {
      std::vector<CurveChart> shown;
      for (const Card& card : m_cards)
        shown.push_back(card.chart);
      m_order.moveBefore(series, before < shown.size() ? shown[before].series : std::string(),
                         shown);
      arrange();
    });
    move->setEnabled(isPossible);
  };
  add(tr("Move up"), index > 0, index - 1);
  add(tr("Move down"), index + 1 < m_cards.size(), index + 2);
}

int CurvesLens::columns() const {
  const int room = m_scroll->viewport()->width();
  return std::clamp(room / kChartWidth, 1, 3);
}

/// Puts the cards into the grid in the order that the user wants.
void CurvesLens::arrange() {
  std::vector<CurveChart> order;
  for (const Card& card : m_cards)
    order.push_back(card.chart);
  m_order.sort(order);
  std::ranges::sort(m_cards, {}, [&](const Card& card) {
    return std::ranges::find(order, card.chart.series, &CurveChart::series) - order.begin();
  });
  m_columns = columns();
  for (size_t i = 0; i < m_cards.size(); ++i) {
    m_grid->removeWidget(m_cards[i].frame);
    m_grid->addWidget(m_cards[i].frame, static_cast<int>(i) / m_columns,
                      static_cast<int>(i) % m_columns);
    m_cards[i].frame->show();
  }
  m_grid->removeWidget(m_classFrame);
  m_grid->addWidget(m_classFrame, (static_cast<int>(m_cards.size()) + m_columns - 1) / m_columns, 0,
                    1, m_columns);
  for (int column = 0; column < 3; ++column)
    m_grid->setColumnStretch(column, column < m_columns ? 1 : 0);
  // The keyboard visits the charts in their order
  QWidget* before = m_others;
  for (const Card& card : m_cards) {
    setTabOrder(before, card.plot);
    before = card.plot;
  }
}

void CurvesLens::refresh() {
  for (const Card& card : m_cards)
    card.plot->refresh(m_context.view.shown().history);
  refreshClasses();
}

/// Shows the classes of a run that has some. Nothing moves, because they come after the charts.
void CurvesLens::refreshClasses() {
  m_classes->refresh();
  m_classFrame->setVisible(m_classes->hasClasses() || m_mayHaveClasses);
}

void CurvesLens::showSmoothing(Smoothing smoothing) {
  const QSignalBlocker blocker(m_smoothing);
  m_smoothing->setValue(positionOf(smoothing));
  const QString words = smoothing.isAutomatic ? tr("automatic")
                        : smoothing.isNone()  ? tr("none")
                                              : QLocale().toString(smoothing.weight, 'f', 3);
  m_smoothingText->setText(words);
}

void CurvesLens::useSmoothing(Smoothing smoothing) {
  showSmoothing(smoothing);
  storeSmoothing(smoothing);
  for (const Card& card : m_cards)
    card.plot->setSmoothing(smoothing);
}

void CurvesLens::useAxis() {
  QSettings settings;
  settings.setValue(kAxisKey, m_axis->currentIndex());
  settings.setValue(kLogXKey, m_logX->isChecked());
  for (const Card& card : m_cards)
    card.plot->setAxis(static_cast<RunAxis::Unit>(m_axis->currentIndex()), m_logX->isChecked());
}

void CurvesLens::useOthers() {
  const std::vector<MetricPlot::OtherRun> runs = m_others->runs();
  m_band->setEnabled(!runs.empty());
  for (const Card& card : m_cards)
    card.plot->setOthers(runs, m_band->isChecked());
}

/// Puts a chart where its title was dropped.
void CurvesLens::dropAt(const std::string& series, const QPoint& place) {
  std::vector<CurveChart> shown;
  for (const Card& card : m_cards)
    shown.push_back(card.chart);
  for (size_t i = 0; i < m_cards.size(); ++i) {
    if (!m_cards[i].frame->geometry().contains(place)) continue;
    if (m_cards[i].chart.series == series) return;
    const auto own = std::ranges::find(shown, series, &CurveChart::series) - shown.begin();
    // Dropped on a later chart, it goes behind it
    const size_t before = static_cast<size_t>(own) < i ? i + 1 : i;
    m_order.moveBefore(series, before < shown.size() ? shown[before].series : std::string(), shown);
    arrange();
    return;
  }
}

bool CurvesLens::eventFilter(QObject* watched, QEvent* event) {
  const auto* mouse = static_cast<QMouseEvent*>(event);
  if (event->type() == QEvent::MouseButtonPress && mouse->button() == Qt::LeftButton) {
    for (const Card& card : m_cards)
      if (card.plot->titleLabel() == watched) m_dragged = card.chart.series;
    m_dragStart = mouse->globalPosition().toPoint();
    return true;
  }
  if (event->type() == QEvent::MouseMove && !m_dragged.empty()) {
    static_cast<QWidget*>(watched)->setCursor(Qt::ClosedHandCursor);
    return true;
  }
  if (event->type() == QEvent::MouseButtonRelease && !m_dragged.empty()) {
    static_cast<QWidget*>(watched)->setCursor(Qt::OpenHandCursor);
    const QPoint end = mouse->globalPosition().toPoint();
    const std::string series = std::exchange(m_dragged, {});
    if ((end - m_dragStart).manhattanLength() >= QApplication::startDragDistance())
      dropAt(series, m_content->mapFromGlobal(end));
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

void CurvesLens::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // The controls are in two rows if they do not fit into one
  const bool isWide = m_controls->itemAt(0)->minimumSize().width() +
                          m_controls->itemAt(1)->minimumSize().width() + m_controls->spacing() <=
                      width();
  m_controls->setDirection(isWide ? QBoxLayout::LeftToRight : QBoxLayout::TopToBottom);
  // The viewport gets its size after this event
  QTimer::singleShot(0, this, [this] {
    if (!m_cards.empty() && columns() != m_columns) arrange();
    if (!m_context.view.isLive() && isVisible()) refresh();
  });
}

void CurvesLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  // Overview may have changed it
  showSmoothing(storedSmoothing());
  for (const Card& card : m_cards)
    card.plot->setSmoothing(storedSmoothing());
  refresh();
}

QWidget* makeCurvesLens(const LensContext& context, QWidget* parent) {
  return new CurvesLens(context, parent);
}

}  // namespace strata::ui
