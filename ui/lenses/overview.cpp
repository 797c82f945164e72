// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/overview.h"

#include <QButtonGroup>
#include <QFrame>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTableView>
#include <QTimer>
#include <QVBoxLayout>

#include "core/cost/simulated_card.h"
#include "core/recipe/options.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"
#include "ui/device_text.h"
#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/models/bar_delegate.h"
#include "ui/models/time_item_model.h"
#include "ui/plots/memory_card.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/smoothing_setting.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

OverviewLens::OverviewLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* grid = new QGridLayout(this);
  grid->setContentsMargins(0, 0, 0, 0);
  grid->setSpacing(12);
  m_loss = new MetricPlot(tr("Loss"), MetricPlot::Scale::Value, this);
  m_loss->setSeries("loss", "val_loss");
  m_metric = new MetricPlot(tr("Accuracy"), MetricPlot::Scale::Percent, this);
  m_memory = new MemoryCard(this);
  m_metricCard = cardAround(m_metric, this);
  const Smoothing smoothing = storedSmoothing();
  for (MetricPlot* plot : {m_loss, m_metric}) {
    plot->setSmoothing(smoothing);
    connect(plot, &MetricPlot::smoothingChosen, this, [this](Smoothing chosen) {
      storeSmoothing(chosen);
      for (MetricPlot* each : {m_loss, m_metric})
        each->setSmoothing(chosen);
    });
  }
  grid->addWidget(cardAround(m_loss, this), 0, 0);
  grid->addWidget(m_metricCard, 0, 1);
  grid->addWidget(cardAround(m_memory, this), 1, 0);
  grid->addWidget(cardAround(makeTimeCard(), this), 1, 1);
  grid->addWidget(cardAround(makeThroughputCard(), this), 2, 0, 1, 2);
  // The curves take the remaining height.
  grid->setRowStretch(0, 1);
  grid->setColumnStretch(0, 1);
  grid->setColumnStretch(1, 1);

  RunView& run = m_context.view;
  connect(&run, &RunView::changed, this, [this] {
    onStarted();
    onProfile();
  });
  connect(&run, &RunView::stateChanged, this, &OverviewLens::onState);
  onState();
  connect(&run, &RunView::settingChanged, this, &OverviewLens::onSetting);
  connect(&m_context.document, &Document::changed, this, &OverviewLens::refreshChanges);
  connect(&run, &RunView::metricsArrived, this, &OverviewLens::onMetrics);
  connect(&run, &RunView::profileArrived, this, &OverviewLens::onProfile);
  connect(&run, &RunView::ended, this, [this] {
    if (m_context.view.shown().start)
      for (MetricPlot* plot : {m_loss, m_metric})
        plot->setSteps(m_context.view.shown().stepsOfAxis());
    onMetrics();
    // Show the last profile before settle() sorts the times.
    onProfile();
    m_timeModel->settle();
  });
  if (run.shown().start) onStarted();
}

QWidget* OverviewLens::makeTimeCard() {
  auto* card = new QWidget(this);
  auto* layout = new QVBoxLayout(card);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->setSpacing(2);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Step time"), card);
  setRole(title, "section");
  head->addWidget(title);
  auto* groups = new QButtonGroup(card);
  for (const auto& [caption, grouping] : {std::pair{tr("by layer"), TimeItemModel::Grouping::Layer},
                                          std::pair{tr("by op"), TimeItemModel::Grouping::Op}}) {
    auto* button = new QPushButton(caption, card);
    setRole(button, "link");
    button->setCheckable(true);
    button->setChecked(grouping == TimeItemModel::Grouping::Layer);
    groups->addButton(button);
    head->addWidget(button);
    connect(button, &QPushButton::clicked, this,
            [this, g = grouping] { m_timeModel->setGrouping(g); });
  }
  m_timeTotal = new ElidedLabel(card);
  m_timeTotal->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  setRole(m_timeTotal, "muted");
  m_timeTotal->setToolTip(tr("Mean of the profiled steps of the run so far."));
  head->addWidget(m_timeTotal, 1);
  layout->addLayout(head);

  m_timeModel = new TimeItemModel(m_context.document, this);
  m_timeTable = new QTableView(card);
  m_timeTable->setModel(m_timeModel);
  m_timeTable->setAccessibleName(tr("Step time by layer or op"));
  m_timeTable->setItemDelegateForColumn(
      TimeItemModel::kBar,
      new BarDelegate(TimeItemModel::kFractionRole, TimeItemModel::kColorRole, this));
  m_timeTable->horizontalHeader()->hide();
  setUpLayerTable(m_timeTable, m_context, TimeItemModel::kLayerRole);
  auto* header = m_timeTable->horizontalHeader();
  header->setMinimumSectionSize(30);
  header->setSectionResizeMode(TimeItemModel::kName, QHeaderView::ResizeToContents);
  header->setSectionResizeMode(TimeItemModel::kBar, QHeaderView::Stretch);
  header->setSectionResizeMode(TimeItemModel::kTime, QHeaderView::Fixed);
  header->setSectionResizeMode(TimeItemModel::kShare, QHeaderView::Fixed);
  m_timeTable->setColumnWidth(TimeItemModel::kTime,
                              fontMetrics().horizontalAdvance(u"000.00 ms"_s) + 12);
  m_timeTable->setColumnWidth(TimeItemModel::kShare,
                              fontMetrics().horizontalAdvance(u"100%"_s) + 14);
  m_noTimes = new ElidedLabel(card, 4);
  setRole(m_noTimes, "muted");
  m_noTimes->setAlignment(Qt::AlignCenter);
  m_noTimes->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Ignored);
  m_times = new QStackedWidget(card);
  m_times->addWidget(m_timeTable);
  m_times->addWidget(m_noTimes);
  layout->addWidget(m_times, 1);
  return card;
}

QWidget* OverviewLens::makeThroughputCard() {
  auto* card = new QWidget(this);
  auto* layout = new QHBoxLayout(card);
  layout->setContentsMargins(14, 8, 10, 8);
  layout->setSpacing(12);
  m_rate = new QLabel(card);
  m_rate->setTextFormat(Qt::RichText);
  m_rate->setMinimumWidth(widthOf(m_rate, {rateText(88'888'888, false)}));
  m_rate->setToolTip(
      tr("While the run trains: its speed in the last second. Afterwards: that of the mean step."));
  layout->addWidget(m_rate);
  m_phases = new ElidedLabel(card, 3);
  setRole(m_phases, "muted");
  layout->addWidget(m_phases, 1);
  m_watching = new QLabel(card);
  setRole(m_watching, "muted");
  layout->addWidget(m_watching);
  m_watch = new QPushButton(tr("Stop profiling"), card);
  m_watch->setToolTip(
      tr("Measures the time of every node. The overhead is shown next to this button."));
  fixWidth(m_watch, {tr("Stop profiling"), tr("Profile")});
  // The words before the first measurement take two lines
  m_watching->setWordWrap(true);
  m_watching->setFixedWidth(widthOf(m_watching, RunText::overheadExamples().first(1)));
  layout->addWidget(m_watch);
  connect(m_watch, &QPushButton::clicked, this, [this] {
    m_context.run.setProfiling(!m_context.run.isProfiling());
    showOverhead();
  });
  return card;
}

QString OverviewLens::rateText(double perSecond, bool isSimulated) {
  return (isSimulated ? tr("<b style='font-size:15pt'>%1</b> samples/s<br>simulation speed")
                      : tr("<b style='font-size:15pt'>%1</b> samples/s"))
      .arg(formatRate(perSecond));
}

void OverviewLens::onStarted() {
  // A run that is being prepared has no start yet, and an earlier run may be unreadable
  if (!m_context.view.shown().start) {
    showNothing();
    return;
  }
  const RunStart& start = *m_context.view.shown().start;
  const std::string metric = start.metricNames.empty() ? std::string() : start.metricNames.front();
  m_metricCard->setVisible(!metric.empty());
  for (MetricPlot* plot : {m_loss, m_metric})
    plot->setAveraged(start.usesAverages);
  if (!metric.empty()) {
    m_metric->setMetric(metricTitle(metric), metric.ends_with("accuracy")
                                                 ? MetricPlot::Scale::Percent
                                                 : MetricPlot::Scale::Value);
    m_metric->setSeries(metric, "val_" + metric);
  }
  for (MetricPlot* plot : {m_loss, m_metric})
    plot->setPlan(m_context.view.shown().stepsOfAxis(), static_cast<double>(start.stepsPerEpoch));
  setHistoryFile();
  double deviceBytes = static_cast<double>(simulatedMemoryBytes(start.device));
  if (deviceBytes <= 0) {
    if (m_devices.empty()) m_devices = listDevices();
    for (const DeviceInfo& device : m_devices)
      if (device.name == start.device) deviceBytes = static_cast<double>(device.memoryBytes);
  }
  // Prefer the limit that the run stored. Otherwise use the limit in the top row if it is known.
  const auto limitIn = [&](const CheckedProject& project) {
    return project.execution().limitOf(start.device);
  };
  const auto& project = m_context.view.shown().project;
  const std::optional<size_t> limit = project ? limitIn(*project) : std::nullopt;
  const Estimate& estimate = m_context.document.checks().estimate();
  // The plan of the document knows the device, if the run was on the same one
  const bool isSameDevice =
      estimate.hasMemory &&
      resolvedDeviceName(m_context.document.checked().execution().device) == start.device;
  const bool usesEstimate = isSameDevice && !limitIn(m_context.document.checked());
  const double machineLimit = usesEstimate ? estimate.limitBytes : deviceBytes;
  MemoryCard::Context context;
  if (isSameDevice)
    context = {static_cast<double>(estimate.memory.context), estimate.memory.isContextEstimated};
  m_memory->setPlan(start, limit ? static_cast<double>(*limit) : machineLimit, context);
  m_timeModel->setProfile(nullptr);
  refreshChanges();
  onSetting();
  m_timeTotal->clear();
  showNoTimes();
  showOverhead();
  refreshAll();
}

/// Removes the figures of a former run. The plots must not read its history any more.
void OverviewLens::showNothing() {
  for (MetricPlot* plot : {m_loss, m_metric}) {
    plot->setMarks({});
    plot->refresh(m_context.view.shown().history);
  }
  m_memory->clear();
  m_timeModel->setProfile(nullptr);
  m_timeTotal->clear();
  m_rate->clear();
  showNoTimes();
  showOverhead();
}

void OverviewLens::onSetting() {
  // Checkpoints are marked on Curves alone
  std::vector<RunMark> changes = m_context.view.shown().marks;
  std::erase_if(changes, [](const RunMark& mark) {
    return mark.kind == RunMark::Kind::Checkpoint || mark.kind == RunMark::Kind::BestWeights;
  });
  m_loss->setMarks(changes);
  m_metric->setMarks(changes);
}

/// Tells the table of times which layers have changed since the run. The table greys them out.
void OverviewLens::refreshChanges() {
  if (m_context.view.shown().project)
    m_timeModel->setChanges(
        designChanges(*m_context.view.shown().project, m_context.document.project()));
}

void OverviewLens::focusTime() {
  m_timeTable->setFocus();
  if (m_timeModel->rowCount() == 0) return;
  const QModelIndex first = m_timeModel->index(0, TimeItemModel::kName);
  m_timeTable->setCurrentIndex(first);
  m_timeTable->scrollTo(first);
  const QString layer = first.data(TimeItemModel::kLayerRole).toString();
  if (m_context.document.layers().indexOf(layer) >= 0) m_context.document.setSelection({layer});
}

/// Explains why there are no times.
void OverviewLens::showNoTimes() {
  const RunView& run = m_context.view;
  const bool hasFailed = run.shown().outcome && run.shown().outcome->outcome == Outcome::Failed;
  m_phases->clear();
  m_times->setCurrentWidget(m_noTimes);
  if (run.isLive())
    m_noTimes->setText(tr("Times appear after the first steps."));
  else if (hasFailed)
    m_noTimes->setText(
        tr("Step times are unknown, because the run failed before any were measured."));
  else
    m_noTimes->setText(tr("Step times are unknown, because this run did not save them."));
}

/// Tells the plots the file of the run, which moves with the run's directory.
void OverviewLens::setHistoryFile() {
  const auto& start = m_context.view.shown().start;
  if (!start) return;
  for (MetricPlot* plot : {m_loss, m_metric})
    plot->setHistoryFile(start->runDirectory.empty() ? std::string()
                                                     : start->runDirectory + "/history.bin");
}

void OverviewLens::onState() {
  setHistoryFile();
  m_watch->setEnabled(m_context.view.isLive() && !m_context.view.replay());
  if (m_context.view.replay()) m_watch->setToolTip(tr("A recording cannot be profiled"));
  if (!m_context.view.isLive() && !m_context.view.shown().profile && m_context.view.shown().start)
    showNoTimes();
}

void OverviewLens::onMetrics() {
  if (isVisible()) refreshAll();
}

void OverviewLens::refreshAll() {
  const RunView& run = m_context.view;
  m_loss->refresh(run.shown().history);
  if (m_metricCard->isVisibleTo(this)) m_metric->refresh(run.shown().history);
  if (run.shown().memoryBytes > 0)
    m_memory->setMeasured(static_cast<double>(run.shown().memoryBytes));
  m_rate->setText(run.shown().samplesPerSecond > 0
                      ? rateText(run.shown().samplesPerSecond,
                                 DeviceName(run.shown().start->device).isSimulated())
                      : QString());
}

void OverviewLens::onProfile() {
  const auto& profile = m_context.view.shown().profile;
  if (!profile || !isVisible()) return;
  // A profile without steps contains only phases and no times of nodes.
  const auto& times = m_context.view.shown().times;
  const bool isPredicted = DeviceName(m_context.view.shown().start->device).isSimulated();
  if (times) {
    m_timeModel->setPredicted(isPredicted);
    m_timeModel->setProfile(times);
    m_times->setCurrentWidget(m_timeTable);
  }
  showTimeTotal(times ? times->stepMicroseconds : profile->stepMicroseconds);
  const StepBreakdown breakdown = *m_context.view.shown().breakdown();
  const auto share = [&](StepPart part, int digits = 0) {
    return formatShare(breakdown.shareOf(part), digits);
  };
  QString phases =
      tr("forward %1, backward %2, update %3")
          .arg(share(StepPart::Forward), share(StepPart::Backward), share(StepPart::Update));
  if (breakdown.of(StepPart::Communication) > 0)
    phases = tr("%1, communication %2").arg(phases, share(StepPart::Communication));
  // There is little room. The lens Time shows all parts.
  constexpr double kVisible = 0.0005, kWorthShowing = 0.05;
  if (breakdown.shareOf(StepPart::Waiting) >= kVisible)
    phases = tr("waiting for data %1, %2").arg(share(StepPart::Waiting, 1), phases);
  if (const double other = breakdown.shareOf(StepPart::Copies) + breakdown.shareOf(StepPart::Host);
      other >= kWorthShowing)
    phases = tr("%1, other %2").arg(phases, formatShare(other, 0));
  m_phases->setTextWithItalics(isPredicted ? italic(phases) : phases);
  showOverhead();
}

void OverviewLens::showOverhead() {
  const RunView& view = m_context.view;
  m_watch->setText(m_context.run.isProfiling() ? tr("Stop profiling") : tr("Profile"));
  m_watching->setText(RunText::profilingOverhead(
      view.shown(), view.isLive() && !view.replay() && m_context.run.isProfiling()));
}

/// Shows the time of a step, and which run and device it is of. The device is elided first.
void OverviewLens::showTimeTotal(double microseconds) {
  const RunStart& start = *m_context.view.shown().start;
  const QString time = formatSeconds(microseconds * 1e-6);
  QFont font = m_timeTotal->font();
  // Predicted values are in italics.
  const bool isPredicted = DeviceName(start.device).isSimulated();
  font.setItalic(isPredicted);
  m_timeTotal->setFont(font);
  m_timeTotal->setText(
      (isPredicted ? tr("%1 predicted · %2, %3") : tr("%1 · %2, %3"))
          .arg(time, RunText::title(start.runDirectory), deviceTitle(start.device)));
}

void OverviewLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  showOverhead();
  if (m_context.view.shown().start) {
    refreshAll();
    onProfile();
  }
}

void OverviewLens::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  // New metrics redraw the plot of an active run. The plot of an ended run must be redrawn here.
  if (m_context.view.shown().start && !m_context.view.isLive())
    QTimer::singleShot(0, this, [this] { onMetrics(); });
}

QWidget* makeOverviewLens(const LensContext& context, QWidget* parent) {
  return new OverviewLens(context, parent);
}

}  // namespace strata::ui
