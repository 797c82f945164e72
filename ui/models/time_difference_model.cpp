// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/time_difference_model.h"

#include <QFont>
#include <cmath>

#include "core/model/model.h"
#include "ui/format.h"
#include "ui/models/time_row_model.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

void TimeDifferenceModel::setProfiles(const ProfileSnapshot& before, const ProfileSnapshot& after,
                                      TimeGrouping grouping, const Run& runBefore,
                                      const Run& runAfter) {
  beginResetModel();
  m_grouping = grouping;
  m_rows = compareTimes(before, after, grouping);
  m_before = runBefore;
  m_after = runAfter;
  endResetModel();
}

QVariant TimeDifferenceModel::shown(const TimeDifference& row, int column) const {
  const auto time = [](double microseconds) {
    return microseconds > 0 ? formatSeconds(microseconds * 1e-6) : u"—"_s;
  };
  switch (column) {
    case kName:
      return m_grouping == TimeGrouping::Layer && row.name == row.layer
                 ? TimeRowModel::layerText(row.layer, row.phase)
                 : text(row.name);
    case kLayer: return TimeRowModel::layerText(row.layer, row.phase);
    case kPhase: return TimeRowModel::phaseText(row.phase);
    case kBefore: return time(row.before);
    case kAfter: return time(row.after);
    case kChange: {
      const QString change = formatSeconds(std::abs(row.change()) * 1e-6);
      if (row.change() == 0) return tr("same");
      const QString sign = row.change() > 0 ? u"+"_s : u"−"_s;
      if (row.before <= 0 || row.after <= 0) return sign + change;
      return tr("%1, %2").arg(sign + change,
                              sign + formatPercent(std::abs(row.change()) / row.before));
    }
    default: return {};
  }
}

QVariant TimeDifferenceModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const TimeDifference& row = m_rows[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole: return shown(row, index.column());
    case kSortRole:
      if (index.column() == kBefore) return row.before;
      if (index.column() == kAfter) return row.after;
      if (index.column() == kChange) return row.change();
      return shown(row, index.column());
    case kLayerRole: return text(rowOfLayer(row.layer));
    case Qt::ToolTipRole: return text(row.name);
    case Qt::FontRole: {
      QFont font;
      const bool isChange = index.column() == kChange;
      font.setItalic(((index.column() == kBefore || isChange) && m_before.isPredicted) ||
                     ((index.column() == kAfter || isChange) && m_after.isPredicted));
      return font;
    }
    case Qt::TextAlignmentRole:
      return index.column() <= kPhase ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                                      : QVariant(Qt::AlignRight | Qt::AlignVCenter);
    default: return {};
  }
}

int TimeDifferenceModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int TimeDifferenceModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kNumColumns;
}

QVariant TimeDifferenceModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section <= kPhase ? QVariant(Qt::AlignLeft | Qt::AlignVCenter)
                             : QVariant(Qt::AlignRight | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName:
      if (m_grouping == TimeGrouping::Kernel) return TimeRowModel::tr("Kernel");
      return m_grouping == TimeGrouping::Op ? TimeRowModel::tr("Op") : TimeRowModel::tr("Layer");
    case kLayer: return TimeRowModel::tr("Layer");
    case kPhase: return TimeRowModel::tr("Phase");
    case kBefore: return m_before.title;
    case kAfter: return m_after.title;
    case kChange: return tr("Change");
    default: return {};
  }
}

}  // namespace strata::ui
