// SPDX-License-Identifier: Apache-2.0
// A training step on a device that is only known by its data sheet: does it fit, the least time it
// can take, and what that time goes to. The graph is that of the processor's backend; a GPU's own
// kernels need workspaces besides, and its driver some hundred megabytes.
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
  // "": what belongs to no layer
  std::string name;
  double microseconds = 0;
  Limit limit = Limit::Compute;
};

/// The least time of one precision the device computes in.
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
  // Operations that run twice so that it fits
  int repeated = 0;
  // Of an update in the project's precision
  double microseconds = 0;
  Limit limit = Limit::Compute;
  // By Limit: of the nodes that it decides
  std::array<double, 3> limitMicroseconds{};
  // Starts in an update
  int kernels = 0;
  // In order of the model, "" last
  std::vector<DevicePlanLayer> layers;
  std::vector<DevicePlanPrecision> precisions;
};

/// A kernel's start and end on a GPU, at best: how far apart the nodes of a CUDA graph run.
constexpr double kKernelSeconds = 1.5e-6;

/// Requires: a valid project. batchSize 0: the project's. Fails: as compile; Stopped.
DevicePlan planForDevice(const CheckedProject& project, const CatalogueDevice& device,
                         int64_t batchSize = 0, const std::stop_token& stop = {});

}  // namespace strata
