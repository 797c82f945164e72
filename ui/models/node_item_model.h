// SPDX-License-Identifier: GPL-3.0-or-later
// The nodes of a step's graph after one pass as rows, with the changes of the pass. Thread: GUI
// thread.
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
  // Text in the name of the layer or the op
  QString words;
  bool changesOnly = false;
  // These layers, with the contents of the Blocks among them; nullopt: all
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
  /// The name in the network list; "block/layer" for every repetition of a Block
  QString layerAt(int row) const;
  /// For each StoryNode::layer: is it one of these layers, or in one of these Blocks?
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
  // Layer names of the story: as in its graph, and as in the document
  QStringList m_names, m_paths;
  int m_stage = 0;
  NodeFilter m_filter;
  // Indices into nodes()
  std::vector<int> m_rows;
};

}  // namespace strata::ui
