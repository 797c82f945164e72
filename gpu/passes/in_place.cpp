// SPDX-License-Identifier: Apache-2.0
// Lets results lie over operands that nothing reads any more. The graph stays as it is: the planner
// of memory decides by the ops' mayAlias, and asks whether this pass is on. What it saves is
// reported here.
//
//   before:  x [64 KiB], y = relu(x) [64 KiB]        after:  x and y in the same 64 KiB
#include "gpu/memory/liveness.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

void reportInPlace(Graph& graph, PassReport& report) {
  const StorageCount with = countStorages(graph, true), without = countStorages(graph, false);
  report.rewrites = without.storages - with.storages;
  if (report.rewrites == 0) return;
  const auto saved =
      static_cast<long long>(without.liveBytes) - static_cast<long long>(with.liveBytes);
  report.details.push_back(
      std::to_string(report.rewrites) + " values reuse the memory of an operand; the step needs " +
      std::to_string(saved) + " fewer bytes (" + std::to_string(without.liveBytes) + " -> " +
      std::to_string(with.liveBytes) + ")");
}

}  // namespace strata
