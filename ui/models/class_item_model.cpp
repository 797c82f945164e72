// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/class_item_model.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// What a class does not have
static const QString kNone = u"—"_s;

void ClassItemModel::setClasses(const OutputClasses& classes, const std::vector<float>& before,
                                int64_t beforeStep) {
  m_beforeStep = before.empty() ? std::nullopt : std::optional(beforeStep);
  const Confusion& confusion = classes.confusion;
  const bool isSame = std::ssize(m_rows) == confusion.classes;
  if (!isSame) beginResetModel();
  m_rows.assign(static_cast<size_t>(confusion.classes), {});
  for (int64_t k = 0; k < confusion.classes; ++k) {
    const auto at = static_cast<size_t>(k);
    Row& row = m_rows[at];
    row.name = text(classes.classNames[at]);
    row.scores = confusion.scores(k);
    row.change = row.scores.samples > 0 && at < before.size()
                     ? row.scores.recall - static_cast<double>(before[at])
                     : std::numeric_limits<double>::quiet_NaN();
    for (int64_t other = 0; other < confusion.classes; ++other)
      if (other != k && confusion.at(k, other) > 0)
        row.takenFor.emplace_back(other, confusion.at(k, other));
    std::ranges::stable_sort(row.takenFor, std::ranges::greater(),
                             &std::pair<int64_t, int64_t>::second);
  }
  if (!isSame)
    endResetModel();
  else if (!m_rows.empty())
    Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, kNumColumns - 1));
}

void ClassItemModel::clear() {
  if (m_rows.empty()) return;
  beginResetModel();
  m_rows.clear();
  endResetModel();
}

QVariant ClassItemModel::shown(const Row& row, int column) const {
  switch (column) {
    case kName: return row.name;
    case kAccuracy: return row.scores.samples > 0 ? formatPercent(row.scores.recall) : kNone;
    case kChange: {
      if (std::isnan(row.change)) return kNone;
      const QString size = formatPercent(std::abs(row.change));
      if (size == formatPercent(0)) return size;
      return (row.change > 0 ? u"+"_s : u"−"_s) + size;
    }
    case kSamples: return formatCount(row.scores.samples);
    case kTakenFor: return row.takenFor.empty() ? kNone : mistakesOf(row, 1);
    default: return {};
  }
}

/// Returns the classes that the samples of a class are taken for, with their numbers.
QString ClassItemModel::mistakesOf(const Row& row, size_t most) const {
  QStringList words;
  for (size_t i = 0; i < std::min(most, row.takenFor.size()); ++i)
    words << tr("%1 (%2)").arg(m_rows[static_cast<size_t>(row.takenFor[i].first)].name,
                               formatCount(row.takenFor[i].second));
  return listed(words);
}

QVariant ClassItemModel::sorted(size_t index, int column) const {
  const Row& row = m_rows[index];
  switch (column) {
    case kName: return static_cast<qulonglong>(index);
    // Classes without samples come last, because nothing is known of them
    case kAccuracy: return row.scores.samples > 0 ? row.scores.recall : 2.0;
    case kChange: return std::isnan(row.change) ? 2.0 : row.change;
    case kSamples: return static_cast<qlonglong>(row.scores.samples);
    default: return static_cast<qlonglong>(row.takenFor.empty() ? 0 : row.takenFor[0].second);
  }
}

QVariant ClassItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const auto row = static_cast<size_t>(index.row());
  switch (role) {
    case Qt::DisplayRole: return shown(m_rows[row], index.column());
    case kSortRole: return sorted(row, index.column());
    case Qt::ToolTipRole: {
      constexpr size_t kMost = 8;
      const Row& about = m_rows[row];
      if (about.scores.samples == 0) return tr("The validation has no sample of this class.");
      return about.takenFor.empty() ? tr("No sample of this class is taken for another one.")
                                    : tr("Seen as: %1").arg(mistakesOf(about, kMost));
    }
    case Qt::TextAlignmentRole: return headerData(index.column(), Qt::Horizontal, role);
    default: return {};
  }
}

int ClassItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int ClassItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : kNumColumns;
}

QVariant ClassItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return QVariant((section == kName || section == kTakenFor ? Qt::AlignLeft : Qt::AlignRight) |
                    Qt::AlignVCenter);
  if (role == Qt::ToolTipRole) {
    switch (section) {
      case kAccuracy:
        return tr("The share of the samples of this class that are recognized (recall).");
      case kChange:
        return m_beforeStep ? tr("Since the validation of step %1.").arg(formatCount(*m_beforeStep))
                            : tr("Since the validation before.");
      case kTakenFor: return tr("The class that its samples are most often taken for.");
      default: return {};
    }
  }
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case kName: return tr("Class");
    case kAccuracy: return tr("Accuracy");
    case kChange: return tr("Change");
    case kSamples: return tr("Samples");
    case kTakenFor: return tr("Seen as");
    default: return {};
  }
}

}  // namespace strata::ui
