// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph/node_order.h"

namespace strata {

void NodeOrder::insert(NodeId node, NodeId before) {
  const auto needed = static_cast<size_t>(node.index) + 1;
  if (m_neighbours.size() < needed) m_neighbours.resize(needed);
  at(node) = {before.isValid() ? at(before).previous : m_last, before};
  (at(node).previous.isValid() ? at(at(node).previous).next : m_first) = node;
  (before.isValid() ? at(before).previous : m_last) = node;
  ++m_size;
  if (before.isValid())
    m_isListStale = true;
  else if (!m_isListStale)
    m_list.push_back(node);
}

void NodeOrder::remove(NodeId node) {
  const Neighbours neighbours = at(node);
  (neighbours.previous.isValid() ? at(neighbours.previous).next : m_first) = neighbours.next;
  (neighbours.next.isValid() ? at(neighbours.next).previous : m_last) = neighbours.previous;
  --m_size;
  m_isListStale = true;
}

void NodeOrder::assign(std::vector<NodeId> order) {
  m_first = m_last = {};
  m_size = 0;
  m_list.clear();
  m_isListStale = false;
  for (const NodeId node : order)
    insert(node, {});
}

const std::vector<NodeId>& NodeOrder::list() const {
  if (!m_isListStale) return m_list;
  m_list.clear();
  m_list.reserve(m_size);
  for (NodeId node = m_first; node.isValid();
       node = m_neighbours[static_cast<size_t>(node.index)].next)
    m_list.push_back(node);
  m_isListStale = false;
  return m_list;
}

}  // namespace strata
