// SPDX-License-Identifier: Apache-2.0
// Dense computes each output as a weighted sum of all inputs.
// Formula: y = activation(x W + b).
// Input: [N, ..., in]; only the last dimension changes.
// Output: [N, ..., units].
// Variables: W [in,units] `kernel`, b [units] `bias`.
// Gradient: derived from its ops.
// Numerics: float32 products.
// Errors: shape_mismatch for an input without a feature dimension.
// Source: Keras 3, keras.layers.Dense.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerDense(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  if (in.rank() < 2)
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the input has the shape %1 (expected [features]). Insert a Reshape "
                             "before this layer."),
                 {shapeWithoutBatch(in).toString()});
  const int64_t features = in.dim(-1), units = context.integer("units");
  ValueId x = context.floatInput();
  if (in.rank() > 2) x = reshape(g, x, {in.numElements() / features, features});
  ValueId y = matmul(g, x,
                     context.variable("kernel", {features, units}, "kernel_initializer", true, 0, 0,
                                      "kernel_regularizer"));
  if (context.boolean("use_bias"))
    y = add(g, y,
            context.variable("bias", {units}, "bias_initializer", true, 0, 0, "bias_regularizer"));
  if (in.rank() == 2) return context.activate(y);
  // An activation along an axis needs the full shape. Other activations directly follow the matrix
  // product, so that a pass can fuse them.
  const Json& activation_ = context.fields.at("activation");
  const bool isAlongAxis = !activation_.is_null() && activation_.contains("axis");
  Shape out = in;
  out.set(in.rank() - 1, units);
  return isAlongAxis ? context.activate(reshape(g, y, out)) : reshape(g, context.activate(y), out);
}

}  // namespace

const LayerDef& denseLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Dense",
                 .group = "Dense",
                 .help = STRATA_TEXT(
                     "layers",
                     "Fully connected layer: every output is a weighted sum of all inputs"),
                 .formula = "y = activation(x W + b)",
                 .source = "Keras 3, keras.layers.Dense",
                 .fields = {{.name = "units",
                             .type = FieldType::Integer,
                             .exampleJson = "64",
                             .minimum = 1.0,
                             .maximum = 1e8,
                             .help = STRATA_TEXT("layers", "Number of outputs"),
                             .title = STRATA_TEXT("layers", "Units")},
                            activationField(),
                            useBiasField(),
                            initializerField("kernel_initializer", "\"glorot_uniform\"",
                                             STRATA_TEXT("layers", "Kernel initializer")),
                            initializerField("bias_initializer", "\"zeros\"",
                                             STRATA_TEXT("layers", "Bias initializer")),
                            regularizerField("kernel_regularizer",
                                             STRATA_TEXT("layers", "Kernel regularizer")),
                            regularizerField("bias_regularizer",
                                             STRATA_TEXT("layers", "Bias regularizer"))}},
      .lower = lowerDense,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
