// SPDX-License-Identifier: Apache-2.0
// The minimum cut of a flow network, by its maximum flow.
// Source: Y. Dinitz, "Algorithm for solution of a problem of maximum flow in networks with power
// estimation", 1970.
// Thread: a value type.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::cuda {

class MinCut {
 public:
  /// The capacity of an edge that must not be cut.
  static constexpr int64_t kInfinite = INT64_MAX / 4;

  /// Creates a network with the vertices 0 to numVertices - 1, among them source and sink.
  explicit MinCut(int numVertices) : m_edgesOf(static_cast<size_t>(numVertices)) {}
  static constexpr int kSource = 0, kSink = 1;
  int addVertex() {
    m_edgesOf.emplace_back();
    return static_cast<int>(m_edgesOf.size()) - 1;
  }
  /// Adds an edge. A cut with `from` on the side of the source and `to` on the side of the sink
  /// costs its capacity. The capacities of all finite edges together must fit in 61 bits.
  void add(int from, int to, int64_t capacity);
  /// Returns for each vertex whether it is on the side of the sink in the minimum cut. Of several
  /// minimum cuts, returns the one with the fewest vertices there. May be called once.
  std::vector<char> solve();

 private:
  struct Edge {
    int to;
    // Residual capacity
    int64_t residual;
  };
  bool findLevels();
  bool augment();

  // Edge 2 i + 1 is the reverse of edge 2 i
  std::vector<Edge> m_edges;
  std::vector<std::vector<int>> m_edgesOf;
  std::vector<int> m_levels;
  std::vector<size_t> m_next;
};

}  // namespace strata::cuda
