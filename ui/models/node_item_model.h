// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of a step's graph after one pass as rows, with what the pass changed. Thread: the
// window's.
#pragma once

#include <QAbstractTableModel>
#include <QSet>
#include <QString>
#include <memory>
#include <optional>
#include <vector>

#include "core/train/pass_story.h"

namespace strata::ui {

struct NodeFilter {
  // In the name of the layer or the op
  QString words;
  bool changesOnly = false;
  // With what is in those that are Blocks; absent: all
  std::optional<QSet<QString>> layers;
  bool operator==(const NodeFilter&) const = default;
};

class NodeItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Op, Layer, Phase, Shape, Memory, Time, Change, NumColumns };
  enum Role { ChangeRole = Qt::UserRole + 1 };

  using QAbstractTableModel::QAbstractTableModel;
  void setStage(std::shared_ptr<const PassStory> story, int stage);
  void setFilter(NodeFilter filter);
  const NodeFilter& filter() const { return m_filter; }
  /// As the network list calls it: of every repeat of a Block "block/layer".
  QString layerAt(int row) const;
  /// By StoryNode::layer: is it one of these layers, or in a Block of them?
  std::vector<char> namesWithin(const QSet<QString>& layers) const;
  const StoryNode& nodeAt(int row) const {
    return nodes()[static_cast<size_t>(m_rows[static_cast<size_t>(row)])];
  }

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  const std::vector<StoryNode>& nodes() const {
    return *m_story->stages[static_cast<size_t>(m_stage)].nodes;
  }
  QString name(int index) const { return m_names.value(index); }
  void rebuild();
  QString cell(const StoryNode& node, int column) const;

  std::shared_ptr<const PassStory> m_story;
  // Of the story; as in its graph, and as in the document
  QStringList m_names, m_paths;
  int m_stage = 0;
  NodeFilter m_filter;
  // Of nodes()
  std::vector<int> m_rows;
};

}  // namespace strata::ui
