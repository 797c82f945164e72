// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the nodes of a training graph after one pass, with the changes of the pass. Thread: GUI
// thread.
#pragma once

#include <QAbstractTableModel>
#include <QSet>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/train/pass_trace.h"

namespace strata::ui {

struct NodeFilter {
  // Text that the name of the layer or the op must contain.
  QString words;
  bool changesOnly = false;
  // If this is set, only nodes of these layers are listed. A Block includes the layers inside it.
  std::optional<QSet<QString>> layers;
  bool operator==(const NodeFilter&) const = default;
};

class NodeItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Op, Layer, Phase, Shape, Memory, Time, Change, NumColumns };
  enum Role { ChangeRole = Qt::UserRole + 1 };

  using QAbstractTableModel::QAbstractTableModel;
  void setStage(std::shared_ptr<const PassTrace> trace, int stage);
  void setFilter(NodeFilter filter);
  const NodeFilter& filter() const { return m_filter; }
  /// Returns the layer's name in the network list: "block/layer" for every repetition of a Block.
  QString layerAt(int row) const;
  /// Returns for each value of TraceNode::layer whether that layer is in `layers` or in a Block in
  /// `layers`.
  std::vector<char> namesWithin(const QSet<QString>& layers) const;
  const TraceNode& nodeAt(int row) const {
    return nodes()[static_cast<size_t>(m_rows[static_cast<size_t>(row)])];
  }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const std::vector<TraceNode>& nodes() const {
    return *m_trace->stages[static_cast<size_t>(m_stage)].nodes;
  }
  QString name(int index) const { return m_names.value(index); }
  void rebuild();
  QString cell(const TraceNode& node, int column) const;

  std::shared_ptr<const PassTrace> m_trace;
  // The names of ops and layers in the graph, and the paths of the same layers in the document.
  QStringList m_names, m_paths;
  int m_stage = 0;
  NodeFilter m_filter;
  // Indices into nodes().
  std::vector<int> m_rows;
};

}  // namespace strata::ui
