// SPDX-License-Identifier: Apache-2.0
// What a network needs of its data, so that sources need not read model and training. Made by
// core/check. Thread: a value.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/tensor/shape.h"

namespace strata {

/// What an output that is trained wants to be compared with.
struct WantedTarget {
  std::string name = {};                // of the layer; "" where the network is not known
  bool isSparseTarget = false;          // the loss takes class labels
  std::string loss = {};                // its type
  std::optional<int32_t> ignored = {};  // label that is no class: ignore_class of the loss
};

struct DataNeeds {
  bool areEndsKnown = true;                            // false: an error in a network of several inputs hides their names
  std::vector<std::string> inputs{std::string()};      // names of the Input layers; one "" where the network is not known
  std::vector<std::optional<Shape>> inputShapes = {};  // of them, without the batch, where they are known
  std::vector<WantedTarget> targets = {};              // of the outputs that are trained
  std::vector<std::string> untrained = {};             // outputs whose targets may be there and are not looked at
  /// Numbers of an output, for a sample; INT64_MAX where it is not known.
  std::function<int64_t(const std::string&)> outputSize = {};
  size_t memoryLimitBytes = SIZE_MAX;  // the project's
};

}  // namespace strata
