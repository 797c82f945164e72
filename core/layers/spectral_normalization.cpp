// SPDX-License-Identifier: Apache-2.0
// SpectralNormalization divides the weights of a layer by their largest singular value at each
// training step.
// Formula: power iteration computes u and v; then sigma = v W u^T, W <- W / sigma, y = layer(x; W).
// Inputs: those of the layer.
// Output: that of the layer.
// Variables: those of the layer as `<name>/<layer>/<path>`, and `vector_u` [1,C].
// Gradient: computed for the divided weights, like Keras on TensorFlow. The update also starts from
//   these weights.
// Numerics: float32; outside training the weights are unchanged.
// Errors: those of the layer; out_of_range for a layer without a kernel.
// Source: Miyato et al., 2018; Keras 3, keras.layers.SpectralNormalization.
#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/layers/recurrent_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId spectralUnit(Graph& g, ValueId x) {
  return multiply(
      g, x, rsqrt(g, maximum(g, sumAll(g, square(g, x)), constantScalar(g, DType::F32, 1e-24))));
}

/// Returns W / sigma and stores u in training; otherwise returns W.
ValueId dividedBySigma(LayerContext& outer, ValueId w) {
  Graph& g = outer.graph;
  const Shape shape = g.shape(w);
  const int64_t columns = shape.dim(-1);
  ValueId u = outer.variable("vector_u", {1, columns}, "truncated_normal", false);
  outer.variables.back().initializer.numbers = {{"mean", 0.0}, {"stddev", 0.02}};
  if (outer.mode != StepMode::Train) return w;
  const ValueId matrix = reshape(g, w, {shape.numElements() / columns, columns});
  ValueId v;
  for (int64_t i = 0; i < outer.integer("power_iterations"); ++i) {
    v = spectralUnit(g, matmul(g, u, matrix, false, true));
    u = spectralUnit(g, matmul(g, v, matrix));
  }
  outer.setNext("vector_u", u);
  const ValueId sigma = sumAll(g, multiply(g, matmul(g, v, matrix), u));
  // If all weights are zero, divides by 1 instead of 0.
  return divide(g, w, add(g, sigma, equal(g, sigma, constantScalar(g, DType::F32, 0))));
}

ValueId lowerSpectralNormalization(LayerContext& context) {
  bool isFound = false;
  const auto replace = [&](LayerContext& inner, std::string_view path, ValueId variable) {
    if (isFound || (path != "kernel" && path != "embeddings")) return variable;
    isFound = true;
    const size_t place = inner.variables.size() - 1;
    const ValueId result = dividedBySigma(context, variable);
    if (result != variable) inner.variables[place].replacement = result;
    return result;
  };
  const Json& inner = context.fields.at("layer");
  const WrappedResult y = lowerWrapped(context, {.inner = inner,
                                                 .name = nameOfWrapped(inner),
                                                 .inputs = context.inputs.all(),
                                                 .masks = context.masks,
                                                 .batchSize = context.batchSize,
                                                 .replaceVariable = replace});
  if (!isFound)
    context.fail("out_of_range", "layer",
                 STRATA_TEXT("problem",
                             "layer has the type %1, which has no kernel (expected a layer with a "
                             "kernel, such as Dense or Conv2D). Choose another layer."),
                 {inner.at("type").get<std::string>()});
  context.outputMask = y.mask;
  return y.value;
}

}  // namespace

const LayerDef& spectralNormalizationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "SpectralNormalization",
                 .group = "Normalization",
                 .help = STRATA_TEXT(
                     "layers", "Divides the weights of a layer by their largest singular value"),
                 .formula = "y = layer(x; W / sigma(W))",
                 .source = "Miyato et al., 2018; Keras 3, keras.layers.SpectralNormalization",
                 .fields = {{.name = "layer",
                             .type = FieldType::Object,
                             .exampleJson = R"({"type": "Dense", "units": 32})",
                             .choices = {"Dense", "EinsumDense", "Conv1D", "Conv2D", "Conv3D",
                                         "Conv1DTranspose", "Conv2DTranspose", "Conv3DTranspose",
                                         "DepthwiseConv1D", "DepthwiseConv2D", "Embedding",
                                         "PositionEmbedding"},
                             .registry = "layer",
                             .objects = wrappableSchemas,
                             .help = STRATA_TEXT("layers", "Layer whose weights are normalized"),
                             .title = STRATA_TEXT("layers", "Layer")},
                            {.name = "power_iterations",
                             .type = FieldType::Integer,
                             .defaultJson = "1",
                             .minimum = 1.0,
                             .maximum = 1000.0,
                             .help = STRATA_TEXT("layers",
                                                 "Number of power iterations per training step"),
                             .title = STRATA_TEXT("layers", "Power iterations")}}},
      .lower = lowerSpectralNormalization,
  };
  return definition;
}

}  // namespace strata
