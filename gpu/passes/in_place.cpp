// SPDX-License-Identifier: Apache-2.0
// Reports how much memory is saved by writing results over operands that are no longer needed. The
// pass does not change the graph. If it is enabled, the memory planner uses the ops' mayAlias.
//
//   before:  x [64 KiB], y = relu(x) [64 KiB]        after:  x and y in the same 64 KiB
#include "gpu/memory/liveness.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

void reportInPlace(Graph& graph, const DeviceTraits& device, PassReport& report) {
  const StorageCount with = countStorages(graph, true, device.alignment),
                     without = countStorages(graph, false, device.alignment);
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
