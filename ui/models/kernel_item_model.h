// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the kernels of a run: calls, time, and the launches of a card. Views sort it by
// kSortRole. Not here: measuring (core/runs/kernel_profile.h). Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <memory>

#include "core/runs/kernel_profile.h"

namespace strata::ui {

class KernelItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Columns {
    kLayer,
    kKernel,
    kCalls,
    kTime,
    kShare,
    kGrid,
    kRegisters,
    kShared,
    kOccupancy,
    kNumColumns
  };
  enum Roles { kSortRole = Qt::UserRole, kLayerRole };

  using QAbstractTableModel::QAbstractTableModel;
  /// Shows these kernels; null removes all rows.
  void setKernels(std::shared_ptr<const KernelProfile> kernels);
  const KernelProfile* kernels() const { return m_kernels.get(); }
  /// Returns whether any row has a grid, which only cards have.
  bool hasLaunches() const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QVariant shown(const KernelRow& row, int column) const;
  QString kernelText(const KernelRow& row) const;
  QVariant sorted(const KernelRow& row, int column) const;
  double share(const KernelRow& row) const;
  std::shared_ptr<const KernelProfile> m_kernels;
  double m_total = 0;
};

}  // namespace strata::ui
