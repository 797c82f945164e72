// SPDX-License-Identifier: Apache-2.0
// The least time a step can take on a device that is only known by its data sheet: each node needs
// its arithmetic, its bytes and its start. A bound, not a forecast: no kernel reaches all limits.
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
  // Of products and convolutions in the chosen precision
  double productFlopsPerSecond = 0;
  // Of everything else
  double otherFlopsPerSecond = 0;
  double bytesPerSecond = 0;
  // A kernel's start and end
  double launchSeconds = 0;
  // Values take this share of float32's bytes
  double bytesFactor = 1;
};

struct NodeBound {
  NodeId node;
  double computeSeconds = 0, memorySeconds = 0, launchSeconds = 0;
  // The largest of the three
  double seconds() const;
  Limit limit() const;
};

/// Nodes that run, in order. Requires: positive rates.
std::vector<NodeBound> boundStep(const Graph& graph, const DeviceLimits& limits);

/// What decides the sum: the limit whose nodes take most of the time.
Limit bindingLimit(const std::vector<NodeBound>& nodes);

}  // namespace strata
