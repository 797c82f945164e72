// SPDX-License-Identifier: Apache-2.0
// What each column of a table contributes to a score: the sum of the map over the values that the
// column has, such as those of one-hot categories.
// Thread: the function is pure, so any thread may call it.
#pragma once

#include <vector>

#include "core/data/table.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct ColumnContribution {
  TableCell cell;
  double contribution = 0;
};

/// Returns the contribution of each column, in the order of the encoding. `row` has the encoded
/// values of the sample before the transforms, and `map` the contribution of each (see
/// Explainer::gradientTimesInput). Fails: ShapeMismatch if they do not have the width of the
/// encoding.
std::vector<ColumnContribution> columnContributions(const TableEncoding& encoding,
                                                    const Tensor& row, const Tensor& map);

}  // namespace strata
