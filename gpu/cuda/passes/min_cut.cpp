// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/passes/min_cut.h"

#include <algorithm>

namespace strata::cuda {

void MinCut::add(int from, int to, int64_t cost) {
  if (cost <= 0) return;
  const int edge = static_cast<int>(m_edges.size());
  m_edges.push_back({to, std::min(cost, kInfinite)});
  m_edges.push_back({from, 0});
  m_edgesOf[static_cast<size_t>(from)].push_back(edge);
  m_edgesOf[static_cast<size_t>(to)].push_back(edge + 1);
}

/// Counts the edges with room from the source to each place. Returns whether the sink is reached.
bool MinCut::findLevels() {
  m_levels.assign(m_edgesOf.size(), -1);
  m_levels[kSource] = 0;
  std::vector<int> reached{kSource};
  for (size_t i = 0; i < reached.size(); ++i)
    for (const int edge : m_edgesOf[static_cast<size_t>(reached[i])]) {
      const Edge& each = m_edges[static_cast<size_t>(edge)];
      int& level = m_levels[static_cast<size_t>(each.to)];
      if (each.left == 0 || level >= 0) continue;
      level = m_levels[static_cast<size_t>(reached[i])] + 1;
      reached.push_back(each.to);
    }
  return m_levels[kSink] >= 0;
}

/// Sends as much as fits along one path of rising levels. Returns whether there is one.
bool MinCut::sendOnePath() {
  std::vector<size_t> path;
  int place = kSource;
  while (place != kSink) {
    const std::vector<int>& edges = m_edgesOf[static_cast<size_t>(place)];
    size_t& next = m_next[static_cast<size_t>(place)];
    const int level = m_levels[static_cast<size_t>(place)];
    while (next < edges.size()) {
      const Edge& edge = m_edges[static_cast<size_t>(edges[next])];
      if (edge.left > 0 && m_levels[static_cast<size_t>(edge.to)] == level + 1) break;
      ++next;
    }
    if (next < edges.size()) {
      path.push_back(static_cast<size_t>(edges[next]));
      place = m_edges[path.back()].to;
      continue;
    }
    if (path.empty()) return false;
    // Nothing leads on from here
    place = m_edges[path.back() ^ 1].to;
    path.pop_back();
    ++m_next[static_cast<size_t>(place)];
  }
  int64_t most = kInfinite;
  for (const size_t edge : path)
    most = std::min(most, m_edges[edge].left);
  for (const size_t edge : path) {
    m_edges[edge].left -= most;
    m_edges[edge ^ 1].left += most;
  }
  return true;
}

std::vector<char> MinCut::solve() {
  while (findLevels()) {
    m_next.assign(m_edgesOf.size(), 0);
    while (sendOnePath()) {
    }
  }
  // Places from which the sink can be reached are on the second side
  std::vector<char> isSecond(m_edgesOf.size(), 0);
  isSecond[kSink] = 1;
  std::vector<int> found{kSink};
  for (size_t i = 0; i < found.size(); ++i)
    for (const int edge : m_edgesOf[static_cast<size_t>(found[i])]) {
      // The reverse of an edge leads from its place to this one
      const int from = m_edges[static_cast<size_t>(edge)].to;
      char& is = isSecond[static_cast<size_t>(from)];
      if (is != 0 || m_edges[static_cast<size_t>(edge ^ 1)].left == 0) continue;
      is = 1;
      found.push_back(from);
    }
  return isSecond;
}

}  // namespace strata::cuda
