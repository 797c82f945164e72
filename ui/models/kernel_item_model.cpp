// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/kernel_item_model.h"

#include <QFont>
#include <algorithm>

#include "core/model/model.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// Formats the size of a grid or block without trailing ones, such as "32 × 4".
QString extent(const std::array<int64_t, 3>& size) {
  std::vector<int64_t> dims(size.begin(), size.end());
  while (dims.size() > 1 && dims.back() == 1)
    dims.pop_back();
  return formatShape(dims);
}

int64_t threadsOf(const KernelRecord& record) {
  int64_t result = 1;
  for (size_t i = 0; i < record.grid.size(); ++i)
    result *= record.grid[i] * record.block[i];
  return result;
}

QString phaseText(Phase phase) {
  switch (phase) {
    case Phase::Forward: return KernelItemModel::tr("forward");
    case Phase::Backward: return KernelItemModel::tr("backward");
    case Phase::Update: return KernelItemModel::tr("update");
  }
  return {};
}

// What a device does not report
const QString kUnknown = u"—"_s;

}  // namespace

void KernelItemModel::setKernels(std::shared_ptr<const KernelProfile> kernels) {
  beginResetModel();
  m_kernels = std::move(kernels);
  m_total = 0;
  if (m_kernels)
    for (const KernelRow& row : m_kernels->rows)
      m_total += static_cast<double>(row.total.count());
  endResetModel();
}

bool KernelItemModel::hasLaunches() const {
  return m_kernels && std::ranges::any_of(m_kernels->rows, [](const KernelRow& row) {
           return row.record.grid[0] > 0;
         });
}

int KernelItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_kernels ? 0 : static_cast<int>(m_kernels->rows.size());
}
int KernelItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kNumColumns;
}

double KernelItemModel::share(const KernelRow& row) const {
  return m_total > 0 ? static_cast<double>(row.total.count()) / m_total : 0;
}

/// Returns the name of a kernel. If its layer runs it in several rows, adds what differs.
QString KernelItemModel::kernelText(const KernelRow& row) const {
  const KernelRecord& record = row.record;
  const QString name = text(record.name);
  if (record.instruction < 0) return name;
  bool isAlone = true, isInPhase = true;
  for (const KernelRow& other : m_kernels->rows) {
    const KernelRecord& each = other.record;
    const bool isInLayer = each.layer == record.layer &&
                           (each.phase == Phase::Update) == (record.phase == Phase::Update);
    if (&other == &row || each.instruction < 0 || !isInLayer || each.name != record.name) continue;
    isAlone = false;
    if (each.phase == record.phase && each.op != record.op) isInPhase = false;
  }
  if (isAlone) return name;
  const QString phase = phaseText(record.phase);
  return isInPhase ? tr("%1, %2").arg(name, phase)
                   : tr("%1, %2 (%3)").arg(name, phase, text(record.op));
}

QVariant KernelItemModel::shown(const KernelRow& row, int column) const {
  const KernelRecord& record = row.record;
  const bool hasGrid = record.grid[0] > 0;
  const auto seconds = static_cast<double>(row.total.count()) * 1e-9;
  switch (column) {
    case kLayer:
      if (record.instruction < 0) return tr("inputs and results");
      // The update is no part of a layer's time
      if (record.phase == Phase::Update)
        return record.layer.empty() ? tr("update") : tr("update of %1").arg(text(record.layer));
      return record.layer.empty() ? tr("loss and metrics") : text(record.layer);
    case kKernel: return kernelText(row);
    case kCalls: return formatCount(row.calls);
    case kTime: return formatSeconds(seconds / static_cast<double>(m_kernels->steps));
    case kShare: return formatPercent(share(row));
    case kGrid:
      return hasGrid ? u"%1 · %2"_s.arg(extent(record.grid), extent(record.block)) : kUnknown;
    case kRegisters: return record.registers > 0 ? formatCount(record.registers) : kUnknown;
    case kShared: return hasGrid ? formatBytes(static_cast<double>(record.sharedBytes)) : kUnknown;
    case kOccupancy:
      return record.theoreticalOccupancy > 0
                 ? tr("%1 of %2")
                       .arg(formatPercent(record.occupancy, 0),
                            formatPercent(record.theoreticalOccupancy, 0))
                 : kUnknown;
    default: return {};
  }
}

QVariant KernelItemModel::sorted(const KernelRow& row, int column) const {
  const KernelRecord& record = row.record;
  switch (column) {
    case kCalls: return static_cast<qlonglong>(row.calls);
    case kTime:
    case kShare: return static_cast<qlonglong>(row.total.count());
    case kGrid: return static_cast<qlonglong>(threadsOf(record));
    case kRegisters: return record.registers;
    case kShared: return static_cast<qulonglong>(record.sharedBytes);
    case kOccupancy: return record.occupancy;
    default: return shown(row, column);
  }
}

QVariant KernelItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_kernels) return {};
  const KernelRow& row = m_kernels->rows[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return shown(row, index.column());
    case kSortRole: return sorted(row, index.column());
    // The layer of the design, such as the block of a layer
    case kLayerRole: return text(rowOfLayer(row.record.layer));
    case Qt::ToolTipRole:
      // The rates are those of the whole node
      if (row.record.instruction < 0 || !m_kernels->isMain(row)) return text(row.record.name);
      return tr("%1: op %2, %3 GFLOP/s, %4/s")
          .arg(text(row.record.name), text(row.record.op), formatRate(row.flopsPerSecond() * 1e-9),
               formatBytes(row.bytesPerSecond()));
    case Qt::FontRole: {
      const bool isTime = index.column() == kTime || index.column() == kShare;
      if (!isTime || m_kernels->source != StepRecords::Source::Predicted) return {};
      QFont font;
      font.setItalic(true);
      return font;
    }
    case Qt::TextAlignmentRole:
      return index.column() <= kKernel ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                       : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
  }
}

QVariant KernelItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section <= kKernel ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                              : QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case kTime: return tr("Time in one step");
      case kGrid: return tr("Blocks of the grid, and threads of a block");
      case kRegisters: return tr("Registers per thread");
      case kShared: return tr("Shared memory per block");
      case kOccupancy:
        return tr(
            "The part of the card's threads that the grid fills, and the part that registers "
            "and shared memory allow");
      default: return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kLayer: return tr("Layer");
    case kKernel: return tr("Kernel");
    case kCalls: return tr("Calls");
    case kTime: return tr("Time");
    case kShare: return tr("Share");
    case kGrid: return tr("Grid · block");
    case kRegisters: return tr("Registers");
    case kShared: return tr("Shared");
    case kOccupancy: return tr("Occupancy");
    default: return {};
  }
}

}  // namespace strata::ui
