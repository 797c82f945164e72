// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/time_item_model.h"

#include <QFont>
#include <QGuiApplication>
#include <QPalette>
#include <algorithm>

#include "core/model/model.h"
#include "core/runs/step_breakdown.h"
#include "gpu/ops/communication.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_text.h"
#include "ui/theme/colors.h"

namespace strata::ui {

// The number of snapshots at the start of a run after which the rows are always sorted, because
// they include one-time work of the run.
static constexpr int kFirstSnapshots = 3;

TimeItemModel::TimeItemModel(const Document& document, QObject* parent)
    : QAbstractTableModel(parent), m_document(document) {}

void TimeItemModel::setGrouping(Grouping grouping) {
  m_grouping = grouping;
  rebuild(true);
}

void TimeItemModel::setChanges(DesignChanges changes) {
  m_changes = std::move(changes);
  if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kNumColumns - 1));
}

void TimeItemModel::setProfile(std::shared_ptr<const ProfileSnapshot> profile) {
  if (!profile) {
    m_profile.reset();
    m_snapshots = 0;
    return rebuild();
  }
  if (profile->steps <= 0 || m_profile == profile) return;
  m_profile = std::move(profile);
  ++m_snapshots;
  rebuild(m_snapshots <= kFirstSnapshots);
}

std::map<QString, TimeItemModel::Row> TimeItemModel::rowsOf(const ProfileSnapshot& profile) const {
  std::map<QString, Row> rows;
  const StepBreakdown breakdown = breakdownOf(profile);
  const auto microsecondsOf = [&](const ProfileRow& row) {
    return static_cast<double>(row.total.count()) / 1000 / static_cast<double>(profile.steps);
  };
  // Kernels before and after the communication are a part of the layer's time
  double inCollectives = 0;
  for (const ProfileRow& row : profile.rows)
    if (isCommunication(row.op)) inCollectives += microsecondsOf(row);
  const double communicating =
      inCollectives > 0 ? std::min(1.0, breakdown.of(StepPart::Communication) / inCollectives) : 0;
  const auto addPart = [&](StepPart part, double microseconds) {
    Row& sum = rows[RunText::partTitle(part)];
    sum.name = RunText::partTitle(part);
    sum.microseconds += microseconds;
    sum.place = 1 + static_cast<int>(part);
  };
  for (const ProfileRow& row : profile.rows) {
    double microseconds = microsecondsOf(row);
    if (m_grouping == Grouping::Layer && isCommunication(row.op) && communicating > 0) {
      addPart(StepPart::Communication, communicating * microseconds);
      microseconds *= 1 - communicating;
    }
    // An update belongs to no single layer, so all updates share one row.
    const bool isUpdate = row.phase == Phase::Update;
    const QString layer = isUpdate ? QString() : text(rowOfLayer(row.layer));
    QString name = layer.isEmpty() ? tr("loss and metrics") : layer;
    if (isUpdate) name = tr("update");
    if (m_grouping == Grouping::Op) name = text(row.op);
    Row& sum = rows[name];
    sum.name = name;
    sum.layer = m_grouping == Grouping::Layer ? layer : QString();
    sum.microseconds += microseconds;
    const QString implementation = text(row.implementation);
    if (!sum.detail.contains(implementation) && sum.detail.size() < 200)
      sum.detail += (sum.detail.isEmpty() ? QString() : QStringLiteral("\n")) + implementation;
  }
  for (const StepPart part : {StepPart::Waiting, StepPart::Copies, StepPart::Host})
    if (breakdown.of(part) > 0) addPart(part, breakdown.of(part));
  return rows;
}

/// Returns true if a row with a significant share of the time has become much larger than the row
/// above it. Rows are rarely sorted, so that they do not jump.
bool TimeItemModel::mustSort(const std::vector<Row>& rows) const {
  constexpr qint64 kMinMilliseconds = 10000;
  constexpr double kResortFactor = 1.5, kWeight = 0.02;
  if (m_sinceSorted.isValid() && m_sinceSorted.elapsed() < kMinMilliseconds) return false;
  for (size_t i = 1; i < rows.size(); ++i)
    if (rows[i].microseconds > kResortFactor * rows[i - 1].microseconds &&
        rows[i].microseconds > kWeight * m_step && rows[i].place == 0)
      return true;
  return false;
}

void TimeItemModel::rebuild(bool isSorted) {
  std::map<QString, Row> rows;
  if (m_profile) rows = rowsOf(*m_profile);
  m_step = m_profile ? m_profile->stepMicroseconds : 0;
  m_largest = 0;
  for (const auto& [name, row] : rows)
    m_largest = std::max(m_largest, row.microseconds);
  // Known rows keep their order, and new ones follow.
  std::vector<Row> ordered;
  for (const Row& old : m_rows)
    if (const auto found = rows.find(old.name); found != rows.end()) {
      ordered.push_back(std::move(found->second));
      rows.erase(found);
    }
  for (auto& [name, row] : rows)
    ordered.push_back(std::move(row));
  if (isSorted || mustSort(ordered)) {
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const Row& a, const Row& b) { return a.microseconds > b.microseconds; });
    m_sinceSorted.start();
  }
  std::ranges::stable_sort(ordered, {}, &Row::place);
  // If the number of rows is unchanged, only the contents of the view change.
  if (ordered.size() == m_rows.size()) {
    m_rows = std::move(ordered);
    if (!m_rows.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kNumColumns - 1));
    return;
  }
  beginResetModel();
  m_rows = std::move(ordered);
  endResetModel();
}

int TimeItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int TimeItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kNumColumns;
}

QVariant TimeItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const Row& row = m_rows[static_cast<size_t>(index.row())];
  switch (role) {
    case Qt::DisplayRole:
      if (index.column() == kName) return row.name;
      if (index.column() == kTime) return formatSeconds(row.microseconds * 1e-6);
      if (index.column() == kShare)
        return m_step > 0 ? formatShare(row.microseconds / m_step, 0) : QString();
      return {};
    case Qt::FontRole: {
      QFont font = QGuiApplication::font();
      font.setItalic(m_isPredicted && index.column() >= kTime);
      return font.italic() ? QVariant(font) : QVariant();
    }
    case Qt::AccessibleTextRole:
      if (index.column() == kBar)
        return m_largest > 0 ? formatPercent(row.microseconds / m_largest, 0) : QString();
      return data(index, Qt::DisplayRole);
    case Qt::ToolTipRole:
      if (!row.layer.isEmpty() && !m_changes.isSame(row.layer))
        return tr("Measured before the layer changed.\n%1").arg(row.detail);
      return row.detail;
    case Qt::TextAlignmentRole:
      return index.column() >= kTime ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                     : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case kFractionRole: return m_largest > 0 ? row.microseconds / m_largest : 0.0;
    case kLayerRole: return row.layer;
    case kColorRole: {
      const Colors& colors = colorsOf(QGuiApplication::palette());
      const int layer = row.layer.isEmpty() ? -1 : m_document.layers().indexOf(row.layer);
      if (!m_changes.isSame(row.layer)) return colors.border;
      return layer < 0 ? QVariant(colors.muted)
                       : QVariant(kindColor(m_document.layers()[layer].group, colors.isDark));
    }
    default: return {};
  }
}

QVariant TimeItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case kName: return m_grouping == Grouping::Layer ? tr("Layer") : tr("Op");
    case kTime: return tr("Step time");
    case kShare: return tr("Share");
    default: return QString();
  }
}

}  // namespace strata::ui
