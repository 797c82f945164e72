// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/devices.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>
#include <algorithm>

#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "ui/device_text.h"
#include "ui/format.h"
#include "ui/plots/sparkline.h"
#include "ui/run/run_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct QuantityText {
  DeviceQuantity quantity;
  Text title;
};
constexpr QuantityText kRows[] = {
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

/// Returns why a value of this device is not known.
QString whyUnknown(const DeviceSample& sample) {
  if (sample.isSimulated) return DevicesLens::tr("A simulated card does not have this value.");
  if (DeviceName(sample.device).isCuda())
    return DevicesLens::tr("The driver does not report this value.");
  return DevicesLens::tr("Strata does not read this value of a processor.");
}

}  // namespace

DevicesLens::DevicesLens(const LensContext& context, QWidget* parent)
    : QWidget(parent), m_context(context) {
  m_layout = new QVBoxLayout(this);
  m_layout->setContentsMargins(0, 0, 0, 0);
  m_layout->setSpacing(12);
  m_empty = new QLabel(this);
  m_empty->setAlignment(Qt::AlignCenter);
  m_empty->setWordWrap(true);
  setRole(m_empty, "muted");
  m_layout->addWidget(m_empty, 1);
  for (const auto signal :
       {&RunView::changed, &RunView::ended, &RunView::stateChanged, &RunView::devicesArrived})
    connect(&m_context.view, signal, this, &DevicesLens::refresh);
  refresh();
}

void DevicesLens::makeReplicaCard() {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(14, 8, 14, 10);
  layout->setSpacing(8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Devices of a step"), content);
  setRole(title, "section");
  head->addWidget(title);
  m_slowReplica = new QLabel(content);
  m_slowReplica->setWordWrap(true);
  setRole(m_slowReplica, "muted");
  head->addWidget(m_slowReplica, 1);
  layout->addLayout(head);
  m_replicaGrid = new QGridLayout;
  m_replicaGrid->setHorizontalSpacing(18);
  m_replicaGrid->setVerticalSpacing(4);
  layout->addLayout(m_replicaGrid);
  m_replicas = cardAround(content, this);
  m_layout->insertWidget(0, m_replicas);
}

/// Shows a row for each device: memory, and the times of a step.
void DevicesLens::fillReplicas(const ReplicaReport& report) {
  if (!m_replicas) makeReplicaCard();
  m_replicas->setVisible(!report.replicas.empty());
  const auto row = [&](const QStringList& words) {
    const auto place = static_cast<int>(m_replicaCells.size());
    std::vector<QLabel*> cells;
    for (int column = 0; column < words.size(); ++column) {
      auto* cell = new QLabel(words[column], m_replicas);
      if (place == 0) setRole(cell, "muted");
      if (column > 0) cell->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
      m_replicaGrid->addWidget(cell, place, column);
      cells.push_back(cell);
    }
    m_replicaCells.push_back(std::move(cells));
  };
  if (m_replicaCells.empty())
    row({tr("Device"), tr("Memory"), tr("Compute"), tr("Communication"), tr("Hidden"),
         tr("Waiting")});
  const auto time = [&](double seconds) {
    return tr("%1 µs").arg(
        formatValue(1e6 * seconds / static_cast<double>(std::max<int64_t>(1, report.steps)), 4));
  };
  while (m_replicaCells.size() < report.replicas.size() + 1)
    row({{}, {}, {}, {}, {}, {}});
  for (size_t i = 1; i < m_replicaCells.size(); ++i) {
    const bool isShown = i <= report.replicas.size();
    QStringList words{{}, {}, {}, {}, {}, {}};
    if (isShown) {
      const ReplicaFigures& each = report.replicas[i - 1];
      words = {
          QString::fromStdString(each.name), formatBytes(static_cast<double>(each.totalBytes())),
          time(each.computeSeconds),         time(each.exposedSeconds),
          time(each.hiddenSeconds),          time(each.waitingSeconds)};
    }
    for (size_t column = 0; column < m_replicaCells[i].size(); ++column) {
      m_replicaCells[i][column]->setText(words[static_cast<qsizetype>(column)]);
      m_replicaCells[i][column]->setVisible(isShown);
    }
  }
  const auto slowest = slowestReplica(report);
  m_slowReplica->setText(
      slowest ? tr("%1 is %2 slower than the others")
                    .arg(QString::fromStdString(report.replicas[slowest->first].name),
                         formatPercent(slowest->second, 0))
              : QString());
}

DevicesLens::Card DevicesLens::makeCard() {
  auto* content = new QWidget(this);
  auto* layout = new QVBoxLayout(content);
  layout->setContentsMargins(14, 8, 14, 10);
  layout->setSpacing(8);
  Card card{};
  auto* head = new QHBoxLayout;
  card.title = new QLabel(content);
  setRole(card.title, "section");
  head->addWidget(card.title);
  card.summary = new QLabel(content);
  card.summary->setWordWrap(true);
  setRole(card.summary, "muted");
  head->addWidget(card.summary, 1);
  layout->addLayout(head);
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(18);
  grid->setVerticalSpacing(4);
  enum Column { kName, kNow, kMost, kCurve };
  grid->setColumnStretch(kCurve, 1);
  // Wide enough for the usual values, so that the curves stay where they are
  grid->setColumnMinimumWidth(kNow, fontMetrics().horizontalAdvance(u"0,000.0 MiB"_s));
  grid->setColumnMinimumWidth(kMost,
                              fontMetrics().horizontalAdvance(tr("at most %1").arg(u"000 MiB"_s)));
  for (const QuantityText& each : kRows) {
    const int row = static_cast<int>(card.rows.size());
    auto* name = new QLabel(translated(each.title), content);
    auto* now = new QLabel(content);
    now->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setRole(now, "title");
    auto* most = new QLabel(content);
    setRole(most, "muted");
    auto* curve = new Sparkline(content);
    grid->addWidget(name, row, kName);
    grid->addWidget(now, row, kNow);
    grid->addWidget(most, row, kMost);
    grid->addWidget(curve, row, kCurve);
    grid->setRowStretch(row, 1);
    card.rows.push_back({each.quantity, name, now, most, curve});
  }
  layout->addLayout(grid, 1);
  card.frame = cardAround(content, this);
  m_layout->addWidget(card.frame, 1);
  return card;
}

void DevicesLens::fill(const Card& card, const DeviceHistory& history) {
  const DeviceSample& last = history.last();
  const DeviceState& state = last.state;
  card.title->setText(deviceTitle(last.device));
  QStringList notes;
  if (state.totalBytes && state.ownBytes && state.otherBytes)
    notes << tr("%1 of %2 memory in use")
                 .arg(formatBytes(static_cast<double>(*state.ownBytes + *state.otherBytes)),
                      formatBytes(static_cast<double>(*state.totalBytes)));
  if (last.isSimulated)
    notes << tr("simulated: clocks are those of the data sheet, and time is predicted");
  else if (!DeviceName(last.device).isCuda())
    notes << tr("memory and utilization of the whole machine");
  card.summary->setText(notes.join(u" · "_s));
  for (const Row& row : card.rows) {
    const auto value = valueOf(state, row.quantity);
    const MetricSeries& series = history.series(row.quantity);
    const QString why = value ? QString() : whyUnknown(last);
    row.now->setText(value ? valueText(row.quantity, *value) : u"—"_s);
    row.now->setAccessibleName(row.name->text() + u": "_s + row.now->text());
    row.most->setText(series.isEmpty()
                          ? QString()
                          : tr("at most %1").arg(valueText(row.quantity, series.maximum())));
    for (QWidget* widget : std::initializer_list<QWidget*>{row.name, row.now, row.most, row.curve})
      widget->setToolTip(why);
    const double top = row.quantity == DeviceQuantity::Utilization ? 1.0 : series.maximum() * 1.1;
    row.curve->setSeries(&series, last.seconds, top);
  }
}

/// The histories of a run may be gone, so no curve may read them.
void DevicesLens::clearCurves() {
  for (const Card& card : m_cards)
    for (const Row& row : card.rows)
      row.curve->setSeries(nullptr, 0, 0);
}

void DevicesLens::refresh() {
  const RunView& run = m_context.view;
  const std::vector<DeviceHistory>& devices = run.shown().devices;
  clearCurves();
  // Only a visible lens is filled during a run
  if (run.isLive() && !isVisible()) return;
  m_empty->setVisible(devices.empty());
  if (devices.empty())
    m_empty->setText(run.isLive() ? tr("The states of the devices appear when training begins.")
                                  : tr("The states of the devices are unknown, because this run "
                                       "did not record them. Train again to see them."));
  const ShownRun& shown = run.shown();
  fillReplicas(!run.isLive() && shown.profile && !shown.profile->replicas.replicas.empty()
                   ? shown.profile->replicas
                   : shown.replicas);
  while (m_cards.size() < devices.size())
    m_cards.push_back(makeCard());
  for (size_t i = 0; i < m_cards.size(); ++i) {
    m_cards[i].frame->setVisible(i < devices.size());
    if (i < devices.size()) fill(m_cards[i], devices[i]);
  }
}

void DevicesLens::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  refresh();
}

QWidget* makeDevicesLens(const LensContext& context, QWidget* parent) {
  return new DevicesLens(context, parent);
}

}  // namespace strata::ui
