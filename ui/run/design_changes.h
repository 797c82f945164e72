// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the project of a run with the open project: layers, data, and training settings.
// Settings that can change during a run, such as the learning rate, are not compared. Thread: a
// value type; the function is pure.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include "core/project/project.h"

namespace strata::ui {

struct DesignChanges {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::DesignChanges)
 public:
  // Names of layers
  QStringList changed, added, removed;
  bool hasData = false, hasTraining = false;
  // Whether the training, validation or test samples differ. If so, hasData is true.
  bool hasSplit = false;

  qsizetype layerCount() const { return changed.size() + added.size() + removed.size(); }
  bool isEmpty() const { return layerCount() == 0 && !hasData && !hasTraining; }
  /// Returns a text such as "2 layers, data", or "" if there are no changes.
  QString text() const;
  /// Returns the changes with the names of layers, one line for each kind of change.
  QString details() const;
  /// Returns whether the run's measurements of this layer still apply to the open project.
  bool isSame(const QString& layer) const {
    // A layer in a Block counts as changed if the Block has changed.
    const QString row = layer.section(u'/', 0, 0);
    return !changed.contains(row) && !added.contains(row) && !removed.contains(row);
  }
};

DesignChanges designChanges(const Project& run, const Project& open);

}  // namespace strata::ui
