// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/devices.h"

#include <QEvent>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QVBoxLayout>
#include <algorithm>
#include <array>

#include "core/check/checked_project.h"
#include "core/runs/balance.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/topology.h"
#include "ui/device_text.h"
#include "ui/format.h"
#include "ui/inspector/batch_share.h"
#include "ui/lenses/figure_grid.h"
#include "ui/lenses/scaling_card.h"
#include "ui/plots/device_plot.h"
#include "ui/plots/legend.h"
#include "ui/plots/plot_navigator.h"
#include "ui/plots/series_colors.h"
#include "ui/plots/stacked_bars.h"
#include "ui/run/run_view.h"
#include "ui/steady_layout.h"
#include "ui/theme/category_colors.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct QuantityText {
  DeviceQuantity quantity;
  Text title;
};
constexpr QuantityText kQuantities[] = {
    {DeviceQuantity::OwnMemory, STRATA_TEXT("Lens", "Memory of this process")},
    {DeviceQuantity::OtherMemory, STRATA_TEXT("Lens", "Memory of other processes")},
    {DeviceQuantity::Utilization, STRATA_TEXT("Lens", "Utilization")},
    {DeviceQuantity::Temperature, STRATA_TEXT("Lens", "Temperature")},
    {DeviceQuantity::Power, STRATA_TEXT("Lens", "Power")},
    {DeviceQuantity::Clock, STRATA_TEXT("Lens", "Clock")},
    {DeviceQuantity::MemoryClock, STRATA_TEXT("Lens", "Memory clock")}};

QString valueText(DeviceQuantity quantity, double value) {
  switch (quantity) {
    case DeviceQuantity::OwnMemory:
    case DeviceQuantity::OtherMemory: return formatBytes(value);
    case DeviceQuantity::Utilization: return formatPercent(value, 0);
    case DeviceQuantity::Temperature: return DevicesLens::tr("%1 °C").arg(formatValue(value, 3));
    case DeviceQuantity::Power: return DevicesLens::tr("%1 W").arg(formatValue(value, 3));
    case DeviceQuantity::Clock:
    case DeviceQuantity::MemoryClock:
      return DevicesLens::tr("%1 MHz").arg(formatCount(static_cast<int64_t>(value)));
  }
  return {};
}

/// Names the other programs on a GPU with their memory; "" if there are none.
QString programsText(const DeviceState& state) {
  constexpr size_t kMost = 4;
  QStringList names;
  for (size_t i = 0; i < std::min(kMost, state.programs.size()); ++i) {
    const ProgramMemory& program = state.programs[i];
    const QString name = program.name.empty() ? DevicesLens::tr("process") : text(program.name);
    names << DevicesLens::tr("%1 (%2): %3")
                 .arg(name, QString::number(program.process),
                      program.bytes ? formatBytes(static_cast<double>(*program.bytes))
                                    : DevicesLens::tr("unknown, because the driver does not "
                                                      "report it"));
  }
  if (state.programs.size() > kMost)
    names << DevicesLens::tr("and %n other program(s)", nullptr,
                             static_cast<int>(state.programs.size() - kMost));
  return listed(names);
}

/// Returns why a value of this device is not known.
QString whyUnknown(const DeviceSample& sample) {
  if (sample.isSimulated)
    return DevicesLens::tr("a simulated card does not have values of this kind");
  if (DeviceName(sample.device).isCuda())
    return DevicesLens::tr("the driver does not report values of this kind");
  return DevicesLens::tr("Strata does not read values of this kind from a processor");
}

QString linkText(const DeviceLink& link) {
  switch (link.kind) {
    case DeviceLink::Kind::SharedMemory: return DevicesLens::tr("the same memory");
    case DeviceLink::Kind::NvLink:
      return link.nvLinks > 0 ? DevicesLens::tr("NVLink, %n links", nullptr, link.nvLinks)
                              : u"NVLink"_s;
    case DeviceLink::Kind::PcieSwitch: return DevicesLens::tr("PCIe, one switch");
    case DeviceLink::Kind::PcieSwitches: return DevicesLens::tr("PCIe, several switches");
    case DeviceLink::Kind::HostBridge: return DevicesLens::tr("PCIe through the processor");
    case DeviceLink::Kind::Node: return DevicesLens::tr("PCIe through bridges of one processor");
    case DeviceLink::Kind::System: return DevicesLens::tr("PCIe through several processors");
    case DeviceLink::Kind::Host: return DevicesLens::tr("simulated, through memory of the machine");
    case DeviceLink::Kind::Unknown: break;
  }
  return DevicesLens::tr("unknown, because the driver does not report it");
}

/// Returns the parts of all bars with their colours, as rich text.
QString legendOfBars(const std::vector<StackedBars::Bar>& bars) {
  QStringList entries;
  for (const StackedBars::Bar& bar : bars)
    for (const StackedBars::Part& part : bar.parts)
      entries << legendEntry(part.title, part.color);
  entries.removeDuplicates();
  return legendOf(entries);
}

// The first column with predicted figures, in a row without any
constexpr int kNonePredicted = 1000;

QString timeOfStep(double seconds, const ReplicaReport& report) {
  return formatSeconds(seconds / static_cast<double>(std::max<int64_t>(1, report.steps)));
}

}  // namespace

DevicesLens::DevicesLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  auto* outer = new QVBoxLayout(this);
  outer->setContentsMargins(0, 0, 0, 0);
  m_scroll = new QScrollArea(this);
  m_scroll->setWidgetResizable(true);
  m_scroll->setFrameShape(QFrame::NoFrame);
  m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  keepScrollBarRoom(m_scroll);
  m_scroll->setAccessibleName(tr("Devices of the run"));
  outer->addWidget(m_scroll);
  auto* content = new QWidget(m_scroll);
  m_layout = new QVBoxLayout(content);
  m_layout->setContentsMargins(0, 0, 4, 0);
  m_layout->setSpacing(12);
  m_empty = new QLabel(content);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  m_layout->addWidget(m_empty);
  m_replicas = cardAround(makeReplicaCard(), content);
  m_layout->addWidget(m_replicas);
  m_summary = new QLabel(content);
  m_summary->setWordWrap(true);
  setRole(m_summary, "muted");
  m_layout->addWidget(m_summary);
  m_linked = new LinkedPlots(this);
  m_grid = new QGridLayout;
  m_grid->setSpacing(12);
  for (size_t i = 0; i < std::size(kQuantities); ++i)
    m_quantities.push_back(makeQuantity(i));
  m_grid->setColumnStretch(0, 1);
  m_grid->setColumnStretch(1, 1);
  m_layout->addLayout(m_grid);
  m_unknown = new QLabel(content);
  m_unknown->setWordWrap(true);
  setRole(m_unknown, "muted");
  m_layout->addWidget(m_unknown);
  m_links = cardAround(makeLinkCard(), content);
  m_layout->addWidget(m_links);
  m_scaling = new ScalingCard(m_context, content);
  m_layout->addWidget(cardAround(m_scaling, content));
  m_layout->addStretch();
  m_scroll->setWidget(content);
  for (const auto signal : {&RunView::changed, &RunView::ended, &RunView::stateChanged})
    connect(&m_context.view, signal, this, &DevicesLens::refresh);
  connect(&m_context.view, &RunView::devicesArrived, this, [this] {
    // Histories move when a device is added, so no plot may keep the former ones
    const bool isOther = m_context.view.shown().devices.size() != m_numDevices;
    if (isVisible()) m_pace.redraw(isOther || !m_context.view.isLive(), [this] { refresh(); });
  });
  refresh();
}

QWidget* DevicesLens::makeReplicaCard() {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(14, 8, 14, 10);
  layout->setSpacing(8);
  auto* title = new QLabel(tr("Devices of a step"), content);
  setRole(title, "section");
  layout->addWidget(title);
  m_warnings = new QLabel(content);
  m_warnings->setWordWrap(true);
  setRole(m_warnings, "warning");
  layout->addWidget(m_warnings);
  m_times = new StackedBars(content);
  m_times->setAccessibleName(tr("Time of a step on each device"));
  layout->addWidget(m_times);
  m_legend = new QLabel(content);
  m_legend->setWordWrap(true);
  m_legend->setTextFormat(Qt::RichText);
  setRole(m_legend, "muted");
  layout->addWidget(m_legend);
  auto* memory = new QLabel(tr("Memory by category"), content);
  setRole(memory, "muted");
  layout->addWidget(memory);
  m_memory = new StackedBars(content);
  m_memory->setAccessibleName(tr("Memory of each device by category"));
  layout->addWidget(m_memory);
  m_replicaGrid = new FigureGrid(content);
  layout->addWidget(m_replicaGrid);
  m_communicationGrid = new FigureGrid(content);
  m_communicationGrid->setToolTip(
      tr("Means of all devices. Transfer is the time without waiting for others. Bus bandwidth is "
         "the speed of a connection that moves as few bytes as possible (nccl-tests)."));
  layout->addWidget(m_communicationGrid);
  m_equal = new QLabel(content);
  m_equal->setWordWrap(true);
  setRole(m_equal, "muted");
  layout->addWidget(m_equal);
  m_batch = new QLabel(content);
  m_batch->setWordWrap(true);
  layout->addWidget(m_batch);
  m_next = new QLabel(tr("The next run, of the open design:"), content);
  setRole(m_next, "muted");
  layout->addWidget(m_next);
  m_share = new BatchShare(content);
  layout->addWidget(m_share);
  return content;
}

QWidget* DevicesLens::makeLinkCard() {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(14, 8, 14, 10);
  auto* title = new QLabel(tr("Connections"), content);
  setRole(title, "section");
  layout->addWidget(title);
  m_linkText = new QLabel(content);
  m_linkText->setWordWrap(true);
  m_linkText->setTextInteractionFlags(Qt::TextSelectableByMouse);
  layout->addWidget(m_linkText);
  return content;
}

DevicesLens::Quantity DevicesLens::makeQuantity(size_t index) {
  const auto& [quantity, title] = kQuantities[index];
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(14, 8, 8, 8);
  layout->setSpacing(4);
  Quantity made{quantity, nullptr, nullptr, nullptr, nullptr, nullptr, {}};
  made.title = new QLabel(translated(title), content);
  setRole(made.title, "section");
  layout->addWidget(made.title);
  made.values = new QGridLayout;
  made.values->setHorizontalSpacing(14);
  made.values->setVerticalSpacing(2);
  made.values->setColumnStretch(0, 1);
  layout->addLayout(made.values);
  made.why = new QLabel(content);
  made.why->setWordWrap(true);
  setRole(made.why, "muted");
  layout->addWidget(made.why);
  made.plot = new DevicePlot(
      quantity, translated(title), [quantity](double value) { return valueText(quantity, value); },
      content);
  made.plot->setFixedHeight(190);
  layout->addWidget(made.plot);
  layout->addStretch();
  m_linked->add(made.plot->navigator());
  made.frame = cardAround(content, this);
  return made;
}

/// Shows what each device does in a step, and its memory.
void DevicesLens::refreshReplicas() {
  const ShownRun& shown = m_context.view.shown();
  const bool isOver = !m_context.view.isLive() && shown.profile;
  const ReplicaReport& report = isOver && !shown.profile->replicas.replicas.empty()
                                    ? shown.profile->replicas
                                    : shown.replicas;
  m_replicas->setVisible(!report.replicas.empty());
  if (report.replicas.empty()) return;
  const Colors& colors = colorsOf(this);
  std::vector<StackedBars::Bar> times, memory;
  for (const ReplicaFigures& each : report.replicas) {
    const std::array<std::pair<QString, double>, 4> parts{
        std::pair{tr("Compute"), each.computeSeconds - each.hiddenSeconds},
        {tr("Compute with hidden communication"), each.hiddenSeconds},
        {tr("Communication"), each.exposedSeconds},
        {tr("Waiting"), each.waitingSeconds}};
    const std::array<QColor, 4> partColors{colors.accent, seriesColor(2, colors),
                                           seriesColor(0, colors), colors.warning};
    StackedBars::Bar bar{text(each.name), {}, DeviceName(each.name).isSimulated()};
    for (size_t i = 0; i < parts.size(); ++i)
      if (parts[i].second > 0)
        bar.parts.push_back(
            {parts[i].first, timeOfStep(parts[i].second, report), partColors[i], parts[i].second});
    times.push_back(std::move(bar));
    StackedBars::Bar bytes{text(each.name), {}, false};
    for (size_t i = 0; i < each.bytes.size(); ++i)
      if (each.bytes[i] > 0)
        bytes.parts.push_back({categoryTitle(static_cast<Category>(i)),
                               formatBytes(static_cast<double>(each.bytes[i])),
                               categoryColor(static_cast<Category>(i), colors.isDark),
                               static_cast<double>(each.bytes[i])});
    memory.push_back(std::move(bytes));
  }
  m_legend->setText(legendOfBars(times));
  m_times->setBars(std::move(times));
  m_memory->setBars(std::move(memory));
  QStringList warnings;
  for (const Phrase& phrase : imbalances(report))
    warnings << (DeviceName(report.replicas.front().name).isSimulated()
                     ? tr("%1 (predicted)").arg(translated(phrase.text, phrase.arguments))
                     : translated(phrase.text, phrase.arguments));
  m_warnings->setText(warnings.join(u'\n'));
  m_warnings->setVisible(!warnings.isEmpty());
  QFont font = m_warnings->font();
  font.setItalic(DeviceName(report.replicas.front().name).isSimulated());
  m_warnings->setFont(font);
  fillTable(report);
  fillCommunication(report);
  showBatch(shown, report);
}

/// Shows a row of figures for each device.
void DevicesLens::fillTable(const ReplicaReport& report) {
  std::vector<FigureGrid::Row> rows{{{tr("Device"), tr("Memory"), tr("Compute"),
                                      tr("Communication"), tr("Hidden"), tr("Waiting")},
                                     kNonePredicted}};
  for (const ReplicaFigures& each : report.replicas)
    rows.push_back(
        {{text(each.name), formatBytes(static_cast<double>(each.totalBytes())),
          timeOfStep(each.computeSeconds, report), timeOfStep(each.exposedSeconds, report),
          timeOfStep(each.hiddenSeconds, report), timeOfStep(each.waitingSeconds, report)},
         DeviceName(each.name).isSimulated() ? 2 : kNonePredicted});
  m_replicaGrid->setRows(rows);
}

/// Shows what the devices send each other in a step, and whether their weights are equal.
void DevicesLens::fillCommunication(const ReplicaReport& report) {
  std::vector<FigureGrid::Row> rows{
      {{tr("Communication of a step"), tr("Calls"), tr("Bytes"), tr("Time"), tr("Mean of a call"),
        tr("Transfer"), tr("Waiting"), tr("Bus bandwidth")},
       kNonePredicted}};
  const bool isPredicted = DeviceName(report.replicas.front().name).isSimulated();
  for (const CollectiveSum& each : collectiveSums(report)) {
    const QString unknown = u"—"_s;
    const bool hasTimes = each.seconds > 0;
    rows.push_back({{text(each.op), formatValue(each.calls, 3), formatBytes(each.bytes),
                     hasTimes ? formatSeconds(each.seconds) : unknown,
                     hasTimes ? formatSeconds(each.seconds / each.calls) : unknown,
                     hasTimes ? formatSeconds(each.seconds - each.waitingSeconds) : unknown,
                     hasTimes ? formatSeconds(each.waitingSeconds) : unknown,
                     each.busBytesPerSecond > 0
                         ? tr("%1 GB/s").arg(formatValue(1e-9 * each.busBytesPerSecond, 3))
                         : unknown},
                    isPredicted ? 3 : kNonePredicted});
  }
  m_communicationGrid->setVisible(rows.size() > 1);
  m_communicationGrid->setRows(rows);
  m_equal->setText(
      report.equalStep
          ? tr("The weights of all devices were compared after step %1, and are equal.")
                .arg(formatCount(*report.equalStep))
          : tr("The weights of the devices have not been compared. This happens "
               "before each checkpoint, unless the devices have different weights."));
}

/// Says how many samples an update of the run has, and how the devices divide them.
void DevicesLens::showBatch(const ShownRun& run, const ReplicaReport& report) {
  m_share->refresh(&m_context.document);
  m_next->setVisible(!m_share->isHidden());
  m_batch->setVisible(run.project && run.start);
  if (!run.project || !run.start) return;
  const CheckedProject project(*run.project);
  // Devices that compute different layers share no batch, and neither do stale workers
  const ExecutionOptions& execution = project.execution();
  const bool areSharing =
      execution.strategy == Strategy::ParameterServer
          ? execution.staleness == 0
          : std::ranges::any_of(report.collectives, [](const CollectiveFigures& each) {
              return each.op == "all_reduce";
            });
  // Several processes have one entry each, and may have several devices each
  const size_t devicesOfEach =
      run.start->processes.size() > 1 ? DeviceName(run.start->device).each().size() : 1;
  const auto sharing =
      static_cast<int64_t>(areSharing ? report.replicas.size() * devicesOfEach : 1);
  const int64_t batch = run.start->batchSize,
                pieces = std::max<int64_t>(1, project.recipe().accumulationSteps),
                atOnce = (batch + sharing * pieces - 1) / (sharing * pieces);
  // Shares may have different sizes
  const QString share = batch % (sharing * pieces) == 0 ? formatCount(atOnce)
                                                        : tr("at most %1").arg(formatCount(atOnce));
  if (!areSharing) {
    m_batch->setText(tr("An update uses %1 samples.").arg(formatCount(batch)));
    return;
  }
  m_batch->setText(
      pieces > 1 ? tr("An update uses %1 samples: %2 devices × %3 micro-batches × %4")
                       .arg(formatCount(batch), formatCount(sharing), formatCount(pieces), share)
                 : tr("An update uses %1 samples: %2 devices × %3")
                       .arg(formatCount(batch), formatCount(sharing), share));
}

/// Shows the values of a quantity now and at most, and its curve for each device. Returns why no
/// device has a value of it, or "".
QString DevicesLens::refreshQuantity(Quantity& quantity) {
  const std::vector<DeviceHistory>& devices = m_context.view.shown().devices;
  const Colors& colors = colorsOf(this);
  std::vector<DevicePlot::Line> lines;
  QStringList reasons;
  double end = 0;
  while (quantity.cells.size() < devices.size()) {
    const auto row = static_cast<int>(quantity.cells.size());
    Quantity::Cells cells{new QLabel(quantity.frame), new QLabel(quantity.frame),
                          new QLabel(quantity.frame)};
    setRole(cells.now, "title");
    setRole(cells.most, "muted");
    cells.now->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    // Wide enough for the usual values, so that nothing moves
    cells.now->setMinimumWidth(fontMetrics().horizontalAdvance(u"0,000.0 MiB"_s));
    cells.most->setMinimumWidth(fontMetrics().horizontalAdvance(tr("peak %1").arg(u"000.0 MiB"_s)));
    quantity.values->addWidget(cells.device, row, 0);
    quantity.values->addWidget(cells.now, row, 1);
    quantity.values->addWidget(cells.most, row, 2);
    quantity.cells.push_back(cells);
  }
  for (size_t i = 0; i < quantity.cells.size(); ++i) {
    const Quantity::Cells& cells = quantity.cells[i];
    const bool isShown = i < devices.size();
    for (QLabel* label : {cells.device, cells.now, cells.most})
      label->setVisible(isShown);
    if (!isShown) continue;
    const DeviceSample& last = devices[i].last();
    const auto value = valueOf(last.state, quantity.quantity);
    const MetricSeries& series = devices[i].series(quantity.quantity);
    const QColor color = i == 0 ? colors.accent : seriesColor(i - 1, colors);
    cells.device->setText(u"<span style='color:%1'>■</span> %2"_s.arg(
        color.name(), deviceTitle(last.device).toHtmlEscaped()));
    cells.now->setText(value ? valueText(quantity.quantity, *value) : u"—"_s);
    cells.now->setAccessibleName(quantity.title->text() + u": "_s + cells.now->text());
    cells.most->setText(series.isEmpty()
                            ? QString()
                            : tr("peak %1").arg(valueText(quantity.quantity, series.maximum())));
    const QString why = value ? QString() : whyUnknown(last);
    cells.now->setToolTip(why);
    if (!why.isEmpty() && series.isEmpty()) reasons << why;
    if (!series.isEmpty()) lines.push_back({deviceTitle(last.device), color, &series});
    end = std::max(end, last.seconds);
  }
  reasons.removeDuplicates();
  const QString why = reasons.join(u"; "_s);
  QString words = why.isEmpty() ? QString() : tr("Unknown, because %1.").arg(why);
  if (quantity.quantity == DeviceQuantity::OtherMemory)
    for (const DeviceHistory& device : devices)
      if (const QString programs = programsText(device.last().state); !programs.isEmpty())
        words += (words.isEmpty() ? u""_s : u"\n"_s) + programs;
  const bool isUnknown = lines.empty() && !words.isEmpty() && !words.contains(u'\n');
  quantity.why->setText(words);
  quantity.why->setVisible(!words.isEmpty());
  quantity.plot->setVisible(!lines.empty());
  quantity.plot->refresh(std::move(lines), end);
  return isUnknown ? why : QString();
}

/// Lays these cards out in two columns, or in one if two do not fit. Does nothing if they are the
/// same as before, because a layout takes long.
void DevicesLens::placeCards(const std::vector<QWidget*>& cards) {
  int widest = 0;
  for (const QWidget* card : cards)
    widest = std::max(widest, card->minimumSizeHint().width());
  const int room = m_scroll->viewport()->width() - m_layout->contentsMargins().right();
  const int columns = 2 * widest + m_grid->spacing() <= room ? 2 : 1;
  if (cards == m_placed && columns == m_columns) return;
  m_placed = cards;
  m_columns = columns;
  m_grid->setColumnStretch(1, columns - 1);
  for (const Quantity& quantity : m_quantities)
    m_grid->removeWidget(quantity.frame);
  for (size_t i = 0; i < cards.size(); ++i)
    m_grid->addWidget(cards[i], static_cast<int>(i) / columns, static_cast<int>(i) % columns);
}

void DevicesLens::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  placeCards(std::vector(m_placed));
}

/// Shows a card for each quantity that a device has, and one sentence for each reason why the
/// others are unknown.
void DevicesLens::refreshQuantities() {
  const bool hasDevices = !m_context.view.shown().devices.empty();
  std::vector<std::pair<QString, QStringList>> unknown;
  std::vector<QWidget*> cards;
  for (Quantity& quantity : m_quantities) {
    const QString why = refreshQuantity(quantity);
    quantity.frame->setVisible(hasDevices && why.isEmpty());
    if (why.isEmpty()) {
      cards.push_back(quantity.frame);
      continue;
    }
    auto group = std::ranges::find(unknown, why, [](const auto& each) { return each.first; });
    if (group == unknown.end()) group = unknown.insert(group, {why, {}});
    group->second << quantity.title->text();
  }
  placeCards(cards);
  QStringList sentences;
  for (const auto& [why, titles] : unknown)
    sentences << tr("%1: unknown, because %2.").arg(listed(titles), why);
  m_unknown->setText(sentences.join(u'\n'));
  m_unknown->setVisible(!sentences.isEmpty());
}

void DevicesLens::refreshLinks() {
  const auto& start = m_context.view.shown().start;
  const std::string device = start ? start->device : std::string();
  if (device == m_linksOf) return;
  m_linksOf = device;
  const std::vector<std::string> names = DeviceName(device).each();
  QStringList words;
  constexpr size_t kMost = 28;
  const std::vector<DeviceLink> links = linksBetween(device);
  for (size_t i = 0; i < std::min(kMost, links.size()); ++i)
    words << tr("%1 and %2: %3")
                 .arg(text(names[links[i].first]), text(names[links[i].second]),
                      linkText(links[i]));
  if (links.size() > kMost)
    words << tr("and %n other pairs", nullptr, static_cast<int>(links.size() - kMost));
  m_linkText->setText(words.join(u'\n'));
  m_links->setVisible(!words.isEmpty());
}

/// The histories of a run may be gone, so no plot may read them.
void DevicesLens::clearPlots() {
  for (Quantity& quantity : m_quantities)
    quantity.plot->refresh({}, 1);
}

void DevicesLens::refresh() {
  const RunView& run = m_context.view;
  const std::vector<DeviceHistory>& devices = run.shown().devices;
  // Only a visible lens is filled during a run
  if (run.isLive() && !isVisible()) {
    clearPlots();
    return;
  }
  m_empty->setVisible(devices.empty());
  m_empty->setText(run.isLive() ? tr("The states of the devices appear when training begins.")
                                : tr("The states of the devices are unknown, because this run "
                                     "did not record them. Train again to see them."));
  QStringList notes;
  for (const DeviceHistory& device : devices) {
    const DeviceSample& last = device.last();
    const DeviceState& state = last.state;
    QStringList words{deviceTitle(last.device)};
    if (state.totalBytes && state.ownBytes && state.otherBytes)
      words << tr("%1 of %2 memory in use")
                   .arg(formatBytes(static_cast<double>(*state.ownBytes + *state.otherBytes)),
                        formatBytes(static_cast<double>(*state.totalBytes)));
    if (last.isSimulated)
      words << tr("simulated: clocks are those of the data sheet, and time is predicted");
    else if (!DeviceName(last.device).isCuda())
      words << tr("memory and utilization of the whole machine");
    notes << words.join(u" · "_s);
  }
  m_summary->setText(notes.join(u'\n'));
  m_summary->setVisible(!notes.isEmpty());
  m_numDevices = devices.size();
  refreshReplicas();
  refreshQuantities();
  refreshLinks();
}

void DevicesLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

void DevicesLens::hideEvent(QHideEvent* event) {
  QWidget::hideEvent(event);
  clearPlots();
}

void DevicesLens::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && !m_quantities.empty() && isVisible()) refresh();
}

QWidget* makeDevicesLens(const LensContext& context, QWidget* parent) {
  return new DevicesLens(context, parent);
}

}  // namespace strata::ui
