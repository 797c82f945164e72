// SPDX-License-Identifier: Apache-2.0
// Plans a training step for a device from its data sheet: whether the step fits, its time, and what
// limits it. If the device can be simulated and has a kernel for every op, the plan uses its
// kernels with their workspaces and its clock. Otherwise it uses the graph of the CPU device
// without workspaces, and a minimum time. It does not include the memory of the driver. Not here:
// plans for this machine (plan.h).
// Thread: the function blocks the calling thread.
#pragma once

#include <array>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/cost/catalogue.h"
#include "core/project/project.h"
#include "core/runs/layer_times.h"
#include "gpu/cost/roofline.h"

namespace strata {

struct DevicePlanLayer {
  // Name of the layer; "" for nodes that belong to no layer
  std::string name;
  // The minimum time by the data sheet, with the update of the layer's weights
  double microseconds = 0;
  Limit limit = Limit::Compute;
};

/// The minimum time of an update in one of the device's precisions.
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
  // Number of operations that are recomputed so that the step fits
  int repeated = 0;
  // The time of an update by the clock of the simulated card, as in a run on it; absent unless
  // isSimulated
  std::optional<LayerTimes> predicted;
  // Minimum time of an update in the project's precision, by the data sheet
  double microseconds = 0;
  Limit limit = Limit::Compute;
  // Total time of the nodes with each Limit
  std::array<double, 3> limitMicroseconds{};
  // Number of kernel launches per update
  int kernels = 0;
  // Layers in the order of the model; the last entry "" is for nodes that belong to no layer
  std::vector<DevicePlanLayer> layers;
  // All precisions of the device, or only that of the project if it is bfloat16 or float16
  std::vector<DevicePlanPrecision> precisions;
  // Whether the memory is that of a simulated card, with its kernels and their workspaces. If not,
  // it is that of this machine's kernels without workspaces, and this is the reason, a sentence.
  bool isSimulated = false;
  std::string whyNotSimulated;
  // Bytes of workspaces at the peak; 0 unless isSimulated
  size_t workspaceBytes = 0;
};

/// Returns the limits of a device for a graph in this precision. Products have the rate of float32
/// if the data sheet gives none for the precision.
DeviceLimits limitsOfCard(const CatalogueDevice& device, Precision precision);

/// Returns the memory plan and the step times of the project on `device`. If `batchSize` is 0, uses
/// the project's batch size. Both are limited to the number of samples, as in training. Requires: a
/// valid project. Fails with the errors of StepBuilder, or with Stopped after a stop request.
DevicePlan planForDevice(const CheckedProject& project, const CatalogueDevice& device,
                         int64_t batchSize = 0, const std::stop_token& stop = {});

}  // namespace strata
