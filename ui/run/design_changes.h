// SPDX-License-Identifier: GPL-3.0-or-later
// What differs between the design a run was trained with and the one that is open: layers by name
// and configuration, data, settings of the training. What counts from the next step on in any run
// (epochs, learning rate) is no difference. Thread: values, pure functions.
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
  // Of hasData: other samples train, validate or test
  bool hasSplit = false;

  qsizetype layerCount() const { return changed.size() + added.size() + removed.size(); }
  bool isEmpty() const { return layerCount() == 0 && !hasData && !hasTraining; }
  /// "2 layers, data", "" where nothing differs.
  QString text() const;
  /// The names, one line a kind of change.
  QString details() const;
  /// Whether what was measured of this layer in the run still says something about the open design.
  bool isSame(const QString& layer) const {
    // A Block changes as a whole
    const QString row = layer.section(u'/', 0, 0);
    return !changed.contains(row) && !added.contains(row) && !removed.contains(row);
  }
};

DesignChanges designChanges(const Project& run, const Project& open);

}  // namespace strata::ui
