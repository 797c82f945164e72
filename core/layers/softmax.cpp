// SPDX-License-Identifier: Apache-2.0
// Softmax computes probabilities that sum to 1 along one dimension, or over several dimensions
// together.
// Formula: y = exp(x) / sum(exp(x)).
// Input: any shape.
// Output: the same shape.
// Gradient: derived from its ops.
// Numerics: does not overflow.
// Errors: out_of_range for a wrong axis.
// Source: Keras 3, keras.layers.Softmax.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerSoftmax(LayerContext& context) {
  Graph& g = context.graph;
  const std::vector<int64_t> axes = axesOf(context, "axis");
  const ValueId x = context.floatInput();
  if (axes.size() == 1) return softmax(g, x, static_cast<int>(axes[0]));
  const ValueId e = exp(g, subtract(g, x, reduceMax(g, x, axes, true)));
  return divide(g, e, reduceSum(g, e, axes, true));
}

}  // namespace

const LayerDef& softmaxLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Softmax",
                 .group = "Activation",
                 .help = STRATA_TEXT("layers", "Turns values into probabilities that sum to 1"),
                 .formula = "y = exp(x) / sum(exp(x))",
                 .source = "Keras 3, keras.layers.Softmax",
                 .fields = {axisField("-1", true,
                                      STRATA_TEXT("layers",
                                                  "Dimension or dimensions along which values sum "
                                                  "to 1; 0 is the batch, -1 the last dimension"))}},
      .lower = lowerSoftmax,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
