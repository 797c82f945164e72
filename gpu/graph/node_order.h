// SPDX-License-Identifier: Apache-2.0
// The execution order of a graph's nodes as a linked list, so that an edit takes constant time. The
// order is written out as a list on demand. Thread: as Graph.
#pragma once

#include <vector>

#include "gpu/base/ids.h"

namespace strata {

class NodeOrder {
 public:
  /// Inserts a node right before `before`, or at the end if `before` is invalid.
  void insert(NodeId node, NodeId before);
  void remove(NodeId node);
  /// Requires: each of the present nodes once.
  void assign(std::vector<NodeId> order);
  size_t size() const { return m_size; }
  const std::vector<NodeId>& list() const;

 private:
  struct Neighbours {
    NodeId previous, next;
  };
  Neighbours& at(NodeId node) { return m_neighbours[static_cast<size_t>(node.index)]; }

  // By node; only present nodes
  std::vector<Neighbours> m_neighbours;
  NodeId m_first, m_last;
  size_t m_size = 0;
  mutable std::vector<NodeId> m_list;
  mutable bool m_isListStale = false;
};

}  // namespace strata
