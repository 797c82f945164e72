// SPDX-License-Identifier: Apache-2.0
// Plans a training step for a device known only by its data sheet: whether it fits, the minimum
// time and what limits it. The graph is that of the CPU backend; workspaces of GPU kernels and the
// memory of the driver come in addition. Not here: plans for this machine (plan.h).
// Thread: blocks the caller.
#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/cost/catalogue.h"
#include "core/project/project.h"
#include "gpu/cost/roofline.h"

namespace strata {

struct DevicePlanLayer {
  // "": nodes that belong to no layer
  std::string name;
  double microseconds = 0;
  Limit limit = Limit::Compute;
};

/// The minimum time in one precision of the device.
struct DevicePlanPrecision {
  std::string name;
  double microseconds = 0;
  Limit limit = Limit::Compute;
};

struct DevicePlan {
  CatalogueDevice device;
  int64_t batchSize = 0;
  size_t peakBytes = 0, lowerBoundBytes = 0;
  bool fits = false;
  // Number of operations recomputed so that the step fits
  int repeated = 0;
  // Minimum time of an update in the precision of the project
  double microseconds = 0;
  Limit limit = Limit::Compute;
  // By Limit: time of the nodes that it limits
  std::array<double, 3> limitMicroseconds{};
  // Kernel launches per update
  int kernels = 0;
  // In the order of the model, "" last
  std::vector<DevicePlanLayer> layers;
  std::vector<DevicePlanPrecision> precisions;
};

/// The minimum launch overhead of a kernel: the distance between nodes of a CUDA graph.
constexpr double kKernelSeconds = 1.5e-6;

/// Requires: a valid project. batchSize 0: the project's. Fails like compiling; Stopped.
DevicePlan planForDevice(const CheckedProject& project, const CatalogueDevice& device,
                         int64_t batchSize = 0, const std::stop_token& stop = {});

}  // namespace strata
