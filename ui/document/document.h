// SPDX-License-Identifier: GPL-3.0-or-later
// One open project with its undo stack, selected layers and refused values. Views read it and
// submit edits. It does not depend on views. Problems and costs are in its DocumentChecks. Thread:
// GUI thread.
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
  /// Returns the parsed project. It is parsed once for each revision.
  const CheckedProject& checked() const;
  const Json& json() const { return m_project.document(); }
  QString name() const;
  QString path() const;
  /// Returns a number that increases with each edit, undo and redo.
  quint64 revision() const { return m_revision; }
  QUndoStack* undoStack() { return &m_undo; }

  /// Applies an edit and adds one undo step. Returns false if the edit has no operations or is
  /// refused. A refused edit changes nothing, and editRefused() gives the reason.
  bool submit(const ProjectEdit& edit);

  /// Returns all layers. The layers of a Block follow the Block.
  const LayerEntries& layers() const { return m_layers; }
  const QList<LayerPath>& selectedLayers() const { return m_selection; }
  void select(const QList<LayerPath>& layers);
  // These functions use names, which are unique only in a valid network.
  QStringList selection() const;
  void setSelection(const QStringList& layers);

  /// Returns text that fields refused. A run does not start while there are refused values.
  const RefusedValues& refusedValues() const { return m_refused; }
  void refuse(RefusedValue value);
  void accept(const LayerPath& layer, const std::string& field);

  /// Returns the problems, layer costs, memory and time.
  DocumentChecks& checks() const { return *m_checks; }

  bool isModified() const { return !m_undo.isClean(); }
  /// Saves the project. If this succeeds, `path` becomes the path of the document. Fails:
  /// IoFailure.
  Result<void> save(const QString& path);
  /// Returns the file as this document last read or wrote it.
  const SavedFile& file() const { return m_file; }
  /// Makes the file count as changed on disk. Call this if the document does not come from the
  /// current contents of the file.
  void forgetFile() { m_file.forget(); }

 Q_SIGNALS:
  // The project changed.
  void changed();
  /// Emitted when the user clicks a layer of the selection.
  void selectionClicked();
  void selectionChanged();
  void refusedValuesChanged();
  // The problems or the costs of the layers changed.
  void inspectionChanged();
  // The estimated memory or time changed.
  void estimateChanged();
  // The name, the path, isModified() or the time of the last save changed.
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
  // Declared last, so that its threads end before the other members are destroyed.
  std::unique_ptr<DocumentChecks> m_checks;
};

}  // namespace strata::ui
