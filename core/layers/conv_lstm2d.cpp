// SPDX-License-Identifier: Apache-2.0
// ConvLSTM2D is an LSTM for sequences of images. Convolutions replace its matrix products.
// Formula: i, f, o = recurrent_activation(x * W + h * U + b), g = activation(x * W + h * U + b), c
//   = f c + i g, h = o activation(c); here x * W is a convolution.
// Input: [N,T,H,W,C].
// Output: h of the last step [N,P,Q,filters], or of every step [N,T,P,Q,filters].
// Variables: conv_lstm_cell/ `kernel` [R,S,C,4 filters], `recurrent_kernel` [R,S,filters,4
//   filters], `bias` [4 filters]. The gates are in the order i, f, g, o.
// Gradient: derived from its ops, and flows through all steps.
// Numerics: float32.
// Errors: shape_mismatch for a wrong input or state; missing_input for a wrong number of states;
//   out_of_range if strides and dilation are both above 1; too_large for no steps or too many.
// Source: Shi et al., 2015; Keras 3, keras.layers.ConvLSTM2D.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/parts.h"
#include "core/layers/recurrent_parts.h"

namespace strata {

namespace {

/// Limits the size of the graph: each step adds about a dozen nodes.
constexpr int64_t kMaxImageSteps = 2000;

/// Convolves x [N steps,H,W,C] with the kernels of the four gates. `kept` [N,H,W,4 C] has a dropout
/// mask for each gate; it is invalid without dropout.
ValueId gateProducts(LayerContext& context, ValueId x, ValueId kernel, ValueId kept, int64_t steps,
                     Window2D window) {
  Graph& g = context.graph;
  if (!kept.isValid()) return conv2d(g, x, kernel, window);
  const Shape in = g.shape(x);
  const ValueId values = reshape(g, x, {in[0] / steps, steps, in[1], in[2], 1, in[3]}),
                shares = reshape(g, kept, {in[0] / steps, 1, in[1], in[2], 4, in[3]});
  window.groups = 4;
  return conv2d(g, reshape(g, multiply(g, values, shares), {in[0], in[1], in[2], 4 * in[3]}),
                kernel, window);
}

ValueId lowerConvLstm2d(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  if (in.rank() != 5)
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the input has the shape %1 (expected %2). Insert a Flatten or "
                             "Reshape before this layer."),
                 {shapeWithoutBatch(in).toString(), "[steps, height, width, channels]"});
  const int64_t samples = in[0], steps = in[1], channels = in[4],
                filters = context.integer("filters");
  if (steps < 1 || steps > kMaxImageSteps)
    context.fail("too_large", "inputs",
                 STRATA_TEXT("problem",
                             "the input has %1 steps (expected 1 to %2). Use a shorter sequence."),
                 {std::to_string(steps), std::to_string(kMaxImageSteps)});
  const auto kernel = context.pair("kernel_size"), strides = context.pair("strides"),
             dilation = context.pair("dilation_rate");
  requireOneOfStrideAndDilation(context, std::max(strides[0], strides[1]),
                                std::max(dilation[0], dilation[1]));
  const Window2D window = volumeWindow(context, {1, kernel[0], kernel[1]},
                                       {1, strides[0], strides[1]}, {1, dilation[0], dilation[1]})
                              .plane;
  const ValueId w =
      context.variable("conv_lstm_cell/kernel", {kernel[0], kernel[1], channels, 4 * filters},
                       "kernel_initializer", true, 0, 0, "kernel_regularizer");
  const ValueId u = context.variable("conv_lstm_cell/recurrent_kernel",
                                     {kernel[0], kernel[1], filters, 4 * filters},
                                     "recurrent_initializer", true, 0, 0, "recurrent_regularizer");
  ValueId all = gateProducts(
      context, reshape(g, context.floatInput(), {samples * steps, in[2], in[3], channels}), w,
      keptAtAllSteps(context, "dropout", Shape{samples, in[2], in[3], 4 * channels}), steps,
      window);
  if (context.boolean("use_bias")) {
    all = add(g, all,
              context.variable("conv_lstm_cell/bias", {4 * filters}, "bias_initializer", true, 0, 0,
                               "bias_regularizer"));
    if (context.boolean("unit_forget_bias")) {
      context.variables.back().initializer.onesFrom = filters;
      context.variables.back().initializer.onesTo = 2 * filters;
    }
  }
  const int64_t rows = g.shape(all)[1], columns = g.shape(all)[2];
  const Shape map{samples, rows, columns, filters};
  all = reshape(g, all, {samples, steps, rows, columns, 4 * filters});
  const ValueId kept =
      keptAtAllSteps(context, "recurrent_dropout", Shape{samples, rows, columns, 4 * filters});
  Window2D same;
  same.paddingBefore = {(kernel[0] - 1) / 2, (kernel[1] - 1) / 2};
  same.paddingAfter = {kernel[0] / 2, kernel[1] / 2};

  const bool isBackwards = context.boolean("go_backwards");
  const bool isMasked =
      context.mask().isValid() && g.shape(context.mask()) == Shape{samples, steps};
  if (isMasked && context.boolean("return_sequences")) context.outputMask = context.mask();
  std::vector<ValueId> sequence;
  ValueId h, c;
  if (context.inputs.size() == 2)
    context.fail("missing_input", "inputs",
                 STRATA_TEXT("problem",
                             "it has %1 inputs (expected the sequence, or the sequence and the "
                             "initial %2). Correct its inputs."),
                 {"2", "state and cell state"});
  for (int i = 1; i < static_cast<int>(context.inputs.size()); ++i) {
    if (const Shape& state = context.inputShape(i); state != map)
      context.fail("shape_mismatch", "inputs",
                   STRATA_TEXT("problem",
                               "the state %1 has the shape %2 (expected %3, the output shape of "
                               "one step). Choose another input."),
                   {context.inputNames[static_cast<size_t>(i)], shapeWithoutBatch(state).toString(),
                    shapeWithoutBatch(map).toString()});
    (i == 1 ? h : c) = context.floatInput(i);
  }
  const bool isCarried = !h.isValid() && context.isCarrying();
  if (isCarried) {
    h = context.carriedState("rnn_state", map);
    c = context.carriedState("rnn_state_1", map);
  }
  for (int64_t s = 0; s < steps; ++s) {
    const int64_t t = isBackwards ? steps - 1 - s : s;
    ValueId a = reshape(g, slice(g, all, {0, t, 0, 0, 0}, {samples, 1, rows, columns, 4 * filters}),
                        {samples, rows, columns, 4 * filters});
    if (h.isValid()) a = add(g, a, gateProducts(context, h, u, kept, 1, same));
    const auto gate = [&](int64_t place, const char* field) {
      return context.activate(
          slice(g, a, {0, 0, 0, place * filters}, {samples, rows, columns, filters}), field);
    };
    const ValueId i = gate(0, "recurrent_activation"), f = gate(1, "recurrent_activation"),
                  next = gate(2, "activation"), o = gate(3, "recurrent_activation");
    const ValueId fresh = multiply(g, i, next),
                  nextCell = c.isValid() ? add(g, multiply(g, f, c), fresh) : fresh,
                  nextState = multiply(g, o, context.activate(nextCell));
    const auto counted = [&](ValueId before, ValueId after) {
      if (!isMasked) return after;
      const ValueId counts =
          reshape(g, slice(g, context.mask(), {0, t}, {samples, 1}), {samples, 1, 1, 1});
      return before.isValid() ? select(g, counts, after, before) : multiply(g, after, counts);
    };
    h = counted(h, nextState);
    c = counted(c, nextCell);
    if (context.boolean("return_sequences"))
      sequence.push_back(reshape(g, h, {samples, 1, rows, columns, filters}));
  }
  if (isCarried) {
    context.carryOn("rnn_state", h);
    context.carryOn("rnn_state_1", c);
  }
  if (context.boolean("return_state")) context.moreOutputs = {h, c};
  if (sequence.empty()) return h;
  if (isBackwards && context.keepsOrder) std::reverse(sequence.begin(), sequence.end());
  return concatenate(g, sequence, 1);
}

std::vector<FieldSchema> convLstmFields() {
  std::vector<FieldSchema> fields{filtersField(), kernelSizeField(), stridesField("[1, 1]"),
                                  paddingField(), dilationField()};
  for (FieldSchema& field : recurrentFields(true))
    if (field.name != "units") fields.push_back(std::move(field));
  fields.push_back(forgetBiasField());
  return fields;
}

}  // namespace

const LayerDef& convLstm2dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "ConvLSTM2D",
                 .group = "Recurrent",
                 .help = STRATA_TEXT("layers", "2D convolutional LSTM for a sequence of images"),
                 .formula = "c = f c + i g, h = o activation(c); i, f, o = recurrent_activation(x "
                            "* W + h * U + b), g = activation(x * W + h * U + b)",
                 .source = "Shi et al., 2015; Keras 3, keras.layers.ConvLSTM2D",
                 .fields = convLstmFields()},
      .maxInputs = 3,
      .ports = {"x", "state", "cell_state"},
      .lower = lowerConvLstm2d,
      .countOutputs = outputsWithCellState,
  };
  return definition;
}

}  // namespace strata
