// SPDX-License-Identifier: Apache-2.0
// The least time a step can take on a device that is only known by its data sheet: each node needs its arithmetic, its bytes and its start.
// A bound, not a forecast: no kernel reaches all limits. Not here: this machine's processor (predict.h), the list of devices (core/cost).
// Thread: pure.
#pragma once

#include <string_view>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

enum class Limit : uint8_t { Compute, Memory, Launch };
std::string_view limitName(Limit limit);  // "compute", "memory", "launch"

struct DeviceLimits {
  double productFlopsPerSecond = 0;  // of products and convolutions in the chosen precision
  double otherFlopsPerSecond = 0;    // of everything else
  double bytesPerSecond = 0;
  double launchSeconds = 0;  // a kernel's start and end
  double bytesFactor = 1;    // values take this share of float32's bytes
};

struct NodeBound {
  NodeId node;
  double computeSeconds = 0, memorySeconds = 0, launchSeconds = 0;
  double seconds() const;  // the largest of the three
  Limit limit() const;
};

/// Nodes that run, in order. Requires: positive rates.
std::vector<NodeBound> boundStep(const Graph& graph, const DeviceLimits& limits);

/// What decides the sum: the limit whose nodes take most of the time.
Limit bindingLimit(const std::vector<NodeBound>& nodes);

}  // namespace strata
