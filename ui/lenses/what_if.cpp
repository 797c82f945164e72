// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/what_if.h"

#include <QComboBox>
#include <QFormLayout>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QSlider>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/cost/catalogue.h"
#include "core/train/plan_edits.h"
#include "gpu/base/error.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "ui/document/document.h"
#include "ui/document/field_text.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr const char* kBatch = "/training/batch_size";
static constexpr const char* kPieces = "/training/gradient_accumulation_steps";
static constexpr const char* kPrecision = "/execution/precision";
static constexpr const char* kRecompute = "/execution/recompute";
static constexpr const char* kLimit = "/execution/memory_limit";
static constexpr const char* kDevices = "/execution/devices";

WhatIf::WhatIf(Document& document, QWidget* parent) : QWidget(parent), m_document(document) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 8, 14, 10);
  layout->setSpacing(8);
  auto* title = new QLabel(tr("What if"), this);
  setRole(title, "section");
  layout->addWidget(title);
  layout->addLayout(makeFields());
  m_answer = new QLabel(this);
  m_answer->setWordWrap(true);
  m_answer->setTextFormat(Qt::RichText);
  m_answer->setMinimumHeight(3 * fontMetrics().lineSpacing());
  m_answer->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  layout->addWidget(m_answer);
  m_use = new QPushButton(tr("Use these settings"), this);
  m_use->setToolTip(tr("Puts the settings into the design, as one step that can be undone."));
  connect(m_use, &QPushButton::clicked, this, &WhatIf::use);
  layout->addWidget(m_use, 0, Qt::AlignLeft);
  layout->addLayout(makeBudget());
  layout->addStretch();
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& request, const std::stop_token& stop) { predict(request, stop); });
  connect(&document, &Document::inspectionChanged, this, &WhatIf::takeFromDesign);
  connect(&document, &Document::estimateChanged, this, &WhatIf::onEstimate);
  takeFromDesign();
  showBudgets();
}

WhatIf::~WhatIf() { m_worker.reset(); }

QLayout* WhatIf::makeFields() {
  auto* form = new QFormLayout;
  form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  form->setVerticalSpacing(4);
  const auto addText = [&](const QString& title, const QString& hint) {
    auto* field = new QLineEdit(this);
    field->setPlaceholderText(hint);
    field->setAccessibleName(title);
    form->addRow(title, field);
    connect(field, &QLineEdit::textEdited, this, &WhatIf::ask);
    return field;
  };
  const auto addChoice = [&](const QString& title, const QStringList& choices) {
    auto* field = new QComboBox(this);
    for (const QString& choice : choices)
      field->addItem(choice, choice);
    field->setAccessibleName(title);
    field->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    form->addRow(title, field);
    connect(field, &QComboBox::currentIndexChanged, this, [this] {
      if (!m_isTaking) ask();
    });
    return field;
  };
  m_batch = addText(tr("Batch size"), {});
  m_pieces = addText(tr("Micro-batches"), {});
  m_precision = addChoice(tr("Precision"), {u"float32"_s, u"tf32"_s, u"bfloat16"_s, u"float16"_s});
  m_recompute = addChoice(tr("Recompute"), {u"none"_s, u"auto"_s, u"all"_s});
  m_limit = addText(tr("Memory limit"), tr("none, or a size such as 512 MiB"));
  m_device = addChoice(tr("Device"), {});
  m_device->addItem(tr("As in the design"), QString());
  for (const DeviceInfo& device : listDevices())
    if (device.isUsable) m_device->addItem(text(device.title), text(device.name));
  for (const CatalogueDevice& device : deviceCatalogue())
    m_device->addItem(tr("%1, simulated").arg(text(device.name)), text("simulated:" + device.name));
  return form;
}

QLayout* WhatIf::makeBudget() {
  auto* column = new QVBoxLayout;
  column->setSpacing(4);
  auto* title = new QLabel(tr("Memory against time"), this);
  setRole(title, "section");
  column->addWidget(title);
  m_budget = new QSlider(Qt::Horizontal, this);
  m_budget->setAccessibleName(tr("Memory limit of the step"));
  m_budget->setToolTip(tr("Choose a memory limit, from the step as it is to the smallest one."));
  title->setBuddy(m_budget);
  column->addWidget(m_budget);
  m_budgetText = new QLabel(this);
  m_budgetText->setWordWrap(true);
  m_budgetText->setTextFormat(Qt::RichText);
  m_budgetText->setMinimumHeight(3 * fontMetrics().lineSpacing());
  m_budgetText->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  column->addWidget(m_budgetText);
  m_useBudget = new QPushButton(tr("Use this limit"), this);
  column->addWidget(m_useBudget, 0, Qt::AlignLeft);
  connect(m_budget, &QSlider::valueChanged, this, &WhatIf::showBudget);
  connect(m_useBudget, &QPushButton::clicked, this, [this] {
    const PlanBudget& budget = m_budgets.at(static_cast<size_t>(m_budget->value()));
    m_document.submit(useLimitEdit(m_document.json(), static_cast<int64_t>(budget.limitBytes)));
  });
  return column;
}

/// Sets the fields to the values of the design.
void WhatIf::takeFromDesign() {
  m_isTaking = true;
  const CheckedProject& project = m_document.checked();
  const ExecutionOptions& execution = project.execution();
  m_batch->setText(QString::number(project.recipe().batchSize));
  m_pieces->setText(QString::number(project.recipe().accumulationSteps));
  m_precision->setCurrentIndex(
      std::max(0, m_precision->findData(text(std::string(precisionName(execution.precision))))));
  m_recompute->setCurrentIndex(
      std::max(0, m_recompute->findData(text(recomputeName(execution.recompute)))));
  const std::optional<size_t> limit = execution.limitOf(execution.device);
  m_limit->setText(limit ? formatBytes(static_cast<double>(*limit)) : QString());
  m_device->setCurrentIndex(0);
  m_isTaking = false;
  ask();
}

/// Returns the bytes of a text such as "512 MiB"; 0 for no limit, nullopt if it is not a size.
static std::optional<int64_t> bytesOf(const QString& words) {
  const QString trimmed = words.trimmed();
  if (trimmed.isEmpty() || trimmed.compare(u"none"_s, Qt::CaseInsensitive) == 0) return 0;
  static const QRegularExpression kSize(u"^([0-9.,]+)\\s*(B|KiB|MiB|GiB|)$"_s,
                                        QRegularExpression::CaseInsensitiveOption);
  const auto match = kSize.match(trimmed);
  bool isNumber = false;
  const double value = match.captured(1).remove(u',').toDouble(&isNumber);
  if (!isNumber || value <= 0) return std::nullopt;
  const QString unit = match.captured(2).toLower();
  const double factor = unit == u"kib"_s   ? 1024.0
                        : unit == u"b"_s   ? 1.0
                        : unit == u"gib"_s ? 1024.0 * 1024 * 1024
                                           : 1024.0 * 1024;
  return static_cast<int64_t>(std::ceil(value * factor));
}

/// Returns the document of the design with the settings that differ from it.
Json WhatIf::editedDocument() const {
  Json document = m_document.json();
  const CheckedProject& project = m_document.checked();
  const auto set = [&](const char* pointer, const Json& value) {
    document[Json::json_pointer(pointer)] = value;
  };
  if (const qlonglong batch = m_batch->text().toLongLong();
      batch > 0 && batch != project.recipe().batchSize)
    set(kBatch, batch);
  if (const qlonglong pieces = m_pieces->text().toLongLong();
      pieces > 0 && pieces != project.recipe().accumulationSteps)
    set(kPieces, pieces);
  const std::string precision = m_precision->currentData().toString().toStdString(),
                    recompute = m_recompute->currentData().toString().toStdString();
  if (precision != precisionName(project.execution().precision)) set(kPrecision, precision);
  if (recompute != recomputeName(project.execution().recompute)) set(kRecompute, recompute);
  const std::optional<size_t> limit = project.execution().limitOf(project.execution().device);
  const QString shown = limit ? formatBytes(static_cast<double>(*limit)) : QString();
  if (m_limit->text() != shown)
    if (const auto bytes = bytesOf(m_limit->text()))
      set(kLimit, *bytes > 0 ? Json(*bytes) : Json(nullptr));
  if (const QString device = m_device->currentData().toString(); !device.isEmpty())
    set(kDevices, device.toStdString());
  return document;
}

void WhatIf::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  if (m_isOwed) ask();
}

/// Asks for a prediction of the present settings. It takes all cores for a moment, so nothing is
/// predicted before somebody looks.
void WhatIf::ask() {
  if (m_isTaking) return;
  m_prediction.reset();
  m_isOwed = !isVisible();
  if (m_isOwed) {
    m_worker->cancel();
    return;
  }
  ++m_ticket;
  const auto isCount = [](const QLineEdit* field) {
    return field->text().toLongLong() > 0;
  };
  QString problem;
  if (!isCount(m_batch))
    problem = tr("The batch size must be a whole number, 1 or more.");
  else if (!isCount(m_pieces))
    problem = tr("The number of micro-batches must be a whole number, 1 or more.");
  else if (!bytesOf(m_limit->text()))
    problem = tr("The memory limit must be a size such as 512 MiB, or empty.");
  if (!problem.isEmpty()) {
    m_worker->cancel();
    show(m_ticket, {.problem = problem});
    return;
  }
  m_answer->setText(tr("Calculating…"));
  m_use->setEnabled(false);
  Request request = requestOf();
  m_designSeconds = request.designSeconds;
  m_designLimit = request.limitBytes;
  m_worker->post(std::move(request));
}

/// Predicts again if the time of the design's step or the limit of its memory has changed.
void WhatIf::onEstimate() {
  showBudgets();
  const Request request = requestOf();
  if (request.designSeconds != m_designSeconds || request.limitBytes != m_designLimit) ask();
}

/// Returns the request for the present settings, with what is known of the design.
WhatIf::Request WhatIf::requestOf() const {
  Request request;
  request.ticket = m_ticket;
  request.project = Project(editedDocument(), m_document.project().path());
  const Estimate& estimate = m_document.checks().estimate();
  const auto isSame = [&](const char* pointer) {
    const Json::json_pointer place(pointer);
    return request.project.document().value(place, Json()) ==
           m_document.json().value(place, Json());
  };
  // An estimate of an earlier design may have another limit
  if (estimate.revision != m_document.revision()) return request;
  if (estimate.hasMemory && isSame(kLimit) && isSame(kDevices))
    request.limitBytes = estimate.limitBytes;
  if (!estimate.hasTime || DeviceName(estimate.device).isSimulated()) return request;
  request.design = m_document.project();
  request.designSeconds = estimate.stepSeconds;
  request.isDesign = request.project.document() == m_document.json();
  request.isBusy = estimate.isBusy;
  return request;
}

/// Predicts a plan, with a time of the cost model unless another one is known.
static TrainingPlan planOf(const CheckedProject& project, bool predictsTime,
                           const std::stop_token& stop) {
  PlanOptions options;
  options.findsLargestBatch = false;
  options.measuresStepTime = false;
  options.predictsStepTime = predictsTime;
  options.niceness = kNice;
  options.stop = stop;
  return planTraining(project, options);
}

/// Plans the settings. The time of a step is that of the design, as Design and the slider show it,
/// times the ratio of the settings' to the design's time in the cost model. Fails: as
/// CheckedProject and planTraining(), and with the first error of the project.
WhatIf::Prediction WhatIf::predictionOf(const Request& request, const std::stop_token& stop) {
  const CheckedProject project(request.project);
  for (const Diagnostics* problems : {&project.problemsOfModel(), &project.problemsOfTraining()})
    for (const Diagnostic& each : *problems)
      if (each.severity == Severity::Error)
        throw Error(ErrorCode::InvalidProject, each.subject(), each.sentence());
  const TrainingPlan plan = planOf(project, !request.isDesign, stop);
  Prediction prediction;
  prediction.peakBytes = static_cast<double>(plan.peakBytes);
  prediction.limitBytes =
      request.limitBytes > 0 ? request.limitBytes : static_cast<double>(plan.memoryFigures().limit);
  prediction.fits = request.limitBytes > 0 ? prediction.peakBytes <= request.limitBytes : plan.fits;
  // The time of a design on processors is measured
  const bool isOfDesign = request.isDesign || request.design;
  prediction.isPart =
      plan.leavesOutExchange && (!isOfDesign || DeviceName(plan.device).isSimulated());
  prediction.isBusy = plan.isPredictionDoubtful || (request.isDesign && request.isBusy);
  prediction.stepSeconds =
      request.isDesign ? request.designSeconds : 1e-6 * plan.predictedStepMicroseconds.value_or(0);
  if (!request.design || request.isDesign) return prediction;
  const TrainingPlan ofDesign = planOf(CheckedProject(*request.design), true, stop);
  const double modelled = 1e-6 * ofDesign.predictedStepMicroseconds.value_or(0);
  if (plan.device != ofDesign.device || modelled <= 0) return prediction;
  prediction.stepSeconds *= request.designSeconds / modelled;
  prediction.isBusy = prediction.isBusy || request.isBusy || ofDesign.isPredictionDoubtful;
  return prediction;
}

/// Runs on the worker thread.
void WhatIf::predict(const Request& request, const std::stop_token& stop) {
  Prediction prediction;
  try {
    prediction = predictionOf(request, stop);
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    prediction.problem = text(error.line());
  }
  catch (const std::exception& error) {
    prediction.problem = text(std::string(error.what()));
  }
  QMetaObject::invokeMethod(
      this, [this, ticket = request.ticket, prediction] { show(ticket, prediction); },
      Qt::QueuedConnection);
}

void WhatIf::show(quint64 ticket, const Prediction& prediction) {
  if (ticket != m_ticket) return;
  m_prediction = prediction;
  m_use->setEnabled(prediction.problem.isEmpty() && editedDocument() != m_document.json());
  if (!prediction.problem.isEmpty()) {
    m_answer->setText(prediction.problem.toHtmlEscaped());
    return;
  }
  QStringList lines{
      italic((prediction.fits ? tr("Predicted peak %1 of %2: fits")
                              : tr("Predicted peak %1: does not fit in %2"))
                 .arg(formatBytes(prediction.peakBytes), formatBytes(prediction.limitBytes)))};
  lines << (prediction.stepSeconds > 0
                ? italic((prediction.isPart
                              ? tr("Predicted time of a step without communication %1")
                              : tr("Predicted time of a step %1"))
                             .arg(formatSeconds(prediction.stepSeconds)))
                : tr("The time of a step is unknown, because this device has no cost model."));
  if (const QString warning = busyWarning(prediction.isBusy); !warning.isEmpty()) lines << warning;
  m_answer->setText(lines.join(u"<br>"_s));
}

/// Puts the settings into the design.
void WhatIf::use() {
  const Json after = editedDocument();
  ProjectEdit edit;
  edit.name = STRATA_TEXT("Edit", "Use settings of What if");
  for (const char* pointer : {kBatch, kPieces, kPrecision, kRecompute, kLimit, kDevices}) {
    const Json::json_pointer place(pointer);
    if (after.contains(place) &&
        after.at(place) != m_document.json().value(place, Json(Json::value_t::discarded)))
      edit.operations.push_back(setOperation(pointer, after.at(place)));
  }
  if (!edit.operations.empty()) m_document.submit(edit);
}

/// Takes over the budgets of the estimate.
void WhatIf::showBudgets() {
  const Estimate& estimate = m_document.checks().estimate();
  m_budgets = estimate.curve;
  m_budget->setEnabled(m_budgets.size() > 1);
  m_useBudget->setEnabled(m_budgets.size() > 1);
  const QSignalBlocker blocker(m_budget);
  m_budget->setRange(0, std::max(0, static_cast<int>(m_budgets.size()) - 1));
  showBudget();
}

void WhatIf::showBudget() {
  if (m_budgets.size() < 2) {
    m_budgetText->setText(tr("Less memory is not possible, or not calculated yet."));
    return;
  }
  const PlanBudget& budget = m_budgets.at(static_cast<size_t>(m_budget->value()));
  QStringList layers;
  for (const std::string& layer : budget.layers)
    layers << text(layer);
  const QString cost = budget.slowdown > 0
                           ? tr("a step takes %1 longer").arg(formatPercent(budget.slowdown))
                           : tr("a step takes no longer");
  QString line = tr("Limit %1: predicted peak %2, %3")
                     .arg(formatBytes(static_cast<double>(budget.limitBytes)),
                          formatBytes(static_cast<double>(budget.peakBytes)), cost);
  if (budget.stepMicroseconds)
    line = tr("%1, about %2").arg(line, formatSeconds(*budget.stepMicroseconds * 1e-6));
  QString words = italic(line);
  if (!layers.isEmpty())
    words += u"<br>"_s + tr("Recomputed: %1").arg(layers.join(u", "_s).toHtmlEscaped());
  const bool hasTime = budget.stepMicroseconds.has_value();
  if (const QString warning = busyWarning(hasTime && m_document.checks().estimate().isBusy);
      !warning.isEmpty())
    words += u"<br>"_s + warning.toHtmlEscaped();
  m_budgetText->setText(words);
  m_budget->setAccessibleDescription(line);
}

}  // namespace strata::ui
