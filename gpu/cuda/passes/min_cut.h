// SPDX-License-Identifier: Apache-2.0
// The cheapest division of a network into two sides, by the largest flow through it.
// Source: Y. Dinitz, "Algorithm for solution of a problem of maximum flow in networks with power
// estimation", 1970.
// Thread: a value type.
#pragma once

#include <cstdint>
#include <vector>

namespace strata::cuda {

class MinCut {
 public:
  /// The cost of what must not be separated.
  static constexpr int64_t kInfinite = INT64_MAX / 4;

  /// Creates a network with the places 0 to numPlaces - 1. Place kSource is on the first side, and
  /// kSink on the second one.
  explicit MinCut(int numPlaces) : m_edgesOf(static_cast<size_t>(numPlaces)) {}
  static constexpr int kSource = 0, kSink = 1;
  int addPlace() {
    m_edgesOf.emplace_back();
    return static_cast<int>(m_edgesOf.size()) - 1;
  }
  /// Adds `cost` to every division with `from` on the first side and `to` on the second one. The
  /// costs of all divisions must fit in 63 bits, unless they are infinite.
  void add(int from, int to, int64_t cost);
  /// Returns for each place whether it is on the second side in the cheapest division. Of several
  /// cheapest ones, returns the one with the fewest places on the second side. May be called once.
  std::vector<char> solve();

 private:
  struct Edge {
    int to;
    int64_t left;
  };
  bool findLevels();
  bool sendOnePath();

  // Edge 2 i + 1 is the reverse of edge 2 i
  std::vector<Edge> m_edges;
  std::vector<std::vector<int>> m_edgesOf;
  std::vector<int> m_levels;
  std::vector<size_t> m_next;
};

}  // namespace strata::cuda
