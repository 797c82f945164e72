// SPDX-License-Identifier: Apache-2.0
// Bidirectional runs one recurrent layer forwards and a second one, with separate weights,
// backwards.
// Formula: y = merge(f(x), b(x)); the sequence of b is reversed before merging.
// Inputs: the sequence, and optionally the initial states of the forward layer, then those of the
//   backward layer.
// Output: [N,units] or [N,T,units]; merge_mode "concat" doubles the units.
// Variables: those of `forward_<layer>` and `backward_<layer>`.
// Gradient: derived from the two layers.
// Numerics: float32.
// Errors: those of the layers; out_of_range if a layer is not recurrent, or if go_backwards or
//   return_sequences of the two do not fit together; missing_input for a wrong number of states;
//   shape_mismatch if the outputs cannot be merged.
// Source: Schuster and Paliwal, 1997; Keras 3, keras.layers.Bidirectional.
#include <nlohmann/json.hpp>

#include "core/layers/recurrent_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerBidirectional(LayerContext& context) {
  Graph& g = context.graph;
  const Json& forward = context.fields.at("layer");
  const Json& given = context.fields.at("backward_layer");
  for (const auto& [field, layer] :
       {std::pair<const char*, const Json&>{"layer", forward}, {"backward_layer", given}}) {
    if (layer.is_null() || layer.contains("go_backwards")) continue;
    context.fail("out_of_range", field,
                 STRATA_TEXT("problem",
                             "%1 has the type %2 (expected a recurrent layer: SimpleRNN, GRU, LSTM "
                             "or ConvLSTM2D). Choose one of them."),
                 {field, layer.at("type").get<std::string>()});
  }
  Json backward = given.is_null() ? forward : given;
  if (given.is_null()) backward["go_backwards"] = true;
  if (forward.at("go_backwards").get<bool>() == backward.at("go_backwards").get<bool>())
    context.fail("out_of_range", given.is_null() ? "layer" : "backward_layer",
                 STRATA_TEXT("problem",
                             "go_backwards is %1 in both directions (expected true in one and "
                             "false in the other). Change one of them."),
                 {forward.at("go_backwards").get<bool>() ? "true" : "false"});
  if (forward.at("return_sequences") != backward.at("return_sequences"))
    context.fail("out_of_range", "backward_layer",
                 STRATA_TEXT("problem",
                             "return_sequences differs between the two directions (expected the "
                             "same). Change one of them."),
                 {});
  const auto count = context.inputs.size();
  if (count % 2 == 0)
    context.fail("missing_input", "inputs",
                 STRATA_TEXT("problem",
                             "it has %1 inputs (expected the sequence, or the sequence and the "
                             "same number of states for each direction). Correct its inputs."),
                 {std::to_string(count)});
  const auto half = static_cast<std::ptrdiff_t>(count / 2);
  const std::vector<ValueId>& inputs = context.inputs.all();
  std::vector<ValueId> first{inputs[0]}, second{inputs[0]};
  first.insert(first.end(), inputs.begin() + 1, inputs.begin() + 1 + half);
  second.insert(second.end(), inputs.begin() + 1 + half, inputs.end());

  const std::string name = nameOfWrapped(forward);
  const auto prefixed = [&](const std::string& prefix) {
    return name.starts_with(prefix) ? name : prefix + name;
  };
  const std::vector<ValueId> masks{context.mask()};
  const WrappedResult forwards = lowerWrapped(context, {.inner = forward,
                                                        .name = prefixed("forward_"),
                                                        .inputs = std::move(first),
                                                        .masks = masks,
                                                        .batchSize = context.batchSize,
                                                        .keepsOrder = true});
  const WrappedResult backwards =
      lowerWrapped(context, {.inner = backward,
                             .name = given.is_null() ? prefixed("backward_") : nameOfWrapped(given),
                             .inputs = std::move(second),
                             .masks = masks,
                             .batchSize = context.batchSize,
                             .keepsOrder = true});
  ValueId a = forwards.value, b = backwards.value;
  std::vector<ValueId> states = forwards.moreOutputs;
  states.insert(states.end(), backwards.moreOutputs.begin(), backwards.moreOutputs.end());
  // As in Keras, masked steps of the output are zero, unlike in a single recurrent layer
  if (const ValueId mask = context.mask();
      mask.isValid() && forward.at("return_sequences").get<bool>()) {
    context.outputMask = mask;
    Shape wide = g.shape(mask);
    while (wide.rank() < g.shape(a).rank())
      wide.append(1);
    a = multiply(g, a, reshape(g, mask, wide));
    b = multiply(g, b, reshape(g, mask, wide));
  }
  // Keras always reverses the sequence of the second layer. If the first layer runs backwards, both
  // sequences are therefore in reverse order.
  if (forward.at("go_backwards").get<bool>() && forward.at("return_sequences").get<bool>()) {
    a = reversedSteps(g, a);
    b = reversedSteps(g, b);
  }
  // Without a merge mode, the layer returns the outputs of both directions separately
  if (context.fields.at("merge_mode").is_null()) {
    context.moreOutputs = {b};
    context.moreOutputs.insert(context.moreOutputs.end(), states.begin(), states.end());
    return a;
  }
  context.moreOutputs = states;
  if (g.shape(a) != g.shape(b) && context.string("merge_mode") != "concat")
    context.fail("shape_mismatch", "backward_layer",
                 STRATA_TEXT("problem",
                             "the directions have outputs of shape %1 and %2 (expected the same "
                             "shape for merge_mode %3). Change units of one of them."),
                 {shapeWithoutBatch(g.shape(a)).toString(),
                  shapeWithoutBatch(g.shape(b)).toString(), context.string("merge_mode")});
  const std::string mode = context.string("merge_mode");
  if (mode == "concat") return concatenate(g, {a, b}, g.shape(a).rank() - 1);
  if (mode == "mul") return multiply(g, a, b);
  const ValueId sum = add(g, a, b);
  return mode == "ave" ? multiplyScalar(g, sum, 0.5) : sum;
}

int outputsOfBidirectional(const Json& fields) {
  const Json& layer = fields.at("layer");
  const LayerDef* inner = layer.is_object() ? findLayer(layer.value("type", "")) : nullptr;
  const bool isRecurrent = inner && layer.contains("return_state");
  return (fields.at("merge_mode").is_null() ? 2 : 1) +
         (isRecurrent ? 2 * (outputsOf(*inner, layer) - 1) : 0);
}

}  // namespace

static std::vector<std::string> recurrentLayers() {
  return {"SimpleRNN", "GRU", "LSTM", "ConvLSTM2D"};
}

const LayerDef& bidirectionalLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Bidirectional",
           .group = "Recurrent",
           .help =
               STRATA_TEXT("layers", "Applies a recurrent layer to a sequence in both directions"),
           .formula = "y = merge(forward(x), backward(x)), with the backward sequence reversed",
           .source = "Schuster and Paliwal, 1997; Keras 3, keras.layers.Bidirectional",
           .fields =
               {{.name = "layer",
                 .type = FieldType::Object,
                 .exampleJson = R"({"type": "LSTM", "units": 32})",
                 .choices = recurrentLayers(),
                 .registry = "layer",
                 .objects = wrappableSchemas,
                 .help = STRATA_TEXT("layers", "Recurrent layer for the forward direction"),
                 .title = STRATA_TEXT("layers", "Layer")},
                {.name = "merge_mode",
                 .type = FieldType::Choice,
                 .defaultJson = "\"concat\"",
                 .isNullable = true,
                 .choices = {"concat", "sum", "mul", "ave"},
                 .help = STRATA_TEXT("layers",
                                     "How to combine the outputs of both directions; none: both "
                                     "are returned, the backward output as NAME:1"),
                 .title = STRATA_TEXT("layers", "Merge mode")},
                {.name = "backward_layer",
                 .type = FieldType::Object,
                 .defaultJson = "null",
                 .isNullable = true,
                 .choices = recurrentLayers(),
                 .registry = "layer",
                 .objects = wrappableSchemas,
                 .help = STRATA_TEXT(
                     "layers",
                     "Layer for the backward direction; by default a copy of the forward layer"),
                 .title = STRATA_TEXT("layers", "Backward layer")}}},
      .maxInputs = 5,
      .ports = {"x", "state"},
      .lower = lowerBidirectional,
      .countOutputs = outputsOfBidirectional,
  };
  return definition;
}

}  // namespace strata
