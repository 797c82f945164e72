// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/time.h"

#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include "gpu/base/machine.h"
#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/lenses/time_table.h"
#include "ui/lenses/timeline_card.h"
#include "ui/models/time_row_model.h"
#include "ui/plots/roofline_plot.h"
#include "ui/plots/step_time_plot.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

TimeLens::TimeLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  auto* scroll = new QScrollArea(this);
  scroll->setWidgetResizable(true);
  scroll->setFrameShape(QFrame::NoFrame);
  scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  keepScrollBarRoom(scroll);
  scroll->setAccessibleName(tr("Time of the run"));
  outer->addWidget(scroll);
  auto* content = new QWidget(scroll);
  auto* column = new QVBoxLayout(content);
  column->setContentsMargins(0, 0, 4, 0);
  column->setSpacing(12);
  column->addWidget(cardAround(makeStepCard(), content));
  m_adviceCard = cardAround(makeAdviceCard(), content);
  column->addWidget(m_adviceCard);
  m_table = new TimeTable(m_context, content);
  column->addWidget(cardAround(m_table, content));
  m_timeline = new TimelineCard(m_context, content);
  column->addWidget(cardAround(m_timeline, content));
  column->addWidget(cardAround(makeRooflineCard(), content));
  column->addStretch();
  scroll->setWidget(content);

  connect(m_table, &TimeTable::groupingChanged, this, &TimeLens::refreshRoofline);
  RunView& view = m_context.view;
  for (const auto signal :
       {&RunView::changed, &RunView::ended, &RunView::stateChanged, &RunView::traceArrived})
    connect(&view, signal, this, [this] {
      if (isVisible()) refreshAll();
    });
  connect(&view, &RunView::profileArrived, this, [this] {
    if (isVisible()) refresh();
  });
  connect(&view, &RunView::changed, m_stepTimes, &StepTimePlot::clear);
  connect(&view, &RunView::changed, this, [this] {
    m_drawing.reset();
    m_drawingShare.reset();
    measureDrawing();
  });
  connect(&view, &RunView::stateChanged, this, &TimeLens::measureDrawing);
  refresh();
}

QWidget* TimeLens::makeStepCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->setSpacing(4);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Step time over the run"), card);
  setRole(title, "section");
  head->addWidget(title);
  m_total = new ElidedLabel(card);
  setRole(m_total, "muted");
  m_total->setToolTip(tr("Mean of the profiled steps of the run so far."));
  head->addWidget(m_total, 1);
  m_overhead = new QLabel(card);
  setRole(m_overhead, "muted");
  m_overhead->setMinimumWidth(widthOf(m_overhead, RunText::overheadExamples()));
  m_overhead->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  head->addWidget(m_overhead);
  m_profiling = new QPushButton(tr("Stop profiling"), card);
  m_profiling->setToolTip(
      tr("Measures the time of every node. The overhead is shown next to this button."));
  fixWidth(m_profiling, {tr("Stop profiling"), tr("Profile")});
  head->addWidget(m_profiling);
  connect(m_profiling, &QPushButton::clicked, this, [this] {
    m_context.run.setProfiling(!m_context.run.isProfiling());
    refreshProfiling();
  });
  layout->addLayout(head);
  // A separate line, which keeps its place without a text
  m_watching = new QLabel(card);
  setRole(m_watching, "muted");
  m_watching->setMinimumHeight(fontMetrics().height());
  m_watching->setToolTip(
      tr("Profiling: reading clocks. Layer statistics: the time of their samplings. Drawing: the "
         "processor time of the window, as a part of all processors."));
  layout->addWidget(m_watching);
  m_stepTimes = new StepTimePlot(card);
  m_stepTimes->setMinimumHeight(230);
  layout->addWidget(m_stepTimes);
  return card;
}

QWidget* TimeLens::makeAdviceCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 8, 8, 10);
  auto* title = new QLabel(tr("Advice"), card);
  setRole(title, "section");
  layout->addWidget(title);
  m_adviceLines = new QVBoxLayout;
  m_adviceLines->setSpacing(4);
  layout->addLayout(m_adviceLines);
  layout->addStretch();
  // Room for two lines, so that the first advice of a run moves nothing
  card->setMinimumHeight(fontMetrics().height() * 6);
  return card;
}

QWidget* TimeLens::makeRooflineCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 8, 8, 8);
  auto* title = new QLabel(tr("Roofline"), card);
  setRole(title, "section");
  title->setToolTip(
      tr("Each point is a row of the table. Below the slope, memory limits it; below the flat "
         "part, arithmetic does."));
  layout->addWidget(title);
  m_roofline = new RooflinePlot(card);
  m_roofline->setMinimumHeight(300);
  layout->addWidget(m_roofline);
  connect(m_roofline, &RooflinePlot::pointClicked, this, [this](const QString& layer) {
    if (m_context.document.layers().indexOf(layer) >= 0) m_context.document.setSelection({layer});
  });
  return card;
}

/// Returns why there are no times, and what to do.
QString TimeLens::whyEmpty() const {
  const ShownRun& run = m_context.view.shown();
  if (!run.problem.empty()) return text(run.problem);
  if (run.profile && run.profile->kernels && !run.profile->kernels->problem.empty())
    return tr("Kernels are unknown, because %1.").arg(text(run.profile->kernels->problem));
  if (m_context.view.isLive()) return tr("Times appear after the first profiled steps.");
  return tr("Times are unknown, because this run was not profiled. Train again to see them.");
}

void TimeLens::refresh() {
  // Without a live run, each change is shown at once
  m_pace.redraw(!m_context.view.isLive(), [this] { refreshAll(); });
}

void TimeLens::refreshAll() {
  const ShownRun& run = m_context.view.shown();
  refreshProfiling();
  refreshWatching();
  refreshStep();
  m_table->setProfile(run.times, whyEmpty());
  m_timeline->showRun();
  refreshAdvice();
  refreshRoofline();
}

void TimeLens::refreshStep() {
  const ShownRun& run = m_context.view.shown();
  const std::optional<StepBreakdown> breakdown = run.breakdown();
  if (!run.start || !breakdown) {
    m_total->clear();
    m_stepTimes->clear();
    return;
  }
  const bool isPredicted = DeviceName(run.start->device).isSimulated();
  QFont font = m_total->font();
  font.setItalic(isPredicted);
  m_total->setFont(font);
  const QString time = formatSeconds(1e-6 * breakdown->step);
  const QString shown = isPredicted ? tr("%1 predicted").arg(time) : time;
  m_total->setText(
      tr("%1 · %2, %3")
          .arg(shown, RunText::title(run.start->runDirectory), deviceTitle(run.start->device)));
  const double end = run.history.clock().secondsAt(run.stepsOfAxis());
  m_stepTimes->refresh(run.breakdowns(), run.history.clock(), end, *breakdown, isPredicted);
}

void TimeLens::refreshProfiling() {
  const ShownRun& run = m_context.view.shown();
  m_profiling->setEnabled(m_context.view.isLive() && !m_context.view.replay());
  m_profiling->setText(m_context.run.isProfiling() ? tr("Stop profiling") : tr("Profile"));
  m_overhead->setText(RunText::profilingOverhead(
      run, m_context.view.isLive() && !m_context.view.replay() && m_context.run.isProfiling()));
}

/// Measures how much of the machine this thread takes while a run trains.
void TimeLens::measureDrawing() {
  if (!m_context.view.isLive() || m_context.view.replay()) {
    m_drawing.reset();
    return;
  }
  if (!m_drawing) m_drawing = {Clock::now(), threadProcessorTime()};
  constexpr std::chrono::seconds kLeast{1};
  const std::chrono::nanoseconds passed = Clock::now() - m_drawing->began;
  if (passed < kLeast) return;
  m_drawingShare = static_cast<double>((threadProcessorTime() - m_drawing->before).count()) /
                   static_cast<double>(passed.count()) / usableProcessors();
}

/// Says what watching the run costs, as far as it was measured.
void TimeLens::refreshWatching() {
  measureDrawing();
  const ShownRun& run = m_context.view.shown();
  double sum = 0;
  QStringList parts;
  const auto add = [&](const QString& part, const std::optional<double>& share) {
    if (!share) return;
    sum += *share;
    parts << part.arg(formatShare(*share));
  };
  add(tr("profiling %1"),
      run.times ? std::optional(run.times->observationFraction) : std::optional<double>());
  add(tr("layer statistics %1"), run.layers.costShare());
  add(tr("drawing %1"), m_drawingShare);
  // Profiling alone is next to its button
  m_watching->setText(
      parts.size() < 2
          ? QString()
          : tr("Observation overhead about %1 (%2)").arg(formatPercent(sum), listed(parts)));
}

void TimeLens::refreshAdvice() {
  const ShownRun& run = m_context.view.shown();
  const bool isKnown = run.times && run.start;
  // During a run, the advice stays as long as it is the same, so that a button does not move away
  std::vector<StepAdvice> advice =
      isKnown ? adviceOn(*run.times, run.start->batchSize, usableProcessors())
              : std::vector<StepAdvice>();
  const bool isSame = std::ranges::equal(
      advice, m_advice, {}, [](const StepAdvice& each) { return each.sentence.text.source; },
      [](const StepAdvice& each) { return each.sentence.text.source; });
  if (isSame && isKnown == m_isAdviceKnown && m_context.view.isLive() && m_adviceLines->count() > 0)
    return;
  m_isAdviceKnown = isKnown;
  m_advice = std::move(advice);
  while (QLayoutItem* item = m_adviceLines->takeAt(0)) {
    item->widget()->hide();
    item->widget()->deleteLater();
    delete item;
  }
  const bool isPredicted = isKnown && DeviceName(run.start->device).isSimulated();
  for (const StepAdvice& each : m_advice) {
    auto* line = new QWidget(m_adviceCard);
    auto* row = new QHBoxLayout(line);
    row->setContentsMargins(0, 0, 0, 0);
    QString words = translated(each.sentence.text, each.sentence.arguments);
    if (isPredicted) words = tr("%1 (predicted)").arg(words);
    auto* label = new QLabel(words, line);
    label->setWordWrap(true);
    QFont font = label->font();
    font.setItalic(isPredicted);
    label->setFont(font);
    row->addWidget(label, 1);
    if (each.fix) {
      auto* button = new QPushButton(translated(each.fix->label, each.fix->arguments), line);
      connect(button, &QPushButton::clicked, this,
              [this, edit = each.fix->edit] { m_context.document.submit(edit); });
      row->addWidget(button);
    }
    m_adviceLines->addWidget(line);
  }
  if (m_advice.empty()) {
    auto* label = new QLabel(isKnown ? tr("Nothing takes much more time than it must.")
                                     : tr("Advice appears after the first profiled steps."),
                             m_adviceCard);
    setRole(label, "muted");
    m_adviceLines->addWidget(label);
  }
}

void TimeLens::refreshRoofline() {
  const ShownRun& run = m_context.view.shown();
  std::vector<RooflinePlot::Point> points;
  SpeedLimits limits;
  limits.source = tr("the run has no profile").toStdString();
  std::string precision;
  bool isPredicted = false;
  if (run.times && run.times->kernels) {
    const KernelProfile& kernels = *run.times->kernels;
    limits = kernels.limits;
    if (const auto source = translatableSource(limits.source))
      limits.source = translated(source->first, source->second).toStdString();
    precision = kernels.precision;
    isPredicted = kernels.source == StepRecords::Source::Predicted;
    for (const TimeRow& row : m_table->model().rows())
      points.push_back({m_table->model().nameOf(row), text(row.layer), row.intensity(),
                        row.flopsPerSecond, row.share});
  }
  m_roofline->setPoints(std::move(points), limits, precision, isPredicted);
}

void TimeLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refreshAll();
}

void TimeLens::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  m_stepTimes->clear();
}

QWidget* makeTimeLens(const LensContext& context, QWidget* parent) {
  return new TimeLens(context, parent);
}

}  // namespace strata::ui
