// SPDX-License-Identifier: Apache-2.0
// Describes what a network requires of its data. Sources use this description, so that they do not
// depend on model and training. core/check fills it in.
// Thread: a value type without shared state.
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
  // Whether the loss needs class labels
  bool isSparseTarget = false;
  // Type of the loss
  std::string loss = {};
  // Label that the loss ignores (its field ignore_class)
  std::optional<int32_t> ignored = {};
};

struct DataNeeds {
  // False if the network has several inputs, but an error hides their names
  bool areNamesKnown = true;
  // Names of the Input layers; a single "" if the network is not known
  std::vector<std::string> inputs{std::string()};
  // Shapes of the Input layers without the batch, if they are known
  std::vector<std::optional<Shape>> inputShapes = {};
  // Targets of the trained outputs
  std::vector<WantedTarget> targets = {};
  // Outputs without a loss. The data may contain targets for them, which are ignored.
  std::vector<std::string> untrained = {};
  /// Returns the number of values per sample of an output, or INT64_MAX if it is not known.
  std::function<int64_t(const std::string&)> outputSize = {};
  // Memory limit of the project
  size_t memoryLimitBytes = SIZE_MAX;
};

}  // namespace strata
