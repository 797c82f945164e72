// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/time_row_model.h"

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

// What a device does not report
const QString kUnknown = u"—"_s;

}  // namespace

QString TimeRowModel::phaseText(Phase phase) {
  switch (phase) {
    case Phase::Forward: return tr("forward");
    case Phase::Backward: return tr("backward");
    case Phase::Update: return tr("update");
  }
  return {};
}

QString TimeRowModel::layerText(const std::string& layer, Phase phase) {
  // The update is no part of a layer's time
  if (phase == Phase::Update)
    return layer.empty() ? tr("update") : tr("update of %1").arg(text(layer));
  return layer.empty() ? tr("loss and metrics") : text(layer);
}

void TimeRowModel::setProfile(std::shared_ptr<const ProfileSnapshot> profile, TimeGrouping grouping,
                              bool isPredicted) {
  beginResetModel();
  m_profile = std::move(profile);
  m_grouping = grouping;
  m_isPredicted = isPredicted;
  m_rows = m_profile ? timeRows(*m_profile, grouping) : std::vector<TimeRow>();
  endResetModel();
}

const KernelRow* TimeRowModel::kernelOf(const TimeRow& row) const {
  return row.kernel < 0 ? nullptr : &m_profile->kernels->rows[static_cast<size_t>(row.kernel)];
}

bool TimeRowModel::hasLaunches() const {
  return std::ranges::any_of(m_rows, [this](const TimeRow& row) {
    const KernelRow* kernel = kernelOf(row);
    return kernel && kernel->record.grid[0] > 0;
  });
}

bool TimeRowModel::hasRates() const {
  return std::ranges::any_of(m_rows, [](const TimeRow& row) { return row.flopsPerSecond > 0; });
}

QString TimeRowModel::nameOf(const TimeRow& row) const {
  if (m_grouping == TimeGrouping::Layer && !row.isCopy) return layerText(row.layer, row.phase);
  return text(row.name);
}

QString TimeRowModel::rateText(double perSecond, double limit, const QString& unit) const {
  if (perSecond <= 0) return kUnknown;
  const QString rate = tr("%1 %2").arg(formatRate(perSecond * 1e-9), unit);
  return limit > 0 ? tr("%1, %2").arg(rate, formatPercent(perSecond / limit, 0)) : rate;
}

QVariant TimeRowModel::shown(const TimeRow& row, int column) const {
  const auto time = [](double microseconds) {
    return microseconds > 0 ? formatSeconds(microseconds * 1e-6) : kUnknown;
  };
  const SpeedLimits none, &limits = m_profile->kernels ? m_profile->kernels->limits : none;
  switch (column) {
    case kName: return nameOf(row);
    case kLayer: return row.isCopy ? tr("inputs and results") : layerText(row.layer, row.phase);
    case kPhase: return row.isCopy ? tr("copy") : phaseText(row.phase);
    case kCalls: return formatCount(row.calls);
    case kTotal: return formatSeconds(row.total * 1e-6);
    case kMean: return formatSeconds(row.mean * 1e-6);
    case kShortest: return time(row.shortest);
    case kLongest: return time(row.longest);
    case kShare: return formatShare(row.share);
    case kFlops:
      return rateText(row.flopsPerSecond,
                      m_profile->kernels ? limits.flopsOf(m_profile->kernels->precision) : 0,
                      u"GFLOP/s"_s);
    case kBytes: return rateText(row.bytesPerSecond, limits.bytesPerSecond, u"GB/s"_s);
    default: return shownLaunch(row, column);
  }
}

QVariant TimeRowModel::shownLaunch(const TimeRow& row, int column) const {
  const KernelRow* kernel = kernelOf(row);
  if (!kernel) return kUnknown;
  const KernelRecord& record = kernel->record;
  const bool hasGrid = record.grid[0] > 0;
  switch (column) {
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

QVariant TimeRowModel::sorted(const TimeRow& row, int column) const {
  const KernelRow* kernel = kernelOf(row);
  switch (column) {
    case kCalls: return static_cast<qlonglong>(row.calls);
    case kTotal: return row.total;
    case kMean: return row.mean;
    case kShortest: return row.shortest;
    case kLongest: return row.longest;
    case kShare: return row.share;
    case kFlops: return row.flopsPerSecond;
    case kBytes: return row.bytesPerSecond;
    case kGrid: return static_cast<qlonglong>(kernel ? threadsOf(kernel->record) : 0);
    case kRegisters: return kernel ? kernel->record.registers : 0;
    case kShared: return static_cast<qulonglong>(kernel ? kernel->record.sharedBytes : 0);
    case kOccupancy: return kernel ? kernel->record.occupancy : 0;
    default: return shown(row, column);
  }
}

/// Returns the full name, and where its rates are known, what they are of.
QString TimeRowModel::tip(const TimeRow& row) const {
  QStringList lines{text(row.name)};
  if (!row.op.empty() && row.op != row.name) lines << tr("Op %1").arg(text(row.op));
  if (row.flops > 0)
    lines << tr("%1 FLOP and %2 a step, %3 FLOP per byte")
                 .arg(formatCount(static_cast<int64_t>(row.flops)), formatBytes(row.bytes),
                      formatValue(row.intensity(), 3));
  if (lines.first().isEmpty()) lines.removeFirst();
  return lines.join(u'\n');
}

QVariant TimeRowModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_profile) return {};
  const TimeRow& row = m_rows[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return shown(row, index.column());
    case kSortRole: return sorted(row, index.column());
    // The layer of the design, such as the block of a layer
    case kLayerRole: return text(rowOfLayer(row.layer));
    case Qt::ToolTipRole: return tip(row);
    case Qt::FontRole: {
      const bool isTime = index.column() >= kTotal && index.column() <= kBytes;
      if (!isTime || !m_isPredicted) return {};
      QFont font;
      font.setItalic(true);
      return font;
    }
    case Qt::TextAlignmentRole:
      return index.column() <= kPhase ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                      : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
  }
}

int TimeRowModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int TimeRowModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kNumColumns;
}

QVariant TimeRowModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section <= kPhase ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                             : QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case kTotal: return tr("Time in one step");
      case kMean: return tr("Time of one call");
      case kShortest: return tr("The shortest call of the profiled steps");
      case kLongest: return tr("The longest call of the profiled steps");
      case kFlops: return tr("Arithmetic per second, and the part of the device's limit");
      case kBytes: return tr("Memory access per second, and the part of the device's limit");
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
    case kName:
      if (m_grouping == TimeGrouping::Kernel) return tr("Kernel");
      return m_grouping == TimeGrouping::Op ? tr("Op") : tr("Layer");
    case kLayer: return tr("Layer");
    case kPhase: return tr("Phase");
    case kCalls: return tr("Calls");
    case kTotal: return tr("Time");
    case kMean: return tr("Mean");
    case kShortest: return tr("Min");
    case kLongest: return tr("Max");
    case kShare: return tr("Share");
    case kFlops: return tr("Arithmetic");
    case kBytes: return tr("Memory");
    case kGrid: return tr("Grid · block");
    case kRegisters: return tr("Registers");
    case kShared: return tr("Shared");
    case kOccupancy: return tr("Occupancy");
    default: return {};
  }
}

}  // namespace strata::ui
