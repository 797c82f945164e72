// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/scaling_card.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>
#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "ui/document/document.h"
#include "ui/document/estimate.h"
#include "ui/format.h"
#include "ui/row_view.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// More would take minutes to measure
static constexpr int kMostReplicas = 8;
// The first column with numbers at the right
static constexpr int kFirstNumber = 2;

ScalingCard::ScalingCard(const LensContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_worker([this](const Request& request, const std::stop_token& stop) {
        auto result = std::make_shared<Result>(measure(request, stop));
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this, [this, result] { show(std::move(*result)); }, Qt::QueuedConnection);
      }) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 14, 10);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Scaling"), this);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  m_count = new QComboBox(this);
  for (int count = 2; count <= kMostReplicas; ++count)
    m_count->addItem(tr("up to %n devices", nullptr, count), count);
  m_count->setAccessibleName(tr("Number of devices to measure"));
  head->addWidget(m_count);
  m_start = new QPushButton(tr("Measure"), this);
  head->addWidget(m_start);
  layout->addLayout(head);
  m_note = new QLabel(this);
  m_note->setWordWrap(true);
  setRole(m_note, "muted");
  layout->addWidget(m_note);
  m_table = new QTableWidget(0, 4, this);
  m_table->setHorizontalHeaderLabels(
      {tr("Devices"), tr("Connection"), tr("Samples per second"), tr("Efficiency")});
  m_table->setAccessibleName(tr("Scaling"));
  m_table->verticalHeader()->hide();
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setShowGrid(false);
  m_table->setTabKeyNavigation(false);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  alignTitles(m_table);
  for (int column = kFirstNumber; column < m_table->columnCount(); ++column)
    m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_table->setMinimumHeight(220);
  m_table->hide();
  layout->addWidget(m_table);
  connect(m_start, &QPushButton::clicked, this, &ScalingCard::start);
  for (const auto signal : {&RunView::stateChanged, &RunView::ended})
    connect(&m_context.view, signal, this, &ScalingCard::updateButton);
  updateButton();
}

void ScalingCard::updateButton() {
  const bool isTraining = m_context.run.isActive();
  m_start->setEnabled(!m_isMeasuring && !isTraining);
  m_count->setEnabled(m_start->isEnabled());
  if (m_isMeasuring)
    m_note->setText(tr("Measuring. This takes some seconds for each number of devices."));
  else if (isTraining)
    m_note->setText(
        tr("A run trains, so that a measurement would be wrong. Measure after its end."));
  else if (!m_result)
    m_note->setText(
        tr("Trains the open design for some seconds on 1, 2 and more devices, and predicts its "
           "speed over NVLink, PCIe and networks. Nothing is saved."));
}

void ScalingCard::start() {
  m_isMeasuring = true;
  updateButton();
  m_worker.post({std::make_shared<const CheckedProject>(m_context.document.checked()),
                 m_count->currentData().toInt()});
}

/// Measures on the worker.
ScalingCard::Result ScalingCard::measure(const Request& request, const std::stop_token& stop) {
  Result result;
  result.batchSize = static_cast<double>(request.project->recipe().batchSize);
  const DeviceName device(resolvedDeviceName(request.project->execution().device));
  const std::string single = device.single();
  try {
    BenchOptions options;
    options.device = single + "*" + std::to_string(request.replicas);
    options.windows = 3;
    options.stop = stop;
    result.measured = benchProject(*request.project, options);
  }
  catch (const Error& error) {
    result.problem = text(error.line());
  }
  if (stop.stop_requested()) return result;
  try {
    ReplicaPlanOptions options;
    options.device = single;
    options.stop = stop;
    const std::vector<LinkSpeed> links =
        device.isGpu() ? standardLinks() : std::vector<LinkSpeed>{networkOf(10), networkOf(100)};
    for (int count = 2; count <= request.replicas; count *= 2)
      for (ReplicaPrediction& each : planReplicas(*request.project, count, links, options))
        result.predicted.push_back(std::move(each));
  }
  catch (const Error& error) {
    if (result.problem.isEmpty()) result.problem = text(error.line());
  }
  return result;
}

void ScalingCard::show(Result result) {
  m_isMeasuring = false;
  m_result = std::move(result);
  m_table->setRowCount(0);
  const auto add = [this](const QStringList& words, bool isPredicted) {
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    for (int column = 0; column < words.size(); ++column) {
      auto* cell = new QTableWidgetItem(words[column]);
      QFont font = m_table->font();
      font.setItalic(isPredicted);
      cell->setFont(font);
      if (column >= kFirstNumber) cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      m_table->setItem(row, column, cell);
    }
  };
  // Samples per second of one device, to which all rows are compared
  double one = 0;
  if (const auto& measured = m_result->measured; measured && !measured->scaling.empty())
    one = measured->scaling.front().samplesPerSecond;
  if (const auto& measured = m_result->measured)
    for (const BenchReport::Scaling& each : measured->scaling)
      add({formatCount(each.replicas),
           measured->isPredicted ? tr("this machine, predicted") : tr("this machine, measured"),
           formatRate(each.samplesPerSecond), formatPercent(each.efficiency, 0)},
          measured->isPredicted);
  for (const ReplicaPrediction& each : m_result->predicted) {
    const double speed = each.stepSeconds > 0 ? m_result->batchSize / each.stepSeconds : 0;
    add({formatCount(each.replicas), tr("%1, predicted").arg(text(each.link)),
         speed > 0 ? formatRate(speed) : u"—"_s,
         one > 0 ? formatPercent(speed / (each.replicas * one), 0) : u"—"_s},
        true);
  }
  m_table->setVisible(m_table->rowCount() > 0);
  QStringList notes{m_result->problem.isEmpty()
                        ? tr("Efficiency compares with as many devices that train alone.")
                        : m_result->problem};
  const bool isBusy = std::ranges::any_of(m_result->predicted, &ReplicaPrediction::isBusy);
  if (const QString warning = busyWarning(isBusy); !warning.isEmpty()) notes << warning;
  m_note->setText(notes.join(u'\n'));
  updateButton();
  Q_EMIT finished();
}

}  // namespace strata::ui
