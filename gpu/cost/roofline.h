// SPDX-License-Identifier: Apache-2.0
// The minimum time of a step on a device known only by its data sheet, from each node's arithmetic,
// bytes and kernel launch. This is a bound, not a forecast: no kernel reaches all limits.
// Not here: this machine's processor (predict.h), the list of devices (core/cost).
// Thread: pure.
#pragma once

#include <string_view>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

enum class Limit : uint8_t { Compute, Memory, Launch };
// "compute", "memory", "launch"
std::string_view limitName(Limit limit);

struct DeviceLimits {
  // For products and convolutions in the chosen precision
  double productFlopsPerSecond = 0;
  // For all other operations
  double otherFlopsPerSecond = 0;
  double bytesPerSecond = 0;
  // Time to launch and finish a kernel
  double launchSeconds = 0;
  // Bytes of a value divided by those of float32
  double bytesFactor = 1;
};

struct NodeBound {
  NodeId node;
  double computeSeconds = 0, memorySeconds = 0, launchSeconds = 0;
  // The largest of the three times
  double seconds() const;
  Limit limit() const;
};

/// The nodes that run, in order. Requires: positive rates.
std::vector<NodeBound> boundStep(const Graph& graph, const DeviceLimits& limits);

/// The limit whose nodes take most of the time.
Limit bindingLimit(const std::vector<NodeBound>& nodes);

}  // namespace strata
