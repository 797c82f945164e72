// SPDX-License-Identifier: GPL-3.0-or-later
// The problems, layer costs, memory and time of one document. After each edit they are computed
// again on worker threads; the results carry the revision that they belong to. Thread: GUI thread;
// results arrive in queued calls.
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
  /// Checks the current revision; results of earlier revisions are dropped.
  void start();

  /// The latest inspection; isCurrent() tells whether it belongs to the document's revision.
  const Inspection& inspection() const { return *m_inspection; }
  bool isCurrent() const;
  /// Blocks until the inspection of this revision is available. For tests and for Train, which must
  /// not start on an outdated result.
  void inspectNow();
  /// Costs of the layer at this index of Document::layers(); null if they are not known yet
  const LayerSummary* summary(int index) const;
  int errorCount() const;
  /// The worst severity of the layer's problems, or nullopt. With `withInside`, a Block includes
  /// the problems of its layers.
  std::optional<Severity> severity(const QString& layer, bool withInside = false) const;

  const Estimate& estimate() const { return m_estimate; }
  /// Trial steps would compete with a run, so they are off while one is active.
  void setTrialsAllowed(bool allowed);

 Q_SIGNALS:
  // Problems and costs of the layers
  void inspectionChanged();
  // Memory and time
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
