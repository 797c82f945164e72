// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/confusion_item_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/format.h"
#include "ui/theme/colors.h"

namespace strata::ui {

void ConfusionItemModel::setConfusion(std::optional<Confusion> confusion, QStringList names) {
  beginResetModel();
  m_confusion = std::move(confusion);
  m_names = std::move(names);
  m_largest = 0;
  m_largestMistake = 1;
  for (int64_t r = 0; m_confusion && r < m_confusion->classes; ++r)
    for (int64_t c = 0; c < m_confusion->classes; ++c) {
      m_largest = std::max(m_largest, m_confusion->at(r, c));
      if (r != c) m_largestMistake = std::max(m_largestMistake, m_confusion->at(r, c));
    }
  endResetModel();
}

void ConfusionItemModel::setColors(const Colors& colors) {
  m_fill = colors.cost;
  m_hits = colors.muted;
  m_behind = colors.card;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, rowCount() - 1));
}

void ConfusionItemModel::setCountsShown(bool isShown) {
  if (isShown == m_areCountsShown) return;
  m_areCountsShown = isShown;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, rowCount() - 1));
}

int ConfusionItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || !m_confusion ? 0 : static_cast<int>(m_confusion->classes);
}

/// Returns the colour of a cell, which is the stronger the more samples it has; nullopt if the cell
/// has none.
std::optional<QColor> ConfusionItemModel::fillOf(const QModelIndex& index) const {
  const bool isHit = index.row() == index.column();
  const int64_t count = m_confusion->at(index.row(), index.column());
  if (count == 0 || (isHit && m_areCountsShown)) return std::nullopt;
  QColor fill = isHit ? m_hits : m_fill;
  const auto whole = static_cast<double>(isHit ? m_largest : m_largestMistake);
  fill.setAlphaF((isHit ? 0.05 : 0.15) +
                 (isHit ? 0.35 : 0.75) * std::sqrt(static_cast<double>(count) / whole));
  return fill;
}

QVariant ConfusionItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const bool isHit = index.row() == index.column();
  const int64_t count = m_confusion->at(index.row(), index.column());
  switch (role) {
    case Qt::DisplayRole: return count > 0 && m_areCountsShown ? QString::number(count) : QString();
    case Qt::ToolTipRole:
    case Qt::AccessibleTextRole:
      return tr("%1 predicted as %2: %n time(s)", nullptr, pluralOf(count))
          .arg(className(index.row()), className(index.column()));
    case Qt::TextAlignmentRole: return QVariant(Qt::AlignCenter);
    case Qt::ForegroundRole: {
      if (isHit) return m_hits;
      const std::optional<QColor> fill = fillOf(index);
      return fill ? QVariant(textColorOn(*fill, m_behind)) : QVariant();
    }
    case Qt::BackgroundRole: {
      const std::optional<QColor> fill = fillOf(index);
      return fill ? QVariant(*fill) : QVariant();
    }
    default: return {};
  }
}

QVariant ConfusionItemModel::headerData(int section, Qt::Orientation, int role) const {
  if (role == Qt::DisplayRole || role == Qt::ToolTipRole) return className(section);
  if (role == Qt::TextAlignmentRole) return QVariant(Qt::AlignCenter);
  return {};
}

}  // namespace strata::ui
