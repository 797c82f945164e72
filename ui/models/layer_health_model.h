// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the layers of a run with their latest statistics and verdicts. Views sort it by kSortRole.
// Not here: the statistics (core/layer_statistics). Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/layer_statistics/layer_sample.h"
#include "core/layer_statistics/layer_verdict.h"

namespace strata::ui {

class LayerHealthModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Columns {
    kName,
    kType,
    kVerdict,
    kUpdate,
    kWeights,
    kGradients,
    kActivations,
    kDead,
    kSaturated,
    kNumColumns
  };
  enum Roles { kSortRole = Qt::UserRole, kLayerRole };

  using QAbstractTableModel::QAbstractTableModel;
  /// Shows a sample with the verdicts on its layers, in the same order. No layers remove all rows.
  void setSample(const LayerSample& sample, std::vector<LayerVerdict> verdicts);
  void clear();
  const std::vector<LayerVerdict>& verdicts() const { return m_verdicts; }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant shown(size_t row, int column) const;
  QVariant sorted(size_t row, int column) const;

  std::shared_ptr<const WatchedLayers> m_watched;
  std::vector<LayerStatistics> m_layers;
  std::vector<LayerVerdict> m_verdicts;
};

}  // namespace strata::ui
