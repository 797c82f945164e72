// SPDX-License-Identifier: GPL-3.0-or-later
// Lists what is in memory during one instruction of a training step, largest first, and the bytes
// that nothing has. Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <memory>
#include <vector>

#include "core/runs/step_memory.h"

namespace strata::ui {

class BlockItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { kName, kLayer, kCategory, kBytes, kShare, kLife, kColumns };
  // The name of the layer in the design, and the values by which columns are sorted
  enum Role { kLayerRole = Qt::UserRole + 1, kSortRole };
  using QAbstractTableModel::QAbstractTableModel;
  /// Lists the blocks at an instruction; none if `memory` is null.
  void setMemory(std::shared_ptr<const StepMemory> memory, int instant);
  /// Returns the index of a row in StepMemory::blocks, or nullopt for the bytes that nothing has.
  std::optional<size_t> blockOf(int row) const;
  int rowOf(size_t block) const;

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  QString cell(const StepMemory::Block& block, int column) const;
  QString lifeOf(const StepMemory::Block& block) const;

  std::shared_ptr<const StepMemory> m_memory;
  std::vector<size_t> m_blocks;
  size_t m_holes = 0;
};

}  // namespace strata::ui
