// SPDX-License-Identifier: Apache-2.0
// Checks that the values of a data set fit the network: labels must be below the number of outputs,
// and indices must be in the table of an Embedding. An invalid value would silently become NaN. Not
// here: shapes (core/model).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <optional>
#include <vector>

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

struct DataMisfit {
  // Name of the layer that cannot use the value
  std::string layer;
  // Field of the layer
  std::string field;
  // The file and row of the sample
  std::string place;
  std::string message;
};

/// Returns the first sample with a value that does not fit, or nullopt. `classes` contains the
/// number of classes of each trained output; it is empty if the numbers are not known.
std::optional<DataMisfit> findMisfit(const Dataset& dataset, const Model& model,
                                     const TrainingOptions& training,
                                     const std::vector<int64_t>& classes);
/// A layer with a table, and the number of indices that it accepts.
struct IndexLimit {
  std::string layer;
  // The layer accepts the indices 0 to count - 1.
  int64_t count = 0;
};
/// Returns the smallest limit among the layers that use the values of this Input layer as indices.
/// Returns nullopt if no layer does.
std::optional<IndexLimit> indexLimit(const Model& model, const std::string& input);

}  // namespace strata
