// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/passes/min_cut.h"

#include <algorithm>

namespace strata::cuda {

void MinCut::add(int from, int to, int64_t capacity) {
  if (capacity <= 0) return;
  const int edge = static_cast<int>(m_edges.size());
  m_edges.push_back({to, std::min(capacity, kInfinite)});
  m_edges.push_back({from, 0});
  m_edgesOf[static_cast<size_t>(from)].push_back(edge);
  m_edgesOf[static_cast<size_t>(to)].push_back(edge + 1);
}

/// Counts the edges with residual capacity from the source to each vertex. Returns whether there is
/// a path to the sink.
bool MinCut::findLevels() {
  m_levels.assign(m_edgesOf.size(), -1);
  m_levels[kSource] = 0;
  std::vector<int> reached{kSource};
  for (size_t i = 0; i < reached.size(); ++i)
    for (const int edge : m_edgesOf[static_cast<size_t>(reached[i])]) {
      const Edge& each = m_edges[static_cast<size_t>(edge)];
      int& level = m_levels[static_cast<size_t>(each.to)];
      if (each.residual == 0 || level >= 0) continue;
      level = m_levels[static_cast<size_t>(reached[i])] + 1;
      reached.push_back(each.to);
    }
  return m_levels[kSink] >= 0;
}

/// Sends as much flow as possible along one augmenting path of rising levels. Returns whether there
/// is one.
bool MinCut::augment() {
  std::vector<size_t> path;
  int vertex = kSource;
  while (vertex != kSink) {
    const std::vector<int>& edges = m_edgesOf[static_cast<size_t>(vertex)];
    size_t& next = m_next[static_cast<size_t>(vertex)];
    const int level = m_levels[static_cast<size_t>(vertex)];
    while (next < edges.size()) {
      const Edge& edge = m_edges[static_cast<size_t>(edges[next])];
      if (edge.residual > 0 && m_levels[static_cast<size_t>(edge.to)] == level + 1) break;
      ++next;
    }
    if (next < edges.size()) {
      path.push_back(static_cast<size_t>(edges[next]));
      vertex = m_edges[path.back()].to;
      continue;
    }
    if (path.empty()) return false;
    // Nothing leads on from here
    vertex = m_edges[path.back() ^ 1].to;
    path.pop_back();
    ++m_next[static_cast<size_t>(vertex)];
  }
  int64_t most = kInfinite;
  for (const size_t edge : path)
    most = std::min(most, m_edges[edge].residual);
  for (const size_t edge : path) {
    m_edges[edge].residual -= most;
    m_edges[edge ^ 1].residual += most;
  }
  return true;
}

std::vector<char> MinCut::solve() {
  while (findLevels()) {
    m_next.assign(m_edgesOf.size(), 0);
    while (augment()) {
    }
  }
  // Vertices with a path to the sink are on its side
  std::vector<char> isOfSink(m_edgesOf.size(), 0);
  isOfSink[kSink] = 1;
  std::vector<int> found{kSink};
  for (size_t i = 0; i < found.size(); ++i)
    for (const int edge : m_edgesOf[static_cast<size_t>(found[i])]) {
      // The reverse of an edge leads from its vertex to this one
      const int from = m_edges[static_cast<size_t>(edge)].to;
      char& isFound = isOfSink[static_cast<size_t>(from)];
      if (isFound != 0 || m_edges[static_cast<size_t>(edge ^ 1)].residual == 0) continue;
      isFound = 1;
      found.push_back(from);
    }
  return isOfSink;
}

}  // namespace strata::cuda
