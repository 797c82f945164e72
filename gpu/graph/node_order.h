// SPDX-License-Identifier: Apache-2.0
// The execution order of a graph's nodes. It is stored as a linked list, so that an edit takes
// constant time. list() copies it to a vector after an edit. Thread: the class has no locks.
// Several threads may call list() if it was called once after the last edit.
#pragma once

#include <vector>

#include "gpu/base/ids.h"

namespace strata {

class NodeOrder {
 public:
  /// Inserts a node directly before `before`, or at the end if `before` is invalid.
  void insert(NodeId node, NodeId before);
  void remove(NodeId node);
  /// Replaces the order. Requires: `order` contains each node once.
  void assign(std::vector<NodeId> order);
  size_t size() const { return m_size; }
  /// Returns the nodes in order. The reference is valid until the next change.
  const std::vector<NodeId>& list() const;

 private:
  struct Neighbours {
    NodeId previous, next;
  };
  Neighbours& at(NodeId node) { return m_neighbours[static_cast<size_t>(node.index)]; }

  // The neighbours of each node, indexed by NodeId::index. Elements of nodes that are not in the
  // order are not used.
  std::vector<Neighbours> m_neighbours;
  NodeId m_first, m_last;
  size_t m_size = 0;
  mutable std::vector<NodeId> m_list;
  mutable bool m_isListStale = false;
};

}  // namespace strata
