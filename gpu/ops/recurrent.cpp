// SPDX-License-Identifier: Apache-2.0
// recurrent {cell, activation, alpha, recurrent_activation, recurrent_alpha, backwards, has_bias,
// has_state, has_factors, has_mask}: runs a whole sequence through a recurrent cell. With
// backwards, it runs from the last step to the first.
//
// Inputs: projection p [N,T,G U] of the inputs, with their bias; kernel [U,G U]. The flags add
// these inputs, in this order:
//   bias [3 U]     only for gru
//   state h0 [N,U] and, for lstm, c0 [N,U]; zeros if not given
//   factors [N,U]  multiply h before the kernel
//   mask [N,T]     0 leaves the state of a sample unchanged
//
// The formulas use a = activation, r = recurrent_activation and h' = (h of the previous step) *
// factors. Gates have this order:
//   simple            h = a(p + h' K)
//   lstm              i, f, o = r(p + h' K), g = a(p + h' K), stored as i f g o;
//                     c = f c + i g; h = o a(c)
//   gru               z, r = r(p + h' K + b); inner = h' K + b; n = a(p + r inner);
//                     h = z h + (1 - z) n
//   gru_reset_before  z, r as above without b; inner = r h'; n = a(p + inner K);
//                     h = z h + (1 - z) n
// Outputs, in this order:
//   sequence [N,T,U]   h of each step
//   last [N,U]         h of the last step
//   last cell [N,U]    only for lstm
//   gates [N,T,G U]    the values that the derivatives read (activation_kinds.h); may overwrite p
//   inner [N,T,U]      not for simple; c for lstm
//
// recurrent_backward {.., has_sequence, has_last, has_last_cell} (gates, kernel, sequence, inner,
// state, cell state, factors, mask, dsequence, dlast, dlast_cell): computes the gradients. Operands
// that the flags exclude are left out. Its outputs, in this order:
//   dp                 may overwrite gates
//   previous [N,T,U]   h' of each step; may overwrite sequence
//   [N,T,3 U]          only for gru: the gradient of h' K + b
//   dh0 [N,U]          only with has_state
//   dc0 [N,U]          only with has_state, for lstm
//
// Gradient: recurrent_backward, and products for the kernel (previous^T dp). Factors and mask have
// no gradient.
// Errors: ShapeMismatch, InvalidArgument.
// Numerics: sums in the operand's dtype. The reference sums in double.
// Source: Keras 3 (SimpleRNN, LSTM, GRU); Hochreiter and Schmidhuber, 1997; Cho et al., 2014.
#include "gpu/ops/recurrent.h"

#include "gpu/base/error.h"
#include "gpu/ops/activation_kinds.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {

std::optional<RecurrentCell> recurrentCellOf(std::string_view name) {
  if (name == "simple") return RecurrentCell::Simple;
  if (name == "lstm") return RecurrentCell::Lstm;
  if (name == "gru") return RecurrentCell::Gru;
  if (name == "gru_reset_before") return RecurrentCell::GruResetBefore;
  return std::nullopt;
}

namespace {

RecurrentForm formOf(const Attributes& attributes) {
  RecurrentForm form;
  form.cell = *recurrentCellOf(attributes.get<std::string>("cell"));
  form.isBackwards = attributes.get<bool>("backwards");
  switch (form.cell) {
    case RecurrentCell::Simple: form.gates = 1; break;
    case RecurrentCell::Lstm: form.gates = 4; break;
    case RecurrentCell::Gru:
    case RecurrentCell::GruResetBefore: form.gates = 3; break;
  }
  return form;
}

/// Adds the positions of the operands that both ops have in common.
void addShared(RecurrentForm& form, const Attributes& attributes) {
  const auto next = [&](bool is, int& place) {
    if (is) place = form.numInputs++;
  };
  const bool hasState = attributes.get<bool>("has_state");
  next(hasState, form.state);
  next(hasState && form.cell == RecurrentCell::Lstm, form.cellState);
  next(attributes.get<bool>("has_factors"), form.factors);
  next(attributes.get<bool>("has_mask"), form.mask);
}

}  // namespace

RecurrentForm recurrentForm(const Attributes& attributes) {
  RecurrentForm form = formOf(attributes);
  form.numInputs = 2;
  if (attributes.get<bool>("has_bias")) form.bias = form.numInputs++;
  addShared(form, attributes);
  form.numOutputs = 2;
  if (form.cell == RecurrentCell::Lstm) form.lastCell = form.numOutputs++;
  form.gatesOut = form.numOutputs++;
  if (form.cell != RecurrentCell::Simple) form.innerOut = form.numOutputs++;
  return form;
}

RecurrentForm recurrentBackwardForm(const Attributes& attributes) {
  RecurrentForm form = formOf(attributes);
  form.sequence = 2;
  form.numInputs = 3;
  if (form.cell != RecurrentCell::Simple) form.inner = form.numInputs++;
  addShared(form, attributes);
  if (attributes.get<bool>("has_sequence")) form.sequenceGradient = form.numInputs++;
  if (attributes.get<bool>("has_last")) form.lastGradient = form.numInputs++;
  if (attributes.get<bool>("has_last_cell")) form.lastCellGradient = form.numInputs++;
  form.numOutputs = 2;
  if (form.cell == RecurrentCell::Gru) form.recurrentGradient = form.numOutputs++;
  if (form.state >= 0) form.stateGradient = form.numOutputs++;
  if (form.cellState >= 0) form.cellStateGradient = form.numOutputs++;
  return form;
}

namespace {

void requireKinds(const ShapeContext& c) {
  requireFloating(c, 0);
  const std::string& cell = c.attributes.get<std::string>("cell");
  if (!recurrentCellOf(cell))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "[" + c.op.name + "] cell is \"" + cell +
                    "\" (expected simple, lstm, gru or gru_reset_before).");
  requireActivation(c, "activation");
  requireActivation(c, "recurrent_activation");
}

/// The sizes N, T and U, which determine the shapes of all operands.
struct Sizes {
  int64_t samples, steps, units;
};
Sizes sizesOf(const ShapeContext& c, const RecurrentForm& form) {
  if (static_cast<int>(c.inputs.size()) != form.numInputs)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "[" + c.op.name + "] got " + std::to_string(c.inputs.size()) +
                    " operands (expected " + std::to_string(form.numInputs) +
                    " with these attributes).");
  const Shape &first = c.inputs[0].shape, &kernel = c.inputs[1].shape;
  if (kernel.rank() != 2 || kernel[0] < 1 || kernel[1] != form.gates * kernel[0])
    c.fail("the recurrent kernel has shape " + kernel.toString() + " (expected [units, " +
           std::to_string(form.gates) + " * units]).");
  if (first.rank() != 3 || first[1] < 1 || first[2] != kernel[1])
    c.fail("the sequence has shape " + first.toString() + " (expected [samples, steps, " +
           std::to_string(kernel[1]) + "]).");
  return {first[0], first[1], kernel[0]};
}

void requireType(const ShapeContext& c, int input, const Shape& shape, const char* what) {
  if (input < 0) return;
  const TensorType expected{c.inputs[0].dtype, shape};
  if (c.inputs[static_cast<size_t>(input)] != expected)
    c.fail(std::string(what) + " has type " + c.inputs[static_cast<size_t>(input)].toString() +
           " (expected " + expected.toString() + ").");
}

void requireShared(const ShapeContext& c, const RecurrentForm& form, const Sizes& s) {
  requireType(c, form.kernel, {s.units, form.gates * s.units}, "the recurrent kernel");
  requireType(c, form.state, {s.samples, s.units}, "the state");
  requireType(c, form.cellState, {s.samples, s.units}, "the cell's state");
  requireType(c, form.factors, {s.samples, s.units}, "the factors' operand");
  requireType(c, form.mask, {s.samples, s.steps}, "the mask");
}

std::vector<TensorType> inferRecurrent(const ShapeContext& c) {
  requireKinds(c);
  const RecurrentForm form = recurrentForm(c.attributes);
  if (form.bias >= 0 && form.cell != RecurrentCell::Gru)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "[" + c.op.name + "] only the cell gru has a recurrent bias.");
  const Sizes s = sizesOf(c, form);
  requireType(c, form.bias, {form.gates * s.units}, "the bias");
  requireShared(c, form, s);
  const DType dtype = c.inputs[0].dtype;
  std::vector<TensorType> types{{dtype, {s.samples, s.steps, s.units}},
                                {dtype, {s.samples, s.units}}};
  if (form.lastCell >= 0) types.push_back(types[1]);
  types.push_back(c.inputs[0]);
  if (form.innerOut >= 0) types.push_back(types[0]);
  return types;
}

std::vector<TensorType> inferRecurrentBackward(const ShapeContext& c) {
  requireKinds(c);
  const RecurrentForm form = recurrentBackwardForm(c.attributes);
  const Sizes s = sizesOf(c, form);
  const Shape sequence{s.samples, s.steps, s.units}, last{s.samples, s.units};
  requireType(c, form.sequence, sequence, "the result");
  requireType(c, form.inner, sequence, "the inner values' operand");
  requireShared(c, form, s);
  requireType(c, form.sequenceGradient, sequence, "the gradient of the sequence");
  requireType(c, form.lastGradient, last, "the gradient of the last state");
  requireType(c, form.lastCellGradient, last, "the gradient of the last cell state");
  const DType dtype = c.inputs[0].dtype;
  std::vector<TensorType> types{c.inputs[0], {dtype, sequence}};
  if (form.recurrentGradient >= 0) types.push_back(c.inputs[0]);
  if (form.stateGradient >= 0) types.push_back({dtype, last});
  if (form.cellStateGradient >= 0) types.push_back({dtype, last});
  return types;
}

std::vector<ValueId> recurrentGradient(const GradientContext& c) {
  const Attributes attributes = c.node().attributes;
  const RecurrentForm form = recurrentForm(attributes);
  const std::vector<ValueId> inputs = c.node().inputs, outputs = c.node().outputs;
  const std::vector<ValueId> upstream(c.outputGradients.begin(), c.outputGradients.end());
  const auto at = [](const std::vector<ValueId>& list, int place) {
    return place < 0 ? ValueId() : list[static_cast<size_t>(place)];
  };
  for (const int place : {form.gatesOut, form.innerOut})
    if (at(upstream, place).isValid())
      throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                  "the gates output of a recurrent op has no gradient. Use its sequence.");
  const ValueId dsequence = at(upstream, 0), dlast = at(upstream, form.last),
                dcell = at(upstream, form.lastCell);

  Graph& g = c.graph;
  std::vector<ValueId> operands{at(outputs, form.gatesOut), inputs[1], outputs[0]};
  for (const ValueId operand :
       {at(outputs, form.innerOut), at(inputs, form.state), at(inputs, form.cellState),
        at(inputs, form.factors), at(inputs, form.mask), dsequence, dlast, dcell})
    if (operand.isValid()) operands.push_back(operand);
  Attributes backward = attributes;
  backward.remove("has_bias");
  backward.set("has_sequence", dsequence.isValid());
  backward.set("has_last", dlast.isValid());
  backward.set("has_last_cell", dcell.isValid());
  const std::vector<ValueId> results =
      g.node(g.addNode(opNamed("recurrent_backward"), operands, backward)).outputs;
  const RecurrentForm places = recurrentBackwardForm(backward);

  const Shape all = g.shape(results[0]), kernel = g.shape(inputs[1]);
  const int64_t rows = all[0] * all[1], units = kernel[0], width = all[2];
  const auto flat = [&](ValueId x, int64_t columns) {
    return reshape(g, x, {rows, columns});
  };
  std::vector<ValueId> gradients(inputs.size());
  gradients[0] = results[0];
  const ValueId own =
      places.recurrentGradient >= 0 ? at(results, places.recurrentGradient) : results[0];
  if (c.inputNeedsGradient[1]) {
    const ValueId previous = flat(results[1], units), change = flat(own, width);
    if (form.cell == RecurrentCell::GruResetBefore) {
      const ValueId inner = flat(at(outputs, form.innerOut), units);
      gradients[1] =
          concatenate(g,
                      {matmul(g, previous, slice(g, change, {0, 0}, {rows, 2 * units}), true),
                       matmul(g, inner, slice(g, change, {0, 2 * units}, {rows, units}), true)},
                      1);
    }
    else {
      gradients[1] = matmul(g, previous, change, true);
    }
  }
  if (form.bias >= 0 && c.inputNeedsGradient[static_cast<size_t>(form.bias)])
    gradients[static_cast<size_t>(form.bias)] = reduceSum(g, flat(own, width), {0});
  if (form.state >= 0)
    gradients[static_cast<size_t>(form.state)] = at(results, places.stateGradient);
  if (form.cellState >= 0)
    gradients[static_cast<size_t>(form.cellState)] = at(results, places.cellStateGradient);
  return gradients;
}

/// Counts the products with the kernel, and about ten operations per gate.
Cost recurrentCost(const Graph& graph, const Node& node) {
  const Shape &gates = graph.shape(node.inputs[0]), &kernel = graph.shape(node.inputs[1]);
  const double steps = static_cast<double>(gates[0] * gates[1]),
               weights = static_cast<double>(kernel[0] * kernel[1]);
  Cost cost{steps * weights, 2 * steps * weights + 10 * static_cast<double>(gates.numElements()),
            0};
  for (const ValueId value : node.inputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  for (const ValueId value : node.outputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  return cost;
}

}  // namespace

std::vector<OpDef> defineRecurrent() {
  OpDef forward;
  forward.name = "recurrent";
  forward.work = WorkKind::Recurrent;
  forward.kind = OpKind::Compute;
  forward.minInputs = 2;
  forward.maxInputs = 7;
  forward.numOutputs = 3;
  forward.attributes = {{"cell", std::string("lstm"), true},
                        {"activation", std::string("tanh")},
                        {"alpha", 0.0},
                        {"recurrent_activation", std::string("sigmoid")},
                        {"recurrent_alpha", 0.0},
                        {"backwards", false},
                        {"has_bias", false},
                        {"has_state", false},
                        {"has_factors", false},
                        {"has_mask", false}};
  forward.infer = inferRecurrent;
  forward.gradient = recurrentGradient;
  forward.cost = recurrentCost;
  forward.precision = OpPrecision::Low;
  // The position of the gates depends on the cell. All positions are listed, because outputs of
  // another shape never match.
  forward.mayAlias = {{2, 0}, {3, 0}};
  OpDef backward = forward;
  backward.name = "recurrent_backward";
  backward.direction = OpDirection::Backward;
  backward.minInputs = 3;
  backward.maxInputs = 11;
  backward.numOutputs = 2;
  std::erase_if(backward.attributes,
                [](const AttributeSpec& each) { return each.name == "has_bias"; });
  for (const char* flag : {"has_sequence", "has_last", "has_last_cell"})
    backward.attributes.push_back({flag, false});
  backward.infer = inferRecurrentBackward;
  backward.gradient = nullptr;
  backward.noGradientReason = "second derivatives of recurrent cells are not implemented";
  backward.mayAlias = {{0, 0}, {1, 2}};
  return {forward, backward};
}

RecurrentResult recurrent(Graph& g, ValueId projection, ValueId kernel,
                          const RecurrentOptions& options) {
  std::vector<ValueId> operands{projection, kernel};
  for (const ValueId operand :
       {options.bias, options.state, options.cellState, options.factors, options.mask})
    if (operand.isValid()) operands.push_back(operand);
  const Attributes attributes{{"cell", options.cell},
                              {"activation", options.activation},
                              {"alpha", options.alpha},
                              {"recurrent_activation", options.recurrentActivation},
                              {"recurrent_alpha", options.recurrentAlpha},
                              {"backwards", options.isBackwards},
                              {"has_bias", options.bias.isValid()},
                              {"has_state", options.state.isValid()},
                              {"has_factors", options.factors.isValid()},
                              {"has_mask", options.mask.isValid()}};
  const Node& node = g.node(g.addNode(opNamed("recurrent"), operands, attributes));
  const RecurrentForm form = recurrentForm(attributes);
  return {node.outputs[0], node.outputs[1],
          form.lastCell < 0 ? ValueId() : node.outputs[static_cast<size_t>(form.lastCell)]};
}

}  // namespace strata
