// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/node_item_model.h"

#include <QFont>

#include "core/model/model.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

void NodeItemModel::setStage(std::shared_ptr<const PassTrace> trace, int stage) {
  beginResetModel();
  if (trace != m_trace) {
    m_names.clear();
    m_paths.clear();
    if (trace) {
      for (const std::string& name : trace->names) {
        m_names << text(name);
        m_paths << text(pathOfLayer(name));
      }
    }
  }
  m_trace = std::move(trace);
  m_stage = stage;
  rebuild();
  endResetModel();
}

void NodeItemModel::setFilter(NodeFilter filter) {
  if (filter == m_filter) return;
  beginResetModel();
  m_filter = std::move(filter);
  rebuild();
  endResetModel();
}

void NodeItemModel::rebuild() {
  m_rows.clear();
  if (!m_trace) return;
  // The filter is evaluated once per name, because many nodes share a name.
  std::vector<char> hasWords(static_cast<size_t>(m_names.size()), 1);
  const std::vector<char> isChosen = m_filter.layers ? namesWithin(*m_filter.layers) : hasWords;
  for (int i = 0; i < m_names.size(); ++i) {
    const auto at = static_cast<size_t>(i);
    hasWords[at] = m_filter.words.isEmpty() ||
                   m_names[i].contains(m_filter.words, Qt::CaseInsensitive) ||
                   m_paths[i].contains(m_filter.words, Qt::CaseInsensitive);
  }
  const std::vector<TraceNode>& all = nodes();
  for (size_t i = 0; i < all.size(); ++i) {
    const TraceNode& node = all[i];
    const auto op = static_cast<size_t>(node.op), layer = static_cast<size_t>(node.layer);
    if (m_filter.changesOnly && node.change == TraceNode::Change::Same) continue;
    if (isChosen[layer] && (hasWords[op] || hasWords[layer])) m_rows.push_back(static_cast<int>(i));
  }
}

QString NodeItemModel::layerAt(int row) const {
  return row < 0 || row >= rowCount() ? QString() : m_paths.value(nodeAt(row).layer);
}

std::vector<char> NodeItemModel::namesWithin(const QSet<QString>& layers) const {
  std::vector<char> result;
  result.reserve(static_cast<size_t>(m_paths.size()));
  for (const QString& path : m_paths) {
    bool isWithin = layers.contains(path);
    for (qsizetype slash = path.indexOf(u'/'); !isWithin && slash > 0;
         slash = path.indexOf(u'/', slash + 1))
      isWithin = layers.contains(path.left(slash));
    result.push_back(isWithin);
  }
  return result;
}

int NodeItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int NodeItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : NumColumns;
}

QString NodeItemModel::cell(const TraceNode& node, int column) const {
  switch (column) {
    case Op: return name(node.op);
    case Layer: return name(node.layer);
    case Phase:
      switch (node.phase) {
        case strata::Phase::Forward: return tr("forward");
        case strata::Phase::Backward: return tr("backward");
        case strata::Phase::Update: return tr("update");
      }
      return {};
    case Shape: {
      const QString shape = formatShape(node.type.shape);
      return node.type.dtype == DType::F32
                 ? shape
                 : tr("%1, %2").arg(shape, text(std::string(dtypeName(node.type.dtype))));
    }
    case Memory: return formatBytes(static_cast<double>(node.bytes));
    case Time: return node.seconds > 0 ? formatSeconds(node.seconds) : QString();
    case Change:
      switch (node.change) {
        case TraceNode::Change::Same: return {};
        case TraceNode::Change::Added: return tr("new");
        case TraceNode::Change::Changed: return tr("changed");
        case TraceNode::Change::Moved: return tr("moved");
        case TraceNode::Change::Removed: return tr("removed");
      }
      return {};
    default: return {};
  }
}

QVariant NodeItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid()) return {};
  const TraceNode& node = nodeAt(index.row());
  switch (role) {
    case Qt::DisplayRole: return cell(node, index.column());
    case ChangeRole: return static_cast<int>(node.change);
    case Qt::FontRole: {
      QFont font;
      font.setItalic(index.column() == Time);
      font.setStrikeOut(node.change == TraceNode::Change::Removed && index.column() == Op);
      return font;
    }
    case Qt::TextAlignmentRole:
      return index.column() >= Shape && index.column() <= Time
                 ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                 : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
    case Qt::ToolTipRole: {
      QString words = tr("%1, node %2").arg(name(node.op)).arg(node.id);
      if (node.layer >= 0 && !name(node.layer).isEmpty())
        words = tr("%1 of %2, node %3").arg(name(node.op), name(node.layer)).arg(node.id);
      return index.column() == Time
                 ? tr("%1\nPredicted with the cost model of the op, for comparing nodes").arg(words)
                 : words;
    }
    default: return {};
  }
}

QVariant NodeItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section >= Shape && section <= Time ? QVariant(Qt::AlignRight | Qt::AlignVCenter)
                                               : QVariant(Qt::AlignLeft | Qt::AlignVCenter);
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Op: return tr("Op");
    case Layer: return tr("Layer");
    case Phase: return tr("Phase");
    case Shape: return tr("Result");
    case Memory: return tr("Memory");
    case Time: return tr("Predicted time");
    case Change: return tr("Change");
    default: return {};
  }
}

}  // namespace strata::ui
