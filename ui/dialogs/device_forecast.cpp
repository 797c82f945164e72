// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/device_forecast.h"

#include <QComboBox>
#include <QLabel>
#include <QVBoxLayout>

#include "core/cost/catalogue.h"
#include "gpu/base/error.h"
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
  auto* title = new QLabel(tr("Estimate for a GPU, based on its data sheet"), this);
  setRole(title, "section");
  m_devices = new QComboBox(this);
  m_devices->setAccessibleName(title->text());
  m_devices->setPlaceholderText(tr("Choose a GPU"));
  for (const CatalogueDevice& device : deviceCatalogue())
    m_devices->addItem(
        tr("%1, %2").arg(text(device.name), formatBytes(static_cast<double>(device.memoryBytes))),
        text(device.name));
  m_devices->setCurrentIndex(-1);
  column->addWidget(title);
  column->addWidget(m_devices);
  for (QLabel** label : {&m_memory, &m_repeats, &m_time}) {
    *label = new QLabel(this);
    (*label)->setWordWrap(true);
    (*label)->setMinimumWidth(260);
    (*label)->hide();
    column->addWidget(*label);
  }
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& request, const std::stop_token& stop) { estimate(request, stop); });
  connect(m_devices, &QComboBox::currentIndexChanged, this, &DeviceForecast::ask);
  connect(&document, &Document::inspectionChanged, this, &DeviceForecast::ask);
}

DeviceForecast::~DeviceForecast() { m_worker.reset(); }

void DeviceForecast::ask() {
  if (m_devices->currentIndex() < 0) return;
  m_memory->setText(tr("Calculating…"));
  m_memory->show();
  m_repeats->hide();
  m_time->hide();
  m_worker->post(
      {++m_ticket, m_document.project(), m_devices->currentData().toString().toStdString()});
}

/// Computes the estimate. Runs on the worker thread.
void DeviceForecast::estimate(const Request& request, const std::stop_token& stop) {
  std::optional<DevicePlan> plan;
  QString why;
  try {
    plan =
        planForDevice(request.project, catalogueDevice(deviceCatalogue(), request.device), 0, stop);
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
      [this, ticket = request.ticket, plan = std::move(plan), why] { show(ticket, plan, why); },
      Qt::QueuedConnection);
}

void DeviceForecast::show(quint64 ticket, const std::optional<DevicePlan>& plan,
                          const QString& why) {
  if (ticket != m_ticket) return;
  if (!plan) {
    m_memory->setText(tr("The estimate failed: %1").arg(why));
    return;
  }
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
}

}  // namespace strata::ui
