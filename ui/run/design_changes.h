// SPDX-License-Identifier: GPL-3.0-or-later
// Compares the design of a run with the open design: layers by name and configuration, data, and
// training settings. Live settings, such as epochs and learning rate, are not compared. Thread:
// values, pure functions.
#pragma once

#include <QCoreApplication>
#include <QString>
#include <QStringList>

#include "core/project/project.h"

namespace strata::ui {

struct DesignChanges {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::DesignChanges)
 public:
  // Names of layers.
  QStringList changed, added, removed;
  bool hasData = false, hasTraining = false;
  // True if the training, validation or test samples differ. Requires hasData.
  bool hasSplit = false;

  qsizetype layerCount() const { return changed.size() + added.size() + removed.size(); }
  bool isEmpty() const { return layerCount() == 0 && !hasData && !hasTraining; }
  /// Returns, for example, "2 layers, data", or "" if there are no changes.
  QString text() const;
  /// Returns the names, with one line per kind of change.
  QString details() const;
  /// Returns true if the run's measurements of this layer still apply to the open design.
  bool isSame(const QString& layer) const {
    // A Block counts as one layer.
    const QString row = layer.section(u'/', 0, 0);
    return !changed.contains(row) && !added.contains(row) && !removed.contains(row);
  }
};

DesignChanges designChanges(const Project& run, const Project& open);

}  // namespace strata::ui
