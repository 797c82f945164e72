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
  // Of the layer; "" where the network is not known
  std::string name = {};
  // The loss takes class labels
  bool isSparseTarget = false;
  // Its type
  std::string loss = {};
  // Label that is no class: ignore_class of the loss
  std::optional<int32_t> ignored = {};
};

struct DataNeeds {
  // false: an error in a network of several inputs hides their names
  bool areEndsKnown = true;
  // Names of the Input layers; one "" where the network is not known
  std::vector<std::string> inputs{std::string()};
  // Of them, without the batch, where they are known
  std::vector<std::optional<Shape>> inputShapes = {};
  // Of the outputs that are trained
  std::vector<WantedTarget> targets = {};
  // Outputs whose targets may be there and are not looked at
  std::vector<std::string> untrained = {};
  /// Numbers of an output, for a sample; INT64_MAX where it is not known.
  std::function<int64_t(const std::string&)> outputSize = {};
  // The project's
  size_t memoryLimitBytes = SIZE_MAX;
};

}  // namespace strata
