// SPDX-License-Identifier: Apache-2.0
#include "core/compile/process_sums.h"

#include <algorithm>
#include <ranges>
#include <utility>

#include "gpu/ops/build.h"

namespace strata {
namespace {

/// Divides values that are summed over processes into buckets, each of which is summed as soon as
/// it is there. The gradients of the last layers come first, and with them the loss and new values.
/// The division depends only on the model, because replicas whose shares differ may have different
/// graphs.
std::vector<std::vector<ValueId*>> bucketsOf(const Graph& graph, std::vector<ValueId*> gradients,
                                             std::vector<ValueId*> others) {
  constexpr size_t kMinBytes = 1 << 20, kMaxBuckets = 16;
  size_t total = 0;
  for (const ValueId* place : gradients)
    total += graph.type(*place).bytes();
  const size_t limit = std::max(kMinBytes, total / kMaxBuckets);
  std::vector<std::vector<ValueId*>> buckets{std::move(others)};
  size_t bytes = 0;
  for (ValueId* place : std::views::reverse(gradients)) {
    if (bytes >= limit) {
      buckets.emplace_back();
      bytes = 0;
    }
    buckets.back().push_back(place);
    bytes += graph.type(*place).bytes();
  }
  return buckets;
}

}  // namespace

void sumOverProcesses(Graph& graph, std::vector<ValueId*> gradients, std::vector<ValueId*> others,
                      int processes, bool isPacked) {
  const std::vector<std::vector<ValueId*>> buckets =
      bucketsOf(graph, std::move(gradients), std::move(others));
  std::vector<std::vector<ValueId>> started;
  const auto placeOf = [&](size_t bucket) {
    return SumPlace{static_cast<int64_t>(bucket), std::ssize(buckets), processes, isPacked};
  };
  for (const std::vector<ValueId*>& bucket : buckets) {
    std::vector<ValueId> values;
    for (const ValueId* place : bucket)
      values.push_back(*place);
    started.push_back(startAllReduce(graph, std::move(values), placeOf(started.size())));
  }
  for (size_t i = 0; i < buckets.size(); ++i) {
    const std::vector<ValueId> sums = finishAllReduce(graph, std::move(started[i]), placeOf(i));
    for (size_t k = 0; k < sums.size(); ++k)
      *buckets[i][k] = sums[k];
  }
}

}  // namespace strata
