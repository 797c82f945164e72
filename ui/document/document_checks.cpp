// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/document_checks.h"

#include <algorithm>

#include "core/train/algorithms.h"
#include "ui/document/document.h"

namespace strata::ui {

namespace {

std::shared_ptr<const Inspection> inspect(const Project& project) {
  auto inspection = std::make_shared<Inspection>();
  try {
    const CheckedProject checked(project);
    *inspection = inspectProject(checked);
    if (!hasErrors(inspection->diagnostics))
      for (Diagnostic& problem : algorithmProblems(checked))
        inspection->diagnostics.push_back(std::move(problem));
  }
  catch (const std::exception& error) {
    Diagnostic diagnostic;
    diagnostic.code = "internal";
    diagnostic.message = STRATA_TEXT(
        "strata::ui::DocumentChecks",
        "The project could not be checked: %1. Undo the last edit and report this problem.");
    diagnostic.arguments = {error.what()};
    inspection->diagnostics.push_back(std::move(diagnostic));
  }
  return inspection;
}

}  // namespace

DocumentChecks::DocumentChecks(const Document& document)
    : m_document(document), m_inspection(std::make_shared<Inspection>()) {
  // Only the estimation thread uses this object.
  const auto estimator = std::make_shared<Estimator>();
  m_estimator = std::make_unique<LatestWorker<EstimateRequest>>(
      [this, estimator](const EstimateRequest& request, const std::stop_token& stop) {
        estimator->run(request, stop, [this](const Estimate& estimate) {
          QMetaObject::invokeMethod(
              this, [this, estimate] { acceptEstimate(estimate.revision, estimate); },
              Qt::QueuedConnection);
        });
      });
  m_inspector = std::make_unique<LatestWorker<InspectionRequest>>(
      [this](const InspectionRequest& request, const std::stop_token&) {
        auto inspection = inspect(request.project);
        QMetaObject::invokeMethod(
            this,
            [this, revision = request.revision, inspection = std::move(inspection)] {
              acceptInspection(revision, inspection);
            },
            Qt::QueuedConnection);
      });
}

DocumentChecks::~DocumentChecks() = default;

void DocumentChecks::start() {
  m_estimator->cancel();
  m_inspector->post({m_document.revision(), m_document.project()});
}

bool DocumentChecks::isCurrent() const { return m_inspectionRevision == m_document.revision(); }

/// Finds the layer by its place, because names may not be unique. If the inspection has another
/// layer at this place, the project was edited after the inspection. The layer is then found by its
/// name.
const LayerSummary* DocumentChecks::summary(int index) const {
  const LayerEntries& layers = m_document.layers();
  if (index < 0 || index >= layers.size()) return nullptr;
  const LayerEntry& entry = layers[index];
  const std::string name = entry.label.toStdString(), type = entry.type.toStdString();
  const std::vector<LayerSummary>* rows = &m_inspection->summary.layers;
  const std::vector<LayerPath::Step>& steps = entry.path.steps;
  for (size_t i = 0; i + 1 < steps.size(); ++i) {
    const auto outer = static_cast<size_t>(steps[i].place);
    if (outer >= rows->size()) return nullptr;
    rows = &(*rows)[outer].inner;
  }
  const auto place = static_cast<size_t>(entry.place());
  if (place < rows->size() && (*rows)[place].name == name && (*rows)[place].type == type)
    return &(*rows)[place];
  const auto found = std::find_if(rows->begin(), rows->end(),
                                  [&](const LayerSummary& row) { return row.name == name; });
  return found == rows->end() ? nullptr : &*found;
}

void DocumentChecks::inspectNow() {
  if (!isCurrent()) acceptInspection(m_document.revision(), inspect(m_document.project()));
}

void DocumentChecks::acceptInspection(quint64 revision,
                                      std::shared_ptr<const Inspection> inspection) {
  // A newer inspection is pending or has already arrived.
  if (revision != m_document.revision() || isCurrent()) return;
  m_inspection = std::move(inspection);
  m_inspectionRevision = revision;
  Q_EMIT inspectionChanged();
  if (hasErrors(m_inspection->diagnostics)) {
    Estimate none;
    none.revision = revision;
    none.whyNoMemory = none.whyNoTime = tr("unknown, because the network has problems");
    acceptEstimate(revision, none);
  }
  else {
    postEstimate(m_areTrialsAllowed);
  }
}

void DocumentChecks::acceptEstimate(quint64 revision, const Estimate& estimate) {
  if (revision != m_document.revision()) return;
  m_estimate = estimate;
  Q_EMIT estimateChanged();
}

void DocumentChecks::postEstimate(bool withTrials) {
  m_estimator->post({m_document.revision(), m_document.project(), withTrials});
}

void DocumentChecks::setTrialsAllowed(bool allowed) {
  if (m_areTrialsAllowed == allowed) return;
  m_areTrialsAllowed = allowed;
  if (!allowed) {
    m_estimator->cancel();
    const bool hasMemory = m_estimate.revision == m_document.revision() && m_estimate.hasMemory;
    if (!hasMemory && isCurrent() && errorCount() == 0) postEstimate(false);
  }
  else if (isCurrent() && errorCount() == 0 &&
           !(m_estimate.revision == m_document.revision() && m_estimate.hasTime)) {
    postEstimate(true);
  }
}

int DocumentChecks::errorCount() const {
  return static_cast<int>(
      std::count_if(m_inspection->diagnostics.begin(), m_inspection->diagnostics.end(),
                    [](const Diagnostic& d) { return d.severity == Severity::Error; }));
}

std::optional<Severity> DocumentChecks::severity(const QString& layer, bool withInside) const {
  std::optional<Severity> worst;
  const std::string name = layer.toStdString();
  for (const Diagnostic& diagnostic : m_inspection->diagnostics) {
    const bool isInside = withInside && diagnostic.layer.starts_with(name + "/");
    if (diagnostic.layer != name && !isInside) continue;
    if (diagnostic.severity == Severity::Error) return Severity::Error;
    worst = Severity::Warning;
  }
  return worst;
}

}  // namespace strata::ui
