// SPDX-License-Identifier: Apache-2.0
// Does what a data set holds fit what a network does with it: labels within its outputs, indices
// within its Embedding. A number outside would become NaN without a word. Not here: shapes
// (network.h). Thread: pure functions.
#pragma once

#include <optional>
#include <vector>

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

struct DataMisfit {
  // That cannot take it
  std::string layer;
  // Of the layer
  std::string field;
  // File and row
  std::string place;
  std::string message;
};

/// The first sample that does not fit. classes: numbers of each output that is trained; none where
/// they are not known.
std::optional<DataMisfit> findMisfit(const Dataset& dataset, const Model& model,
                                     const TrainingOptions& training,
                                     const std::vector<int64_t>& classes);
/// Highest index that a layer right behind an Input can take; absent where none looks its numbers
/// up in a table.
struct IndexLimit {
  std::string layer;
  // Indices 0..count-1
  int64_t count = 0;
};
std::optional<IndexLimit> indexLimit(const Model& model, const std::string& input);

}  // namespace strata
