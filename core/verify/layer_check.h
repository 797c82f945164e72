// SPDX-License-Identifier: Apache-2.0
// Runs one layer of a project, forward and backward, on a device and on the reference device, and
// compares its output and gradients. Not here: comparison with files of other frameworks
// (verify.h).
// Thread: the function blocks. It opens devices of its own, so any thread may call it.
#pragma once

#include <cstdint>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "core/project/diagnostic.h"
#include "core/project/project.h"
#include "gpu/base/error.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct LayerCheckOptions {
  // Name of the layer. In a Block, "block/0/conv", or "block/conv" for the first repeat. A Block
  // itself is checked as a whole.
  std::string layer;
  // Name of one device; "" for the first device of the project
  std::string device;
  // Run directory or weights file; "" for the initial weights of the seed
  std::string weights;
  // Where the inputs of the layer come from: the first training samples, through the layers before
  // it on the processor; or random numbers of a standard normal distribution
  bool usesData = true;
  // At most those of the data
  int64_t samples = 8;
  // For random numbers and initial weights; absent for the seed of the project
  std::optional<uint64_t> seed;
  int threads = 0;
  std::stop_token stop;
};

/// The comparison of a tensor on two devices.
struct TensorDifference {
  // "output", "gradient of input 1" or "gradient of conv/kernel"
  std::string name;
  // Such as "[8, 26, 26, 32]"
  std::string shape;
  // The largest difference, and the same divided by the largest magnitude of the reference.
  // Infinite if only one of the values is not finite
  double absolute = 0, relative = 0;
  // The largest number of float32 values between the value and that of the reference. Elements with
  // less than 1/1000 of the largest magnitude do not count, because there sums cancel out
  uint64_t ulps = 0;
  // What `relative` may be
  double tolerance = 0;
  // The position of the largest difference in row-major order, and its values
  int64_t index = 0;
  double expected = 0, got = 0;
  bool isEqual() const { return relative <= tolerance; }
};

struct LayerCheck {
  std::string layer, type, device;
  // Whether the inputs are those of the data. If they cannot be computed, random ones are used, and
  // `whyRandom` says why, as a sentence
  bool usesData = false;
  std::string whyRandom;
  int64_t samples = 0;
  // The output first
  std::vector<TensorDifference> tensors;
  bool isEqual() const;
  // One sentence that says the result
  Phrase verdict;
};

/// Requires: samples >= 1. Fails: InvalidArgument if the project has no such layer, or the layer
/// computes nothing; InvalidProject; UnsupportedOp; OutOfMemory; Stopped; also with the errors of
/// the device and of the weights file.
Result<LayerCheck> checkLayer(const Project& project, const LayerCheckOptions& options);

/// Compares the values of a tensor with those of the reference. Requires: equal types.
TensorDifference differenceOf(std::string name, const Tensor& expected, const Tensor& got,
                              double tolerance);

}  // namespace strata
