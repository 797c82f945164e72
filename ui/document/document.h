// SPDX-License-Identifier: GPL-3.0-or-later
// One open project: its value, the undo stack, the selected layers and refused values. Views read
// it and submit edits; it knows no view. Problems and costs are in its DocumentChecks. Thread: GUI
// thread.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QUndoStack>
#include <memory>
#include <optional>

#include "core/check/checked_project.h"
#include "core/model/layer_path.h"
#include "core/project/edit.h"
#include "core/project/project.h"
#include "ui/document/document_checks.h"
#include "ui/document/layer_entries.h"
#include "ui/document/refused_values.h"
#include "ui/document/saved_file.h"

namespace strata::ui {

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
  quint64 revision() const { return m_revision; }
  QUndoStack* undoStack() { return &m_undo; }

  /// Adds one undo step. A refused edit changes nothing, and editRefused gives the reason.
  bool submit(const ProjectEdit& edit);

  /// All layers; the layers of a Block follow the Block.
  const LayerEntries& layers() const { return m_layers; }
  const QList<LayerPath>& selectedLayers() const { return m_selection; }
  void select(const QList<LayerPath>& layers);
  // The selection as names, which are unique in a network that can be trained
  QStringList selection() const;
  void setSelection(const QStringList& layers);

  /// A run does not start while there are refused values.
  const RefusedValues& refusedValues() const { return m_refused; }
  void refuse(RefusedValue value);
  void accept(const LayerPath& layer, const std::string& field);

  /// Problems, layer costs, memory and time
  DocumentChecks& checks() const { return *m_checks; }

  bool isModified() const { return !m_undo.isClean(); }
  /// Fails: IoFailure. On success the document uses `path` from then on.
  Result<void> save(const QString& path);
  /// The file as it was when it was opened or saved here
  const SavedFile& file() const { return m_file; }
  /// Call this if the document was edited from another state of the file, which then counts as
  /// changed on disk.
  void forgetFile() { m_file.forget(); }

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
  ProjectEdit apply(const ProjectEdit& edit);
  void afterEdit(const std::vector<std::string>& select);

  Project m_project;
  quint64 m_revision = 1;
  mutable std::optional<CheckedProject> m_checked;
  mutable quint64 m_checkedRevision = 0;
  QUndoStack m_undo;
  LayerEntries m_layers;
  QList<LayerPath> m_selection;
  RefusedValues m_refused;
  SavedFile m_file;
  // Declared last: its threads end before the other members are destroyed.
  std::unique_ptr<DocumentChecks> m_checks;
};

}  // namespace strata::ui
