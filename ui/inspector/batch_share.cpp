// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/batch_share.h"

#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include "gpu/devices/device_name.h"
#include "ui/document/edits.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

constexpr const char* kRate = "/training/optimizer/learning_rate";
constexpr const char* kBatch = "/training/batch_size";

/// Returns how many devices share each batch; 1 if none do.
int sharersOf(const CheckedProject& project) {
  const ExecutionOptions& execution = project.execution();
  if (execution.strategy == Strategy::Pipeline || execution.staleness > 0) return 1;
  return DeviceName(execution.device).copies;
}

/// Returns the learning rate if it is a number in the file.
std::optional<double> rateOf(const Document& document) {
  const Json::json_pointer place(kRate);
  if (!document.json().contains(place) || !document.json().at(place).is_number()) return {};
  return document.json().at(place).get<double>();
}

}  // namespace

BatchShare::BatchShare(QWidget* parent) : QWidget(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  m_words = new QLabel(this);
  m_words->setWordWrap(true);
  setRole(m_words, "muted");
  column->addWidget(m_words);
  m_scale = new QPushButton(this);
  column->addWidget(m_scale, 0, Qt::AlignLeft);
  connect(m_scale, &QPushButton::clicked, this, &BatchShare::scale);
  hide();
}

void BatchShare::refresh(Document* document) {
  m_document = document;
  const int devices = document ? sharersOf(document->checked()) : 1;
  setVisible(devices > 1);
  if (devices == 1) return;
  const int64_t batch = document->checked().recipe().batchSize, share = batch / devices,
                larger = batch % devices;
  m_words->setText(larger == 0
                       ? tr("Batch %1 = %2 × %3 on %2 devices")
                             .arg(formatCount(batch), formatCount(devices), formatCount(share))
                       : tr("Batch %1 = %2 × %3 + %4 × %5 on %6 devices")
                             .arg(formatCount(batch), formatCount(larger), formatCount(share + 1),
                                  formatCount(devices - larger), formatCount(share),
                                  formatCount(devices)));
  if (const int64_t pieces = document->checked().recipe().accumulationSteps; pieces > 1)
    m_words->setText(
        tr("%1, each in %n micro-batch(es)", nullptr, pluralOf(pieces)).arg(m_words->text()));
  const std::optional<double> rate = rateOf(*document);
  const DatasetInfo& samples = document->checked().data();
  m_scale->setVisible(rate && (!samples.isKnown || batch * devices <= samples.trainCount));
  if (!rate) return;
  m_scale->setText(tr("Batch %1, learning rate %2")
                       .arg(formatCount(batch * devices), formatValue(*rate * devices, 6)));
  m_scale->setToolTip(tr("Give each device %1 samples, and scale the learning rate with the batch")
                          .arg(formatCount(batch)));
}

void BatchShare::scale() {
  if (!m_document) return;
  const int devices = sharersOf(m_document->checked());
  const std::optional<double> rate = rateOf(*m_document);
  if (devices == 1 || !rate) return;
  EditSequence edits(*m_document);
  edits.add(
      setValueEdit(edits.document(), kBatch, m_document->checked().recipe().batchSize * devices));
  edits.add(setValueEdit(edits.document(), kRate, *rate * devices));
  m_document->submit(
      edits.finish(STRATA_TEXT("strata::ui::edits", "Scale batch size and learning rate"), {}, {}));
}

}  // namespace strata::ui
