// SPDX-License-Identifier: Apache-2.0
// Runs one layer of a project, forward and backward, on a device and on the reference device, and
// compares its output and gradients. Not here: comparison with files of other frameworks (verify.h).
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

namespace strata {

struct LayerCheckOptions {
  // Name of the layer; "block/0/conv" or "block/conv" (the first repeat) in a Block
  std::string layer;
  // Name of the device; "" for the first device of the project
  std::string device;
  // Run directory or weights file; "" for the initial weights of the seed
  std::string weights;
  // Where the inputs of the layer come from: the first training samples, through the layers before
  // it on the reference device, or random numbers of a standard normal distribution
  bool usesData = true;
  // How many samples; at most those of the data
  int64_t samples = 8;
  std::optional<uint64_t> seed;
  int threads = 0;
  std::stop_token stop;
};

/// The comparison of a tensor on two devices.
struct TensorDifference {
  // "output", "gradient of input <layer>", "gradient of <variable>"
  std::string name;
  std::string shape;
  // The largest absolute difference, the largest difference relative to the largest magnitude of
  // the reference, and the largest number of float32 values between two values. An element whose
  // difference is below `tolerance` of the largest magnitude does not count for the last one.
  double absolute = 0, relative = 0;
  uint64_t ulps = 0;
  // What `relative` may be
  double tolerance = 0;
  // The element with the largest absolute difference, and its values
  int64_t index = 0;
  double expected = 0, got = 0;
  bool isEqual() const { return relative <= tolerance; }
};

struct LayerCheck {
  std::string layer, type, device;
  // Whether the inputs are those of the data. If they cannot be computed, random ones are used, and
  // `whyRandom` says why, as the rest of a sentence
  bool usesData = false;
  std::string whyRandom;
  int64_t samples = 0;
  // The output first
  std::vector<TensorDifference> tensors;
  bool isEqual = false;
  // One sentence that says the result
  Phrase verdict;
};

/// Fails: InvalidArgument if the project has no such layer; InvalidProject; UnsupportedOp;
/// OutOfMemory; Stopped; also with the errors of the device and of the weights file.
Result<LayerCheck> checkLayer(const Project& project, const LayerCheckOptions& options);

}  // namespace strata
