// SPDX-License-Identifier: Apache-2.0
// How replicas divide the state of an optimizer (ZeRO, Rajbhandari et al. 2020, stage 1): each one
// updates a part of the weights, and has the state of that part alone.
// Thread: plain values.
#pragma once

#include <cstdint>
#include <vector>

namespace strata {

/// A part of the elements of a variable, in row-major order.
struct ShardRange {
  int64_t begin = 0, count = 0;
};

class Shards {
 public:
  explicit Shards(int replicas) : m_replicas(replicas), m_loads(static_cast<size_t>(replicas)) {}
  int replicas() const { return m_replicas; }

  /// Adds the next variable, and returns the part of each replica. If its elements cannot be
  /// updated one by one, or there are few, one replica gets all of them: the one with the least.
  std::vector<ShardRange> add(int64_t elements, bool isDivisible);

 private:
  int m_replicas;
  std::vector<int64_t> m_loads;
};

}  // namespace strata
