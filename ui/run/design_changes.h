// SPDX-License-Identifier: GPL-3.0-or-later
// The differences between the design of a run and the open design: layers by name and
// configuration, data, training settings. Settings that take effect in any run at the next step
// (epochs, learning rate) are not compared. Thread: values, pure functions.
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
  // If hasData: the training, validation or test samples differ
  bool hasSplit = false;

  qsizetype layerCount() const { return changed.size() + added.size() + removed.size(); }
  bool isEmpty() const { return layerCount() == 0 && !hasData && !hasTraining; }
  /// "2 layers, data"; "" without changes
  QString text() const;
  /// The names, one line per kind of change
  QString details() const;
  /// True if measurements of this layer in the run still apply to the open design
  bool isSame(const QString& layer) const {
    // A Block counts as one layer.
    const QString row = layer.section(u'/', 0, 0);
    return !changed.contains(row) && !added.contains(row) && !removed.contains(row);
  }
};

DesignChanges designChanges(const Project& run, const Project& open);

}  // namespace strata::ui
