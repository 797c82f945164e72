// SPDX-License-Identifier: Apache-2.0
// TimeDistributed applies the same layer to each step of a sequence.
// Formula: y[n,t] = f(x[n,t]).
// Input: [N,T,...].
// Output: [N,T,...], the output of the layer for each step.
// Variables: those of the layer, `<name>/<layer>/<path>`.
// Gradient: derived from its layer.
// Numerics: the layer treats steps as samples, but a BatchNormalization computes separate
//   statistics for each step.
// Errors: those of the layer; shape_mismatch; out_of_range for a layer with several inputs.
// Source: Keras 3, keras.layers.TimeDistributed.
#include <nlohmann/json.hpp>

#include "core/layers/recurrent_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerTimeDistributed(LayerContext& context) {
  Graph& g = context.graph;
  const Json& inner = context.fields.at("layer");
  const LayerDef& definition = *findLayer(inner.at("type").get<std::string>());
  if (definition.minInputs > 1)
    context.fail("out_of_range", "layer",
                 STRATA_TEXT("problem",
                             "layer has the type %1, which takes several inputs (expected a layer "
                             "with one input). Choose another layer."),
                 {inner.at("type").get<std::string>()});
  const Shape in = context.inputShape();
  if (in.rank() < 3)
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the input has the shape %1 (expected a sequence whose steps have at "
                             "least one dimension). Insert a Reshape before this layer."),
                 {shapeWithoutBatch(in).toString()});
  const int64_t rows = in[0] * in[1];
  std::vector<int64_t> flat{rows};
  for (int i = 2; i < in.rank(); ++i)
    flat.push_back(in[i]);
  // The inner layer gets a mask if the mask covers more than the steps of the sequence, or if it is
  // a BatchNormalization
  std::vector<ValueId> masks;
  if (const ValueId mask = context.mask(); mask.isValid()) {
    const Shape shape = g.shape(mask);
    std::vector<int64_t> inside{rows};
    for (int i = 2; i < shape.rank(); ++i)
      inside.push_back(shape[i]);
    if (inside.size() > 1 || definition.schema.type == "BatchNormalization")
      masks.push_back(reshape(g, mask, Shape(inside)));
  }
  const ValueId y = lowerWrapped(context, {.inner = inner,
                                           .name = nameOfWrapped(inner),
                                           .inputs = {reshape(g, context.inputs[0], Shape(flat))},
                                           .masks = masks,
                                           .batchSize = rows,
                                           .timeSteps = in[1]})
                        .value;
  const Shape out = g.shape(y);
  std::vector<int64_t> dims{in[0], in[1]};
  for (int i = 1; i < out.rank(); ++i)
    dims.push_back(out[i]);
  if (dims.size() > kMaxRank)
    context.fail("shape_mismatch", "layer",
                 STRATA_TEXT("problem",
                             "its layer outputs %1 per step (expected at most %2 dimensions). "
                             "Choose another layer."),
                 {shapeWithoutBatch(out).toString(), std::to_string(kMaxRank - 2)});
  return reshape(g, y, Shape(dims));
}

}  // namespace

const LayerDef& timeDistributedLayer() {
  static const LayerDef definition = {
      .schema = {.type = "TimeDistributed",
                 .group = "Recurrent",
                 .help = STRATA_TEXT("layers",
                                     "Applies the same layer to each time step of a sequence"),
                 .formula = "y[n,t] = layer(x[n,t])",
                 .source = "Keras 3, keras.layers.TimeDistributed",
                 .fields = {{.name = "layer",
                             .type = FieldType::Object,
                             .exampleJson = R"({"type": "Dense", "units": 32})",
                             .registry = "layer",
                             .objects = wrappableSchemas,
                             .help = STRATA_TEXT("layers", "Layer to apply to each time step"),
                             .title = STRATA_TEXT("layers", "Layer")}}},
      .lower = lowerTimeDistributed,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
