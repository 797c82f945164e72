// SPDX-License-Identifier: GPL-3.0-or-later
// Computes the problems, layer costs, memory and time of one document. Worker threads compute them
// again after each edit. Each result carries the revision that it belongs to. Thread: GUI thread.
// Results arrive in queued calls.
#pragma once

#include <QObject>
#include <QString>
#include <memory>
#include <optional>

#include "core/check/validate.h"
#include "ui/document/estimate.h"
#include "ui/document/latest_worker.h"

namespace strata::ui {

class Document;

class DocumentChecks : public QObject {
  Q_OBJECT
 public:
  /// Reads the project, its revision and its layers from `document`, which owns this object. Call
  /// start() once the document can be read.
  explicit DocumentChecks(const Document& document);
  ~DocumentChecks() override;
  /// Starts to check the current revision. Results of earlier revisions are dropped.
  void start();

  /// Returns the latest inspection, which may belong to an earlier revision.
  const Inspection& inspection() const { return *m_inspection; }
  /// Returns whether the inspection belongs to the document's revision.
  bool isCurrent() const;
  /// Blocks until the inspection of this revision is available. For tests and for Train, which must
  /// not start on an outdated result.
  void inspectNow();
  /// Returns the costs of the layer at this index of Document::layers(), or null if they are not
  /// known yet.
  const LayerSummary* summary(int index) const;
  int errorCount() const;
  /// Returns the highest severity of the layer's problems, or nullopt if there are no problems.
  /// With `withInside`, the problems of a Block include those of its layers.
  std::optional<Severity> severity(const QString& layer, bool withInside = false) const;

  const Estimate& estimate() const { return m_estimate; }
  /// Allows or forbids trial steps. They are forbidden during a run, because both would compete for
  /// the processor.
  void setTrialsAllowed(bool allowed);

 Q_SIGNALS:
  // The problems or the costs of the layers changed.
  void inspectionChanged();
  // The estimated memory or time changed.
  void estimateChanged();

 private:
  struct InspectionRequest {
    quint64 revision;
    Project project;
  };
  void acceptInspection(quint64 revision, std::shared_ptr<const Inspection> inspection);
  void acceptEstimate(quint64 revision, const Estimate& estimate);
  void postEstimate(bool withTrials);

  const Document& m_document;
  std::shared_ptr<const Inspection> m_inspection;
  quint64 m_inspectionRevision = 0;
  Estimate m_estimate;
  bool m_areTrialsAllowed = true;
  // Declared last, so that their threads end before the other members are destroyed.
  std::unique_ptr<LatestWorker<EstimateRequest>> m_estimator;
  std::unique_ptr<LatestWorker<InspectionRequest>> m_inspector;
};

}  // namespace strata::ui
