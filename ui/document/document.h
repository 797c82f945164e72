// SPDX-License-Identifier: GPL-3.0-or-later
// One open project: its value, the undo stack, the selected layers, its problems and costs. Views
// read it and submit edits; it knows no view. Thread: GUI thread. Problems and costs are computed
// on worker threads and arrive in queued calls, stamped with the revision that they belong to.
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

/// A layer as the lists show it. It is read from the document and does not wait for the inspection.
struct LayerEntry {
  LayerPath path;
  // name: the path as text; a layer in a Block is "block/layer"
  QString name, type;
  // The name in its own list: "layer"
  QString label;
  // Number of Blocks around the layer
  int depth = 0;
  // JSON pointer of the list that contains the layer
  std::string list;
  int place() const { return path.place(); }
  std::string pointer() const { return path.pointer(); }
  // The group of its schema, "" if the type is unknown
  QString group;
  // "Conv2D 32, 3 × 3, relu"
  QString summary;
  // As listed in the file; empty if the file lists none
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
  // The default of Keras if the field is missing or not a number
  int64_t batchSize() const;
  quint64 revision() const { return m_revision; }
  QUndoStack* undoStack() { return &m_undo; }

  /// Adds one undo step. A refused edit changes nothing, and editRefused gives the reason.
  bool submit(const ProjectEdit& edit);

  /// All layers; the layers of a Block follow the Block.
  const QList<LayerEntry>& layers() const { return m_layers; }
  // Index of the first layer with the name, or -1
  int layerIndex(const QString& name) const;
  /// Index of the layer with this name at this place, else of the first with the name, or -1
  int layerIndex(const LayerPath& layer) const;
  /// Path of the first layer with the name; a path without places if there is none
  LayerPath pathOf(const QString& name) const;
  const QList<LayerPath>& selectedLayers() const { return m_selection; }
  /// The first selected layer; a path without steps if nothing is selected
  LayerPath selectedPath() const { return m_selection.value(0); }
  void select(const QList<LayerPath>& layers);
  // The selection as names, which are unique in a network that can be trained
  QStringList selection() const;
  QString selectedLayer() const { return selection().value(0); }
  void setSelection(const QStringList& layers);

  /// A run does not start while there are refused values.
  const RefusedValues& refusedValues() const { return m_refused; }
  void refuse(RefusedValue value);
  void accept(const LayerPath& layer, const std::string& field);

  /// The latest inspection; isInspectionCurrent() tells whether it belongs to this revision.
  const Inspection& inspection() const { return *m_inspection; }
  bool isInspectionCurrent() const { return m_inspectionRevision == m_revision; }
  // null: not known yet
  const LayerSummary* summary(int index) const;
  /// Blocks until the inspection of this revision is available. For tests and for Train, which must
  /// not start on an outdated result.
  void inspectNow();
  int errorCount() const;
  /// The worst severity of the layer's problems, or nullopt. With `withInside`, a Block includes
  /// the problems of its layers.
  std::optional<Severity> severity(const QString& layer, bool withInside = false) const;

  const Estimate& estimate() const { return m_estimate; }
  /// Trial steps would compete with a run, so they are off while one is active.
  void setTrialsAllowed(bool allowed);

  bool isModified() const { return !m_undo.isClean(); }
  /// Fails: IoFailure. On success the document uses `path` from then on.
  Result<void> save(const QString& path);
  /// True if another program has written the file since it was opened or saved here
  bool isChangedOnDisk() const;
  /// The bytes of the file when it was opened or saved; empty without a file
  const QByteArray& onDisk() const { return m_onDisk; }
  /// Call this if the document was edited from another state of the file: isChangedOnDisk() is true
  /// from now on, if there is a file.
  void forgetOnDisk() { m_onDisk.clear(); }
  /// Marks the document as modified without an undo step, because no file holds its content
  void markEdited() { m_undo.resetClean(); }
  std::optional<std::chrono::steady_clock::time_point> savedAt() const { return m_savedAt; }

 Q_SIGNALS:
  // The value of the project
  void changed();
  void selectionChanged();
  void refusedValuesChanged();
  // Problems and costs of the layers
  void inspectionChanged();
  // Memory and time
  void estimateChanged();
  // Name, path, modified flag or time of saving
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
  // Row of each layer, by its JSON pointer
  std::unordered_map<std::string, int> m_indexOf;
  QList<LayerPath> m_selection;
  RefusedValues m_refused;
  std::shared_ptr<const Inspection> m_inspection;
  quint64 m_inspectionRevision = 0;
  Estimate m_estimate;
  bool m_areTrialsAllowed = true;
  std::optional<std::chrono::steady_clock::time_point> m_savedAt;
  // The file when it was opened or saved
  QByteArray m_onDisk;
  // Declared last, so that their threads end before the other members are destroyed.
  std::unique_ptr<LatestWorker<EstimateRequest>> m_estimator;
  std::unique_ptr<LatestWorker<InspectionRequest>> m_inspector;
};

}  // namespace strata::ui
