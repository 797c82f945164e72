// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/device_forecast.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "core/cost/catalogue.h"
#include "gpu/base/error.h"
#include "gpu/exec/card_data.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

DeviceForecast::DeviceForecast(Document& document, QWidget* parent)
    : QWidget(parent), m_document(document) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 12, 0, 0);
  column->setSpacing(5);
  auto* title = new QLabel(tr("Predicted for a GPU, from its data sheet"), this);
  setRole(title, "section");
  m_devices = new QComboBox(this);
  m_devices->setAccessibleName(title->text());
  m_devices->setPlaceholderText(tr("Choose a GPU"));
  for (const CatalogueDevice& device : deviceCatalogue())
    m_devices->addItem(
        tr("%1, %2").arg(text(device.name), formatBytes(static_cast<double>(device.memoryBytes))),
        text(device.name));
  m_devices->setCurrentIndex(-1);
  m_count = new QComboBox(this);
  m_count->setAccessibleName(tr("Number of GPUs"));
  for (const int count : {1, 2, 4, 8})
    m_count->addItem(tr("%n GPU(s)", nullptr, count), count);
  auto* chosen = new QHBoxLayout;
  chosen->addWidget(m_devices, 1);
  chosen->addWidget(m_count);
  column->addWidget(title);
  column->addLayout(chosen);
  for (QLabel** label : {&m_memory, &m_repeats, &m_time, &m_several}) {
    *label = new QLabel(this);
    (*label)->setWordWrap(true);
    (*label)->setMinimumWidth(260);
    (*label)->hide();
    column->addWidget(*label);
  }
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& request, const std::stop_token& stop) { estimate(request, stop); });
  for (const QComboBox* box : {m_devices, m_count})
    connect(box, &QComboBox::currentIndexChanged, this, &DeviceForecast::ask);
  connect(&document, &Document::inspectionChanged, this, &DeviceForecast::ask);
}

DeviceForecast::~DeviceForecast() { m_worker.reset(); }

void DeviceForecast::ask() {
  if (m_devices->currentIndex() < 0) return;
  m_memory->setText(tr("Calculating…"));
  m_memory->show();
  for (QLabel* label : {m_repeats, m_time, m_several})
    label->hide();
  m_worker->post({++m_ticket, m_document.project(),
                  m_devices->currentData().toString().toStdString(),
                  m_count->currentData().toInt()});
}

/// Computes the estimate. Runs on the worker thread.
void DeviceForecast::estimate(const Request& request, const std::stop_token& stop) {
  std::optional<Estimate> made;
  QString why;
  try {
    const CheckedProject project(request.project);
    const CatalogueDevice& device = catalogueDevice(deviceCatalogue(), request.device);
    Estimate estimate{planForDevice(project, device, 0, stop), {}};
    if (request.count > 1 && estimate.plan.isSimulated) {
      ReplicaPlanOptions options;
      options.device = kSimulatedPrefix + device.name;
      options.stop = stop;
      estimate.several = planReplicas(project, request.count, standardLinks(), options);
    }
    made = std::move(estimate);
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    why = text(error.line());
  }
  catch (const std::exception& error) {
    why = text(std::string(error.what()));
  }
  QMetaObject::invokeMethod(
      this,
      [this, ticket = request.ticket, made = std::move(made), why] { show(ticket, made, why); },
      Qt::QueuedConnection);
}

void DeviceForecast::show(quint64 ticket, const std::optional<Estimate>& estimate,
                          const QString& why) {
  if (ticket != m_ticket) return;
  if (!estimate) {
    m_memory->setText(tr("The estimate failed: %1").arg(why));
    return;
  }
  const DevicePlan* const plan = &estimate->plan;
  const QString peak = formatBytes(static_cast<double>(plan->peakBytes)),
                memory = formatBytes(static_cast<double>(plan->device.memoryBytes));
  // A plan with the kernels of a simulated card contains their workspaces.
  QString fits;
  if (plan->isSimulated)
    fits = plan->fits ? tr("Fits: a step with batch size %1 needs %2 of %3, plus memory for the "
                           "driver")
                      : tr("Does not fit: a step with batch size %1 needs %2, plus memory for the "
                           "driver; the GPU has %3");
  else
    fits = plan->fits ? tr("Fits: a step with batch size %1 needs %2 of %3, plus memory for "
                           "kernels and the driver")
                      : tr("Does not fit: a step with batch size %1 needs %2, plus memory for "
                           "kernels and the driver; the GPU has %3");
  fits = fits.arg(formatCount(plan->batchSize), peak, memory);
  m_memory->setText(italic(fits));
  m_repeats->setText(
      italic(tr("%1 operation(s) run twice to save memory", nullptr, pluralOf(plan->repeated))
                 .arg(formatCount(plan->repeated))));
  m_repeats->setVisible(plan->repeated > 0);
  // The clock of a simulated card predicts a time; other cards only have a bound.
  const bool isBound = !plan->predicted;
  const double microseconds = isBound ? plan->microseconds : plan->predicted->step;
  QString time;
  if (plan->limit == Limit::Compute)
    time = isBound ? tr("A step takes at least %1, mostly for arithmetic")
                   : tr("A step takes about %1, mostly for arithmetic");
  else if (plan->limit == Limit::Memory)
    time = isBound ? tr("A step takes at least %1, mostly for memory traffic")
                   : tr("A step takes about %1, mostly for memory traffic");
  else
    time = isBound ? tr("A step takes at least %1, mostly for launching kernels")
                   : tr("A step takes about %1, mostly for launching kernels");
  m_time->setText(italic(time.arg(formatSeconds(microseconds * 1e-6))));
  m_time->setToolTip(text(plan->device.source));
  m_time->show();
  showSeveral(*estimate);
}

void DeviceForecast::showSeveral(const Estimate& estimate) {
  const int count = m_count->currentData().toInt();
  m_several->setVisible(count > 1);
  if (count == 1) return;
  if (estimate.several.empty()) {
    m_several->setText(tr("The time on several GPUs is unknown, because %1 cannot be simulated")
                           .arg(text(estimate.plan.device.name)));
    return;
  }
  QStringList lines{tr("A step with the same batch on %n GPU(s):", nullptr, count)};
  for (const ReplicaPrediction& each : estimate.several)
    lines << tr("%1: about %2, of which %3 wait for communication; efficiency %4")
                 .arg(text(each.link), formatSeconds(each.stepSeconds),
                      formatSeconds(each.exposedSeconds), formatPercent(each.efficiency(), 0));
  for (QString& line : lines)
    line = italic(line);
  m_several->setText(lines.join(u"<br>"_s));
}

}  // namespace strata::ui
