// SPDX-License-Identifier: Apache-2.0
// What a network needs of its data, so that sources do not depend on model and training. Filled by
// core/check.
// Thread: a value.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/tensor/shape.h"

namespace strata {

/// The target that a trained output needs.
struct WantedTarget {
  // Name of the layer; "" if the network is not known
  std::string name = {};
  // The loss needs class labels
  bool isSparseTarget = false;
  // Type of the loss
  std::string loss = {};
  // Label to ignore: ignore_class of the loss
  std::optional<int32_t> ignored = {};
};

struct DataNeeds {
  // False if an error in a network with several inputs hides their names
  bool areEndsKnown = true;
  // Names of the Input layers; a single "" if the network is not known
  std::vector<std::string> inputs{std::string()};
  // Shapes of the Input layers, without the batch, if known
  std::vector<std::optional<Shape>> inputShapes = {};
  // Targets of the trained outputs
  std::vector<WantedTarget> targets = {};
  // Outputs whose targets may exist and are ignored
  std::vector<std::string> untrained = {};
  /// Values of an output per sample; INT64_MAX if not known.
  std::function<int64_t(const std::string&)> outputSize = {};
  // Memory limit of the project
  size_t memoryLimitBytes = SIZE_MAX;
};

}  // namespace strata
