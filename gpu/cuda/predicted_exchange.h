// SPDX-License-Identifier: Apache-2.0
// Predicts what simulated cards of one process do together in a step, by their clock
// (gpu/cost/card_clock.h): the kernels that pack and unpack, the copies between cards, and how long
// the stream that computes waits for them. The cards are equal, so none waits for operands of
// another one. Nothing runs.
// Source: what CardSum and CardGather add to the streams (card_sum.cpp, card_gather.cpp).
// Thread: plain values.
#pragma once

#include <chrono>
#include <map>

#include "gpu/cuda/card.h"
#include "gpu/graph/graph.h"

namespace strata::cuda {

class PredictedExchange {
 public:
  explicit PredictedExchange(const CardData& data) : m_data(data) {}
  /// Returns whether take() knows the work of a node: sums over cards, and gathered updates.
  static bool knows(const Node& node);

  struct Times {
    // Kernels on the stream that computes
    std::chrono::nanoseconds own{0};
    // For which that stream waits for the exchange
    std::chrono::nanoseconds exposed{0};
  };
  /// Adds a node, in the order of the step. `now` is the time from the begin of the step to the
  /// node, and `work` describes it.
  /// Requires: knows(node).
  Times take(const Graph& graph, const Node& node, const StrataWork& work,
             std::chrono::nanoseconds now);

 private:
  std::chrono::nanoseconds launches(const StrataWork& work, size_t count) const;
  Times takeSum(const Graph& graph, const Node& node, const StrataWork& work,
                std::chrono::nanoseconds now);
  Times takeGather(const Graph& graph, const Node& node, const StrataWork& work) const;

  const CardData& m_data;
  // When the stream for communication is free, and when the sum of a number is there
  std::chrono::nanoseconds m_free{0};
  std::map<int64_t, std::chrono::nanoseconds> m_summed;
};

}  // namespace strata::cuda
