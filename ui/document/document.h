// SPDX-License-Identifier: GPL-3.0-or-later
// One open project: its value, the undo stack of its edits, the selected layers, its problems and
// figures. Views read it and submit edits; it knows no view.
// Thread: the window's; problems and figures are computed on threads of its own and arrive by
// queued calls, stamped with the revision they belong to.
#pragma once

#include <QByteArray>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>
#include <chrono>
#include <memory>
#include <optional>
#include <unordered_map>

#include "core/check/validate.h"
#include "core/model/layer_path.h"
#include "core/model/model.h"
#include "core/project/edit.h"
#include "core/project/project.h"
#include "ui/document/estimate.h"
#include "ui/document/latest_worker.h"
#include "ui/document/refused_values.h"

namespace strata::ui {

/// A layer as the lists show it: from the document at once, without waiting for the inspection.
struct LayerEntry {
  LayerPath path;
  // name: the path as text, of a layer in a Block "block/layer"
  QString name, type;
  // As the list shows it: "layer"
  QString label;
  // Blocks around it
  int depth = 0;
  // JSON pointer of the list it is in
  std::string list;
  int place() const { return path.place(); }
  std::string pointer() const { return path.pointer(); }
  // Of its schema, "" where the type is unknown
  QString group;
  // "Conv2D 32, 3 × 3, relu"
  QString summary;
  // As the file lists them; none where it does not
  QStringList inputs;
};

class Document : public QObject {
  Q_OBJECT
 public:
  explicit Document(Project project, QObject* parent = nullptr);
  ~Document() override;

  const Project& project() const { return m_project; }
  /// The project as it is read now; parsed once a revision.
  const CheckedProject& checked() const;
  const Json& json() const { return m_project.document(); }
  QString name() const;
  QString path() const;
  // Keras's default where it is absent or no number
  int64_t batchSize() const;
  quint64 revision() const { return m_revision; }
  QUndoStack* undoStack() { return &m_undo; }

  /// One undo step. A refused edit changes nothing, and editRefused says why.
  bool submit(const ProjectEdit& edit);

  /// All of them: each Block's layers follow it.
  const QList<LayerEntry>& layers() const { return m_layers; }
  // Of the first with the name; -1: none
  int layerIndex(const QString& name) const;
  /// Of the layer with this name at this place, else of the first with the name; -1: none.
  int layerIndex(const LayerPath& layer) const;
  /// Of the first with the name; where there is none, a path without places.
  LayerPath pathOf(const QString& name) const;
  const QList<LayerPath>& selectedLayers() const { return m_selection; }
  /// The first one; without steps: none.
  LayerPath selectedPath() const { return m_selection.value(0); }
  void select(const QList<LayerPath>& layers);
  // The same by name, which says enough in a network that can be trained.
  QStringList selection() const;
  QString selectedLayer() const { return selection().value(0); }
  void setSelection(const QStringList& layers);

  /// A run does not start while there is one.
  const RefusedValues& refusedValues() const { return m_refused; }
  void refuse(RefusedValue value);
  void accept(const LayerPath& layer, const std::string& field);

  /// The latest that arrived; isInspectionCurrent() says whether it is of this revision.
  const Inspection& inspection() const { return *m_inspection; }
  bool isInspectionCurrent() const { return m_inspectionRevision == m_revision; }
  // null: not known yet
  const LayerSummary* summary(int index) const;
  /// Blocks until the inspection of this revision is there; for tests and for Train, which must not
  /// start on an old answer.
  void inspectNow();
  int errorCount() const;
  /// Worst severity of the layer's problems, of a Block on request with those of the layers in it;
  /// nullopt: none.
  std::optional<Severity> severity(const QString& layer, bool withInside = false) const;

  const Estimate& estimate() const { return m_estimate; }
  /// Trial steps compete with a run: off while one runs.
  void setTrialsAllowed(bool allowed);

  bool isModified() const { return !m_undo.isClean(); }
  /// Fails: IoFailure. The document keeps `path` from then on.
  Result<void> save(const QString& path);
  /// Has another program written the file since it was opened or saved here?
  bool isChangedOnDisk() const;
  /// The file's bytes as they were opened or saved; empty without a file.
  const QByteArray& onDisk() const { return m_onDisk; }
  /// What is open was edited from another state of the file: isChangedOnDisk() from now on, if
  /// there is a file.
  void forgetOnDisk() { m_onDisk.clear(); }
  /// Modified without an edit that could be undone: what no file holds as it is.
  void markEdited() { m_undo.resetClean(); }
  std::optional<std::chrono::steady_clock::time_point> savedAt() const { return m_savedAt; }

 Q_SIGNALS:
  // The project's value
  void changed();
  void selectionChanged();
  void refusedValuesChanged();
  // Problems and figures of the layers
  void inspectionChanged();
  // Memory and time
  void estimateChanged();
  // Name, path, modified, saved at
  void savedChanged();
  void editRefused(const QString& line);

 private:
  friend class EditCommand;
  struct InspectionRequest {
    quint64 revision;
    Project project;
  };
  ProjectEdit apply(const ProjectEdit& edit);
  void afterEdit(const std::vector<std::string>& select);
  void readLayers();
  QList<LayerPath> existing(const QList<LayerPath>& layers) const;
  void readLayers(const Json& layers, const LayerEntry& block);
  void acceptInspection(quint64 revision, std::shared_ptr<const Inspection> inspection);
  void acceptEstimate(quint64 revision, const Estimate& estimate);

  Project m_project;
  quint64 m_revision = 1;
  mutable std::optional<CheckedProject> m_checked;
  mutable quint64 m_checkedRevision = 0;
  QUndoStack m_undo;
  QList<LayerEntry> m_layers;
  // Rows by the pointers of their layers
  std::unordered_map<std::string, int> m_indexOf;
  QList<LayerPath> m_selection;
  RefusedValues m_refused;
  std::shared_ptr<const Inspection> m_inspection;
  quint64 m_inspectionRevision = 0;
  Estimate m_estimate;
  bool m_areTrialsAllowed = true;
  std::optional<std::chrono::steady_clock::time_point> m_savedAt;
  // The file as it was opened or saved
  QByteArray m_onDisk;
  // Last: their threads end before the rest goes.
  std::unique_ptr<LatestWorker<EstimateRequest>> m_estimator;
  std::unique_ptr<LatestWorker<InspectionRequest>> m_inspector;
};

}  // namespace strata::ui
