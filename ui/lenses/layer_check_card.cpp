// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/layer_check_card.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QTableWidget>
#include <QVBoxLayout>

#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/row_view.h"
#include "ui/run/run_view.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// The first column with numbers at the right
static constexpr int kFirstNumber = 2;

LayerCheckCard::LayerCheckCard(const LensContext& context, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_worker([this](Request request, const std::stop_token& stop) {
        request.options.stop = stop;
        auto result =
            std::make_shared<Result<LayerCheck>>(checkLayer(*request.project, request.options));
        if (stop.stop_requested()) return;
        QMetaObject::invokeMethod(
            this, [this, result, number = request.number] { take(number, *result); },
            Qt::QueuedConnection);
      }) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 14, 10);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Check this layer"), this);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  m_start = new QPushButton(tr("Check"), this);
  m_start->setToolTip(tr(
      "Runs the layer forward and backward on the device of the run and on the reference device, "
      "and compares the results."));
  head->addWidget(m_start);
  layout->addLayout(head);
  m_note = new QLabel(this);
  m_note->setWordWrap(true);
  layout->addWidget(m_note);
  m_table = new QTableWidget(0, 5, this);
  m_table->setHorizontalHeaderLabels(
      {tr("Values"), tr("Shape"), tr("Largest difference"), tr("Relative"), tr("Float32 steps")});
  m_table->setAccessibleName(tr("Check this layer"));
  m_table->verticalHeader()->hide();
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setShowGrid(false);
  m_table->setTabKeyNavigation(false);
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
  alignTitles(m_table);
  for (int column = kFirstNumber; column < m_table->columnCount(); ++column)
    m_table->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_table->setMinimumHeight(150);
  m_table->hide();
  layout->addWidget(m_table);
  connect(m_start, &QPushButton::clicked, this, &LayerCheckCard::start);
  connect(&m_context.view, &RunView::changed, this, &LayerCheckCard::forget);
  connect(&m_context.view, &RunView::stateChanged, this, &LayerCheckCard::updateButton);
  updateButton();
}

void LayerCheckCard::setLayer(const QString& layer) {
  if (layer == m_layer) return;
  m_layer = layer;
  forget();
}

/// Drops the result, and that of a check that has not ended, which are of another run or layer.
void LayerCheckCard::forget() {
  ++m_number;
  m_isChecking = false;
  m_result.reset();
  m_table->hide();
  updateButton();
}

void LayerCheckCard::updateButton() {
  m_start->setEnabled(!m_isChecking && !m_layer.isEmpty());
  if (m_isChecking)
    m_note->setText(tr("Checking %1 …").arg(m_layer));
  else if (m_layer.isEmpty())
    m_note->setText(tr("Select a layer in the table."));
  else if (!m_result)
    m_note->setText(tr("Compares %1 with the reference device.").arg(m_layer));
}

void LayerCheckCard::start() {
  const ShownRun& run = m_context.view.shown();
  LayerCheckOptions options;
  options.layer = m_layer.toStdString();
  options.threads = 1;
  if (run.start) options.device = DeviceName(run.start->device).at(0);
  // The weights of a run that trains change, so the check uses those that it began with
  if (run.start && !m_context.view.isLive() && !run.weightsFile.empty())
    options.weights = run.start->runDirectory;
  auto project =
      run.project ? run.project : std::make_shared<const Project>(m_context.document.project());
  m_isChecking = true;
  updateButton();
  m_worker.post({std::move(project), std::move(options), ++m_number});
}

void LayerCheckCard::take(int number, const Result<LayerCheck>& result) {
  if (number != m_number) return;
  m_isChecking = false;
  m_table->setRowCount(0);
  if (!result) {
    updateButton();
    m_note->setText(text(result.error().line()));
    m_table->hide();
    Q_EMIT finished();
    return;
  }
  m_result = *result;
  updateButton();
  QStringList words{translated(result->verdict.text, result->verdict.arguments)};
  if (!result->whyRandom.empty()) words << text(result->whyRandom);
  m_note->setText(words.join(u" "_s));
  for (const TensorDifference& each : result->tensors) {
    const int row = m_table->rowCount();
    m_table->insertRow(row);
    const QStringList cells{
        text(each.name), text(each.shape), formatValue(each.absolute, 3),
        tr("%1, allowed %2").arg(formatValue(each.relative, 3), formatValue(each.tolerance, 3)),
        formatCount(static_cast<int64_t>(each.ulps))};
    for (int column = 0; column < cells.size(); ++column) {
      auto* cell = new QTableWidgetItem(cells[column]);
      if (!each.isEqual()) cell->setForeground(colorsOf(this).problem);
      if (column >= kFirstNumber) cell->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      m_table->setItem(row, column, cell);
    }
  }
  m_table->show();
  Q_EMIT finished();
}

}  // namespace strata::ui
