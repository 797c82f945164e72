// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/time_item_model.h"

#include <QGuiApplication>
#include <QPalette>
#include <algorithm>
#include <map>

#include "core/model/model.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/theme/colors.h"

namespace strata::ui {

TimeItemModel::TimeItemModel(const Document& document, QObject* parent) : QAbstractTableModel(parent), m_document(document) {}

void TimeItemModel::setGrouping(Grouping grouping) {
  m_grouping = grouping;
  rebuild();
}

void TimeItemModel::setChanges(DesignChanges changes) {
  m_changes = std::move(changes);
  if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kNumColumns - 1));
}

void TimeItemModel::setProfile(std::shared_ptr<const ProfileSnapshot> profile) {
  m_profile = std::move(profile);
  rebuild();
}

void TimeItemModel::rebuild() {
  std::map<QString, Row> rows;
  m_total = 0;
  if (m_profile && m_profile->steps > 0) {
    for (const ProfileRow& row : m_profile->rows) {
      const double microseconds = static_cast<double>(row.total.count()) / 1000 / static_cast<double>(m_profile->steps);
      // Updates belong to no single layer of the network for a person: they are one line.
      const bool isUpdate = row.phase == Phase::Update;
      const QString layer = isUpdate ? QString() : text(rowOfLayer(row.layer));
      const QString name = m_grouping == Grouping::Op ? text(row.op)
                           : isUpdate                 ? tr("update")
                           : layer.isEmpty()          ? tr("loss and metrics")
                                                      : layer;
      Row& sum = rows[name];
      sum.name = name;
      sum.layer = m_grouping == Grouping::Layer ? layer : QString();
      sum.microseconds += microseconds;
      m_total += microseconds;
      const QString implementation = text(row.implementation);
      if (!sum.detail.contains(implementation) && sum.detail.size() < 200)
        sum.detail += (sum.detail.isEmpty() ? QString() : QStringLiteral("\n")) + implementation;
    }
  }
  std::vector<Row> sorted;
  for (auto& [name, row] : rows) sorted.push_back(std::move(row));
  std::sort(sorted.begin(), sorted.end(), [](const Row& a, const Row& b) { return a.microseconds > b.microseconds; });
  m_largest = sorted.empty() ? 0 : sorted.front().microseconds;
  // The same number of rows is the usual case: then nothing of the view but its contents changes.
  if (sorted.size() == m_rows.size()) {
    m_rows = std::move(sorted);
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kNumColumns - 1));
    return;
  }
  beginResetModel();
  m_rows = std::move(sorted);
  endResetModel();
}

int TimeItemModel::rowCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : static_cast<int>(m_rows.size()); }
int TimeItemModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : kNumColumns; }

QVariant TimeItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == kName) return row.name;
      if (index.column() == kTime) return formatSeconds(row.microseconds * 1e-6);
      if (index.column() == kShare) return m_total > 0 ? formatPercent(row.microseconds / m_total, 0) : QString();
      return {};
    case Qt::AccessibleTextRole:
      if (index.column() == kBar) return m_largest > 0 ? formatPercent(row.microseconds / m_largest, 0) : QString();
      return data(index, Qt::DisplayRole);
    case Qt::ToolTipRole:
      if (!row.layer.isEmpty() && !m_changes.isSame(row.layer)) return tr("Measured before the layer changed.\n%1").arg(row.detail);
      return row.detail;
    case Qt::TextAlignmentRole:
      return index.column() >= kTime ? QVariant(Qt::AlignRight | Qt::AlignVCenter) : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case kFractionRole: return m_largest > 0 ? row.microseconds / m_largest : 0.0;
    case kLayerRole: return row.layer;
    case kColorRole: {
      const Colors& colors = colorsOf(QGuiApplication::palette());
      const int layer = row.layer.isEmpty() ? -1 : m_document.layerIndex(row.layer);
      if (!m_changes.isSame(row.layer)) return colors.border;
      return layer < 0 ? QVariant(colors.muted) : QVariant(kindColor(m_document.layers().at(layer).group, colors.isDark));
    }
    default: return {};
  }
}

QVariant TimeItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kName: return m_grouping == Grouping::Layer ? tr("Layer") : tr("Op");
    case kTime: return tr("Time of a step");
    case kShare: return tr("Share");
    default: return QString();
  }
}

}  // namespace strata::ui
