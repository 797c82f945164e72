// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/block_item_model.h"

#include <algorithm>

#include "core/model/model.h"
#include "ui/format.h"
#include "ui/theme/category_colors.h"

namespace strata::ui {

void BlockItemModel::setMemory(std::shared_ptr<const StepMemory> memory, int instant) {
  beginResetModel();
  m_memory = std::move(memory);
  m_blocks = m_memory ? m_memory->blocksAt(instant) : std::vector<size_t>();
  m_holes = m_memory ? m_memory->holesAt(instant) : 0;
  endResetModel();
}

std::optional<size_t> BlockItemModel::blockOf(int row) const {
  if (row < 0 || row >= std::ssize(m_blocks)) return std::nullopt;
  return m_blocks[static_cast<size_t>(row)];
}

int BlockItemModel::rowOf(size_t block) const {
  const auto found = std::ranges::find(m_blocks, block);
  return found == m_blocks.end() ? -1 : static_cast<int>(found - m_blocks.begin());
}

int BlockItemModel::rowCount(const QModelIndex& parent) const {
  if (parent.isValid() || !m_memory) return 0;
  return static_cast<int>(m_blocks.size()) + (m_holes > 0 ? 1 : 0);
}

int BlockItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kColumns;
}

QString BlockItemModel::lifeOf(const StepMemory::Block& block) const {
  const auto last = static_cast<int>(m_memory->instructions.size()) - 1;
  if (block.begin == 0 && block.end == last) return tr("whole step");
  const auto opAt = [&](int instant) {
    const auto& instruction = m_memory->instructions[static_cast<size_t>(instant)];
    return instruction.layer.empty()
               ? text(instruction.op)
               : tr("%1 of %2").arg(text(instruction.op), text(instruction.layer));
  };
  return block.begin == block.end ? opAt(block.begin)
                                  : tr("%1 to %2").arg(opAt(block.begin), opAt(block.end));
}

QString BlockItemModel::cell(const StepMemory::Block& block, int column) const {
  switch (column) {
    case kName: return text(block.name);
    case kLayer: return text(block.layer);
    case kCategory: return categoryTitle(block.category);
    case kBytes: return formatBytes(static_cast<double>(block.bytes));
    case kShare:
      return formatPercent(static_cast<double>(block.bytes) /
                           static_cast<double>(m_memory->peakBytes()));
    case kLife: return lifeOf(block);
    default: return {};
  }
}

QVariant BlockItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_memory) return {};
  if (role == Qt::TextAlignmentRole && (index.column() == kBytes || index.column() == kShare))
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  const std::optional<size_t> place = blockOf(index.row());
  const StepMemory::Block holes{{}, {}, Category::Temporary, Storage::Lane::Transient, m_holes};
  const StepMemory::Block& block = place ? m_memory->blocks[*place] : holes;
  if (role == kLayerRole) return text(pathOfLayer(block.layer));
  if (role == kSortRole && (index.column() == kBytes || index.column() == kShare))
    return static_cast<qulonglong>(block.bytes);
  if (role == kSortRole && index.column() == kLife) return block.begin;
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole && role != kSortRole) return {};
  if (place) return cell(block, index.column());
  if (index.column() == kName) return tr("Alignment and holes");
  return index.column() == kBytes || index.column() == kShare ? cell(block, index.column())
                                                              : QString();
}

QVariant BlockItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole && (section == kBytes || section == kShare))
    return QVariant::fromValue(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName: return tr("Tensor");
    case kLayer: return tr("Layer");
    case kCategory: return tr("Category");
    case kBytes: return tr("Memory");
    case kShare: return tr("Share");
    case kLife: return tr("In use");
    default: return {};
  }
}

}  // namespace strata::ui
