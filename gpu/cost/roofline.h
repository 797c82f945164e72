// SPDX-License-Identifier: Apache-2.0
// Computes the minimum time of a step on a device from the device's data sheet. The time of a node
// is bounded by its arithmetic, its bytes and its kernel launch. The result is a bound, not a
// prediction, because kernels do not reach these limits.
// Not here: this machine's processor (predict.h), the list of devices (core/cost).
// Thread: any.
#pragma once

#include <string_view>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

enum class Limit : uint8_t { Compute, Memory, Launch };
/// Returns "compute", "memory" or "launch".
std::string_view limitName(Limit limit);

struct DeviceLimits {
  // The rate of matrix products and convolutions in the chosen precision
  double productFlopsPerSecond = 0;
  // The rate of all other operations
  double otherFlopsPerSecond = 0;
  double bytesPerSecond = 0;
  // The time to launch and finish a kernel
  double launchSeconds = 0;
  // The size of an element divided by the size of a float32
  double bytesFactor = 1;
};

struct NodeBound {
  NodeId node;
  double computeSeconds = 0, memorySeconds = 0, launchSeconds = 0;
  // The largest of the three times
  double seconds() const;
  Limit limit() const;
};

/// Returns the bounds of all nodes that have a kernel, in execution order. Requires: positive
/// rates.
std::vector<NodeBound> boundStep(const Graph& graph, const DeviceLimits& limits);

/// Returns the limit that bounds the largest part of the step's time.
Limit bindingLimit(const std::vector<NodeBound>& nodes);

}  // namespace strata
