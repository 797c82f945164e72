// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/layer_item_model.h"

#include <QHash>
#include <QMimeData>
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/project/input_ref.h"
#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/document/edits.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

const QString kLayerTypeMime = u"application/x-strata-layer-type"_s;
const QString kLayerNamesMime = u"application/x-strata-layer-names"_s;

LayerItemModel::LayerItemModel(QObject* parent) : QAbstractTableModel(parent) {}

void LayerItemModel::setDocument(Document* document) {
  if (m_document) {
    m_document->disconnect(this);
    m_kept[m_document] = m_folding;
    connect(m_document, &QObject::destroyed, this, [this](QObject* gone) { m_kept.erase(gone); });
  }
  beginResetModel();
  m_document = document;
  m_folding = {};
  if (const auto kept = m_kept.find(document); document && kept != m_kept.end())
    m_folding = kept->second;
  m_rows = readRows();
  readConnections();
  endResetModel();
  if (!document) return;
  connect(document, &Document::changed, this, &LayerItemModel::syncRows);
  connect(document, &Document::selectionChanged, this, &LayerItemModel::showSelection);
  connect(document, &Document::inspectionChanged, this, &LayerItemModel::refreshFigures);
  connect(document, &Document::estimateChanged, this, &LayerItemModel::refreshFigures);
  showSelection();
  refreshFigures();
}

void LayerItemModel::setCostKind(CostKind kind) {
  m_costKind = kind;
  refreshFigures();
  Q_EMIT headerDataChanged(Qt::Horizontal, Cost, Cost);
}

void LayerItemModel::setMeasured(std::optional<MeasuredTimes> measured) {
  m_measured = std::move(measured);
  refreshFigures();
}

void LayerItemModel::setCompact(bool compact) {
  if (compact == m_isCompact) return;
  m_isCompact = compact;
  Q_EMIT headerDataChanged(Qt::Horizontal, MultiplyAdds, MultiplyAdds);
}

QString LayerItemModel::costTitle(CostKind kind) {
  switch (kind) {
    case CostKind::Time: return tr("Time");
    case CostKind::Memory: return tr("Memory");
    case CostKind::Parameters: return tr("Parameters");
    case CostKind::MultiplyAdds: return tr("Multiply-adds");
  }
  return {};
}

QString LayerItemModel::layerAt(const QModelIndex& index) const {
  return index.isValid() ? m_rows[index.row()].name : QString();
}

QModelIndex LayerItemModel::indexOf(const QString& layer) const {
  for (int row = 0; row < m_rows.size(); ++row) {
    if (m_rows[row].name == layer) return index(row, 0);
  }
  return {};
}

QModelIndex LayerItemModel::indexOf(const LayerPath& layer) const {
  for (int row = 0; row < m_rows.size(); ++row) {
    if (m_rows[row].path == layer) return index(row, 0);
  }
  return indexOf(text(layer.text()));
}

LayerPath LayerItemModel::pathAt(const QModelIndex& index) const {
  return index.isValid() ? m_rows[index.row()].path : LayerPath();
}

int LayerItemModel::documentRow(int row) const {
  if (row < m_documentRows.size()) return m_documentRows[row];
  return m_document ? static_cast<int>(m_document->layers().size()) : 0;
}

/// Returns the layers of the document except those in folded Blocks.
QList<LayerEntry> LayerItemModel::readRows() {
  QList<LayerEntry> rows;
  m_documentRows.clear();
  if (!m_document) return rows;
  followBlocks();
  const LayerEntries& all = m_document->layers();
  int foldedDepth = -1;
  for (int row = 0; row < all.size(); ++row) {
    const LayerEntry& entry = all[row];
    if (foldedDepth >= 0 && entry.depth > foldedDepth) continue;
    foldedDepth = m_folding.blocks.contains(entry.name) ? entry.depth : -1;
    rows << entry;
    m_documentRows << row;
  }
  return rows;
}

/// Updates the folded Blocks after an edit. A renamed Block stays folded.
void LayerItemModel::followBlocks() {
  const std::map<QString, std::string> before = std::exchange(m_folding.pointers, {});
  for (const LayerEntry& entry : m_document->layers()) {
    if (entry.type == u"Block"_s) m_folding.pointers.emplace(entry.name, entry.pointer());
  }
  for (const QString& block : m_folding.blocks.values()) {
    if (m_folding.pointers.contains(block)) continue;
    m_folding.blocks.remove(block);
    const auto old = before.find(block);
    for (const auto& [name, pointer] : m_folding.pointers) {
      const bool isRenamed = old != before.end() && pointer == old->second;
      if (isRenamed && !before.contains(name)) m_folding.blocks.insert(name);
    }
  }
}

void LayerItemModel::setFolded(const QString& block, bool folded) {
  if (!m_document || folded == m_folding.blocks.contains(block)) return;
  if (folded) {
    m_folding.blocks.insert(block);
  }
  else {
    m_folding.blocks.remove(block);
  }
  syncRows();
  if (!folded) return;
  // In the selection, the Block replaces its layers, which are now hidden.
  QList<LayerPath> selection = m_document->selectedLayers();
  for (LayerPath& layer : selection) {
    if (text(layer.text()).startsWith(block + u'/')) layer = m_document->layers().pathOf(block);
  }
  m_document->select(selection);
}

/// Unfolds Blocks that contain selected layers.
void LayerItemModel::showSelection() {
  bool wasHidden = false;
  for (const QString& layer : m_document->selection()) {
    for (qsizetype slash = layer.indexOf(u'/'); slash > 0; slash = layer.indexOf(u'/', slash + 1))
      wasHidden = m_folding.blocks.remove(layer.left(slash)) || wasHidden;
  }
  if (wasHidden) syncRows();
}

/// Updates the rows after an edit. Unchanged rows at the beginning and at the end stay in the
/// model, so that views keep their position and selection.
void LayerItemModel::syncRows() {
  const QList<LayerEntry> next = readRows();
  const auto isSame = [](const LayerEntry& a, const LayerEntry& b) {
    return a.name == b.name && a.type == b.type;
  };
  qsizetype head = 0;
  while (head < m_rows.size() && head < next.size() && isSame(m_rows[head], next[head]))
    ++head;
  qsizetype tail = 0;
  while (tail < m_rows.size() - head && tail < next.size() - head &&
         isSame(m_rows[m_rows.size() - 1 - tail], next[next.size() - 1 - tail]))
    ++tail;
  // The lanes belong to the old rows. readConnections() computes the new ones.
  m_lanes.clear();
  const qsizetype removed = m_rows.size() - head - tail, inserted = next.size() - head - tail;
  // If as many rows were added as removed, layers were renamed or replaced, and their rows stay in
  // the model.
  if (removed > 0 && removed == inserted) {
    m_rows = next;
  }
  else {
    if (removed > 0) {
      beginRemoveRows({}, static_cast<int>(head), static_cast<int>(head + removed - 1));
      m_rows.remove(head, removed);
      endRemoveRows();
    }
    if (inserted > 0) {
      beginInsertRows({}, static_cast<int>(head), static_cast<int>(head + inserted - 1));
      m_rows = next;
      endInsertRows();
    }
    m_rows = next;
  }
  readConnections();
  refreshFigures();
}

/// Finds the inputs of each row and computes the lanes. An input refers to the first layer with its
/// name in the same list.
void LayerItemModel::readConnections() {
  const auto numRows = static_cast<size_t>(m_rows.size());
  QHash<QString, int> rowOf;
  const auto keyOf = [](const LayerEntry& entry, const QString& label) {
    return text(entry.list) + u'\n' + label;
  };
  std::map<std::pair<std::string, int>, int> rowAt;
  for (int row = 0; row < m_rows.size(); ++row) {
    const LayerEntry& entry = m_rows[row];
    const QString key = keyOf(entry, entry.label);
    if (!rowOf.contains(key)) rowOf.insert(key, row);
    rowAt.emplace(std::pair(entry.list, entry.place()), row);
  }
  std::vector<std::vector<int>> sources(numRows);
  std::vector<int> before(numRows, -1);
  m_inputs = QStringList(m_rows.size());
  for (int row = 0; row < m_rows.size(); ++row) {
    const LayerEntry& entry = m_rows[row];
    const auto at = static_cast<size_t>(row);
    const auto found = rowAt.find({entry.list, entry.place() - 1});
    if (found != rowAt.end() && entry.type != u"Input"_s) before[at] = found->second;
    if (entry.inputs.isEmpty()) {
      if (before[at] >= 0) sources[at] = {before[at]};
      continue;
    }
    for (const QString& input : entry.inputs) {
      const QString layer = text(inputRefOf(input.toStdString()).layer);
      sources[at].push_back(rowOf.value(keyOf(entry, layer), -1));
    }
    const bool isPlain = before[at] >= 0 && entry.inputs == QStringList(m_rows[before[at]].label);
    if (!isPlain) m_inputs[row] = entry.inputs.join(u", "_s);
  }
  m_lanes = branchLanes(sources, before);
}

bool LayerItemModel::hasBranches() const {
  return std::any_of(m_inputs.begin(), m_inputs.end(),
                     [](const QString& inputs) { return !inputs.isEmpty(); });
}

void LayerItemModel::refreshFigures() {
  m_largestCost = 0;
  for (int row = 0; row < m_rows.size(); ++row)
    m_largestCost = std::max(m_largestCost, cost(row));
  if (!m_rows.isEmpty())
    Q_EMIT dataChanged(index(0, 0), index(static_cast<int>(m_rows.size()) - 1, NumColumns - 1));
  Q_EMIT headerDataChanged(Qt::Horizontal, 0, NumColumns - 1);
}

int LayerItemModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}
int LayerItemModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : NumColumns;
}

QString LayerItemModel::outputText(int row) const {
  const LayerSummary* summary = m_document->checks().summary(documentRow(row));
  if (!summary) return {};
  return summary->outputShape ? formatShape(*summary->outputShape) : tr("unknown");
}

double LayerItemModel::cost(int row) const {
  if (!m_document) return -1;
  const std::string name = m_rows[row].name.toStdString();
  const Estimate& estimate = m_document->checks().estimate();
  const LayerSummary* summary = m_document->checks().summary(documentRow(row));
  switch (m_costKind) {
    case CostKind::Time: {
      return timeOfLayer(*m_document, m_measured, m_rows[row].name).seconds;
    }
    case CostKind::Memory: {
      if (!estimate.hasMemory) return -1;
      const auto found = estimate.bytesByLayer.find(name);
      return found == estimate.bytesByLayer.end() ? 0 : found->second;
    }
    case CostKind::Parameters:
      return summary && summary->isKnown ? static_cast<double>(summary->parameters) : -1;
    case CostKind::MultiplyAdds: return summary && summary->isKnown ? summary->multiplyAdds : -1;
  }
  return -1;
}

QString LayerItemModel::costText(int row) const {
  const double value = cost(row);
  if (value < 0) return {};
  switch (m_costKind) {
    case CostKind::Time: return value > 0 ? formatSeconds(value) : QString();
    case CostKind::Memory: return value > 0 ? formatBytes(value) : QString();
    case CostKind::Parameters:
      return value > 0 ? formatCount(static_cast<int64_t>(value)) : QString();
    case CostKind::MultiplyAdds: return value > 0 ? formatMagnitude(value) : QString();
  }
  return {};
}

QString LayerItemModel::costSource() const {
  if (!m_document) return {};
  if (m_costKind == CostKind::Time) return sourceOfTimes(*m_document, m_measured);
  const Estimate& estimate = m_document->checks().estimate();
  return m_costKind == CostKind::Memory && estimate.hasMemory
             ? tr("Predicted at the peak, %1")
                   .arg(deviceTitle(DeviceName(estimate.device).single()))
             : QString();
}

QString LayerItemModel::costSourceTip() const {
  const QString source = costSource();
  const bool isPredicted = m_document && m_costKind == CostKind::Time && !m_measured;
  const QString warning = busyWarning(isPredicted && m_document->checks().estimate().isBusy);
  return warning.isEmpty() ? source : source + u'\n' + warning;
}

/// Returns the origin of a cost, or the reason why it is missing.
QString LayerItemModel::costNote(int row) const {
  if (m_costKind == CostKind::Time) {
    const LayerTime time = timeOfLayer(*m_document, m_measured, m_rows[row].name);
    if (time.seconds < 0) return time.source;
    if (time.seconds == 0) return tr("not timed separately");
    const QString note = tr("%1 per step, %2").arg(formatSeconds(time.seconds), time.source);
    return time.warning.isEmpty() ? note : note + u'\n' + time.warning;
  }
  if (cost(row) >= 0) return {};
  return m_costKind == CostKind::Memory ? m_document->checks().estimate().whyNoMemory
                                        : m_document->checks().estimate().whyNoTime;
}

QVariant LayerItemModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || !m_document || index.row() >= m_rows.size()) return {};
  const LayerEntry& row = m_rows[index.row()];
  const LayerSummary* summary = m_document->checks().summary(documentRow(index.row()));
  switch (role) {
    case Qt::EditRole:
      if (index.column() == Name) return row.label;
      [[fallthrough]];
    case Qt::DisplayRole:
      switch (index.column()) {
        case Name: return row.label.isEmpty() ? tr("(no name)") : row.label;
        case Type: return row.summary.isEmpty() ? tr("(no type)") : row.summary;
        case Inputs: return m_inputs.value(index.row());
        case Output: return outputText(index.row());
        case Parameters:
          return summary && summary->parameters > 0 ? formatCount(summary->parameters) : QString();
        case MultiplyAdds:
          return summary && summary->multiplyAdds > 0 ? formatMagnitude(summary->multiplyAdds)
                                                      : QString();
        case Cost: return costText(index.row());
        default: return {};
      }
    case Qt::ToolTipRole:
    case Qt::AccessibleDescriptionRole: {
      QStringList lines;
      for (const Diagnostic& diagnostic : m_document->checks().inspection().diagnostics) {
        if (text(diagnostic.layer) == row.name ||
            (m_folding.blocks.contains(row.name) &&
             text(diagnostic.layer).startsWith(row.name + u'/')))
          lines << translated(diagnostic);
      }
      if (!lines.isEmpty()) return lines.join(u'\n');
      if (index.column() == Cost || (index.column() == Name && m_costKind == CostKind::Time))
        return costNote(index.row());
      if (index.column() == Inputs && !m_inputs.value(index.row()).isEmpty())
        return tr("Inputs: %1").arg(m_inputs.value(index.row()));
      return index.column() == Type ? row.summary : QVariant();
    }
    case Qt::TextAlignmentRole:
      return QVariant::fromValue(Qt::AlignVCenter |
                                 (index.column() >= Output && index.column() <= MultiplyAdds
                                      ? Qt::AlignRight
                                      : Qt::AlignLeft));
    case GroupRole: return row.group;
    case DepthRole: return row.depth;
    case LanesRole: {
      const auto at = static_cast<size_t>(index.row());
      return QVariant::fromValue(at < m_lanes.size() ? m_lanes[at] : RowLanes());
    }
    case FoldRole:
      if (row.type != u"Block"_s) return 0;
      return m_folding.blocks.contains(row.name) ? 1 : 2;
    case SeverityRole: {
      const auto severity =
          m_document->checks().severity(row.name, m_folding.blocks.contains(row.name));
      if (!severity) return 0;
      return *severity == Severity::Error ? 2 : 1;
    }
    case CostFractionRole:
      return m_largestCost > 0 ? std::max(0.0, cost(index.row())) / m_largestCost : 0.0;
    case IsPredictedRole:
      if (index.column() != Cost) return false;
      return m_costKind == CostKind::Memory ||
             (m_costKind == CostKind::Time &&
              timeOfLayer(*m_document, m_measured, row.name).isPredicted);
    case IsStaleRole:
      return index.column() == Cost && m_costKind == CostKind::Time &&
             timeOfLayer(*m_document, m_measured, row.name).isStale;
    default: return {};
  }
}

QString LayerItemModel::multiplyAddsTitle(bool isCompact) const {
  return m_document && !isCompact ? tr("Multiply-adds, batch size %1")
                                        .arg(formatCount(m_document->checked().recipe().batchSize))
                                  : tr("Multiply-adds");
}

QVariant LayerItemModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) {
    return QVariant::fromValue(
        Qt::AlignVCenter |
        (section >= Output && section <= MultiplyAdds ? Qt::AlignRight : Qt::AlignLeft));
  }
  if (role == Qt::ToolTipRole && section == Cost && m_document) return costSourceTip();
  if (role != Qt::DisplayRole) return {};
  switch (section) {
    case Name: return tr("Layer");
    case Type: return tr("Type");
    case Inputs: return tr("Inputs");
    case Output: return tr("Output");
    case Parameters: return tr("Parameters");
    case MultiplyAdds: return multiplyAddsTitle(m_isCompact);
    case Cost: return costTitle(m_costKind);
    default: return {};
  }
}

Qt::ItemFlags LayerItemModel::flags(const QModelIndex& index) const {
  if (!index.isValid()) return Qt::ItemIsDropEnabled;
  Qt::ItemFlags flags =
      Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled | Qt::ItemNeverHasChildren;
  if (index.column() == Name) flags |= Qt::ItemIsEditable;
  return flags;
}

bool LayerItemModel::setData(const QModelIndex& index, const QVariant& value, int role) {
  if (role != Qt::EditRole || !index.isValid() || index.column() != Name || !m_document)
    return false;
  const QString name = value.toString().trimmed();
  if (name.isEmpty() || name == m_rows[index.row()].label) return false;
  return submitRename(*m_document, m_rows[index.row()].path, name);
}

QStringList LayerItemModel::mimeTypes() const { return {kLayerTypeMime, kLayerNamesMime}; }

QMimeData* LayerItemModel::mimeData(const QModelIndexList& indexes) const {
  QStringList names, rows;
  for (const QModelIndex& index : indexes) {
    if (index.column() != Name) continue;
    names << layerAt(index);
    rows << text(pathAt(index).pointer()) + u' ' + names.last();
  }
  auto* data = new QMimeData;
  data->setData(kLayerNamesMime, rows.join(u'\n').toUtf8());
  data->setText(names.join(u'\n'));
  return data;
}

Qt::DropActions LayerItemModel::supportedDropActions() const {
  return Qt::CopyAction | Qt::MoveAction;
}

bool LayerItemModel::canDropMimeData(const QMimeData* data, Qt::DropAction, int, int,
                                     const QModelIndex&) const {
  return m_document && (data->hasFormat(kLayerTypeMime) || data->hasFormat(kLayerNamesMime));
}

bool LayerItemModel::dropMimeData(const QMimeData* data, Qt::DropAction action, int row, int,
                                  const QModelIndex& parent) {
  if (!canDropMimeData(data, action, row, 0, parent)) return false;
  int before = row;
  if (row < 0) before = parent.isValid() ? parent.row() + 1 : rowCount();
  const int target = documentRow(before);
  if (data->hasFormat(kLayerTypeMime)) {
    submitAdd(*m_document, QString::fromUtf8(data->data(kLayerTypeMime)), target);
  }
  else {
    const QString lines = QString::fromUtf8(data->data(kLayerNamesMime));
    QList<LayerPath> layers;
    for (const QString& line : lines.split(u'\n', Qt::SkipEmptyParts)) {
      const std::string pointer = line.section(u' ', 0, 0).toStdString();
      const QString name = line.section(u' ', 1);
      const auto& all = m_document->layers();
      const auto found = std::find_if(all.begin(), all.end(), [&](const LayerEntry& entry) {
        return entry.name == name && entry.pointer() == pointer;
      });
      layers << (found != all.end() ? found->path : m_document->layers().pathOf(name));
    }
    submitMove(*m_document, layers, target);
  }
  // The edit has updated the rows, so the view must not remove the dragged rows.
  return false;
}

}  // namespace strata::ui
