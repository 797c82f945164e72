// SPDX-License-Identifier: Apache-2.0
// Encodes indices as vectors for CategoryEncoding and Discretization.
#include "core/layers/parts.h"

namespace strata {

ValueId encodedIndices(LayerContext& context, ValueId x, int64_t depth, const std::string& mode) {
  Graph& g = context.graph;
  Shape shape = g.shape(x);
  if (isFloating(g.type(x).dtype) || g.type(x).dtype == DType::U8) x = cast(g, x, DType::I32);
  if (shape.rank() == 1) x = reshape(g, x, shape = {shape[0], 1});
  if (mode == "one_hot") {
    if (shape[shape.rank() - 1] == 1) x = reshape(g, x, shape.without(-1));
    context.requireSize({g.shape(x).numElements(), depth});
    return oneHot(g, x, depth);
  }
  context.requireSize({shape.numElements(), depth});
  const ValueId rows = oneHot(g, x, depth);
  return mode == "count" ? reduceSum(g, rows, {1}) : reduceMax(g, rows, {1});
}

}  // namespace strata
