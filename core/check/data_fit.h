// SPDX-License-Identifier: Apache-2.0
// Checks that the values of a data set fit the network: labels within its outputs, indices within
// its Embedding. A value out of range would silently become NaN. Not here: shapes (core/model).
// Thread: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

struct DataMisfit {
  // The layer that cannot use the value
  std::string layer;
  // Field of the layer
  std::string field;
  // File and row of the sample
  std::string place;
  std::string message;
};

/// The first sample that does not fit. classes: number of classes of each trained output; empty if
/// not known.
std::optional<DataMisfit> findMisfit(const Dataset& dataset, const Model& model,
                                     const TrainingOptions& training,
                                     const std::vector<int64_t>& classes);
/// The number of indices that a layer directly after an Input accepts; absent if no layer uses its
/// inputs as indices.
struct IndexLimit {
  std::string layer;
  // Indices 0..count-1
  int64_t count = 0;
};
std::optional<IndexLimit> indexLimit(const Model& model, const std::string& input);

}  // namespace strata
