// SPDX-License-Identifier: Apache-2.0
// attention {scale, causal, rate, stream, has_mask, drops_hidden, joined}: computes a weighted mean
// of the values for each query step and head. The matrix of all pairs of steps is never stored.
//
// Inputs: query q [N,T,H,D], key k [N,S,G,D], value v [N,S,G,E]. H is a multiple of G: H / G
// consecutive query heads share a key head and a value head. has_mask adds mask [N,1 or T,S], where
// 0 hides a key step. rate > 0 adds seed, step and first_sample (i64 scalars, as for dropout). With
// `joined`, one operand [N,T,3H,D] is all of them: H heads of the query, those of the key, then
// those of the value. A pass of cards joins them, because one product then computes all three.
// Outputs: y [N,T,H,E], log_sums [N,H,T].
//
// With s = scale q k^T over the visible key steps (causal: none later than the query step):
//   w = softmax(s), with dropout by `rate`; the weight of head h, query step t and key step j is
//       element (h T + t) S + j of its sample (dropout_mask.h)
//   y = w v
//   log_sums = log sum exp(s)
// If all key steps are hidden from a query step, it weights all of them equally. With drops_hidden
// its result is 0 instead. In both cases its log_sums is infinite, and q and k get no gradient.
//
// attention_backward {the same attributes} (q, k, v, y, log_sums, dy[, mask][, seed, step,
// first_sample]) -> dq, dk, dv. With `joined`, one operand is q, k and v, and one result their
// gradient. The op computes w = exp(s - log_sums) again.
//
// Gradient: attention_backward. mask and log_sums have no gradient.
// Errors: ShapeMismatch, InvalidArgument.
// Numerics: sums in the operand's dtype. The reference sums in double.
// Source: Vaswani et al., 2017; Dao et al., 2022 (formulas of the gradient); Ainslie et al., 2023
// (groups).
#include "gpu/ops/attention.h"

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {

AttentionForm attentionForm(std::string_view op, const Attributes& attributes) {
  AttentionForm form;
  form.isJoined = attributes.getOr<bool>("joined", false);
  int next = form.isJoined ? 1 : 3;
  if (op.ends_with("_backward")) {
    form.result = next++;
    form.logSums = next++;
    form.gradient = next++;
  }
  if (attributes.get<bool>("has_mask")) form.mask = next++;
  if (attributes.get<double>("rate") > 0) {
    form.seed = next;
    next += 3;
  }
  form.numInputs = next;
  return form;
}

TensorType partOfJoined(const TensorType& joined) {
  const Shape& shape = joined.shape;
  return {joined.dtype, {shape[0], shape[1], shape[2] / 3, shape[3]}};
}

namespace {

std::vector<TensorType> inferForms(const ShapeContext& c, bool isBackward) {
  requireFloating(c, 0);
  const double rate = c.attributes.get<double>("rate");
  if (!(rate >= 0 && rate < 1))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "rate is " + std::to_string(rate) + " (expected at least 0 and below 1).");
  if (!(c.attributes.get<double>("scale") >= 0))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "scale is " + std::to_string(c.attributes.get<double>("scale")) +
                    " (expected at least 0).");
  const AttentionForm form = attentionForm(c.op.name, c.attributes);
  if (static_cast<int>(c.inputs.size()) != form.numInputs)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "[" + c.op.name + "] got " + std::to_string(c.inputs.size()) +
                    " operands (expected " + std::to_string(form.numInputs) +
                    " with these attributes).");
  const DType dtype = c.inputs[0].dtype;
  const Shape &q = c.inputs[0].shape, &k = c.inputs[1].shape, &v = c.inputs[2].shape;
  if (q.rank() != 4 || k.rank() != 4 || v.rank() != 4)
    c.fail("query, key and value have shapes " + q.toString() + ", " + k.toString() + " and " +
           v.toString() + " (expected [samples, steps, heads, size] each).");
  if (k[0] != q[0] || v[0] != q[0] || k[1] != v[1] || k[2] != v[2] || k[3] != q[3] || k[1] < 1 ||
      k[2] < 1 || q[2] % k[2] != 0)
    c.fail("the query has shape " + q.toString() + ", the key " + k.toString() + " and the value " +
           v.toString() +
           " (expected the same number of samples, the same steps and heads in key and value, the "
           "same size in query and key, and a number of query heads that is a multiple of the "
           "key's).");
  const auto require = [&](size_t input, const TensorType& expected, const char* what) {
    if (c.inputs[input] != expected)
      c.fail(std::string(what) + " has type " + c.inputs[input].toString() + " (expected " +
             expected.toString() + ").");
  };
  const TensorType result{dtype, {q[0], q[1], q[2], v[3]}},
      sums{wideType(dtype), {q[0], q[2], q[1]}};
  require(1, {dtype, k}, "the key");
  require(2, {dtype, v}, "the value");
  if (isBackward) {
    require(3, result, "the result");
    require(4, sums, "the sums' operand");
    require(5, result, "the gradient");
  }
  if (form.mask >= 0) {
    const TensorType& mask = c.inputs[static_cast<size_t>(form.mask)];
    if (mask != TensorType{dtype, {q[0], 1, k[1]}})
      require(static_cast<size_t>(form.mask), {dtype, {q[0], q[1], k[1]}}, "the mask");
  }
  for (int i = 0; form.seed >= 0 && i < 3; ++i)
    require(static_cast<size_t>(form.seed + i), {DType::I64, {}}, "a number of the random key");
  if (isBackward) return {c.inputs[0], c.inputs[1], c.inputs[2]};
  return {result, sums};
}

/// Applies the rule to query, key and value, which may be one operand.
std::vector<TensorType> inferJoined(const ShapeContext& c, bool isBackward) {
  if (!c.attributes.get<bool>("joined")) return inferForms(c, isBackward);
  const TensorType joined = c.inputs[0];
  if (joined.shape.rank() != 4 || joined.shape[2] % 3 != 0)
    c.fail("the operand has shape " + joined.shape.toString() +
           " (expected [samples, steps, 3 x heads, size]).");
  std::vector<TensorType> operands(3, partOfJoined(joined));
  operands.insert(operands.end(), c.inputs.begin() + 1, c.inputs.end());
  Attributes attributes = c.attributes;
  attributes.set("joined", false);
  const std::vector<TensorType> results =
      inferForms(ShapeContext{c.op, operands, attributes}, isBackward);
  return isBackward ? std::vector<TensorType>{joined} : results;
}

std::vector<TensorType> inferAttention(const ShapeContext& c) { return inferJoined(c, false); }
std::vector<TensorType> inferAttentionBackward(const ShapeContext& c) {
  return inferJoined(c, true);
}

std::vector<ValueId> attentionGradient(const GradientContext& c) {
  const Attributes attributes = c.node().attributes;
  const std::vector<ValueId> inputs = c.node().inputs;
  if (attributes.get<bool>("joined"))
    throw Error(
        ErrorCode::UnsupportedOp, c.node().layer,
        "attention of one operand has no gradient. Differentiate the graph before joining.");
  if (c.outputGradients[1].isValid())
    throw Error(ErrorCode::UnsupportedOp, c.node().layer,
                "the sums output of attention has no gradient. Use its result.");
  std::vector<ValueId> operands{inputs[0],   inputs[1],   inputs[2],
                                c.output(0), c.output(1), c.outputGradients[0]};
  operands.insert(operands.end(), inputs.begin() + 3, inputs.end());
  std::vector<ValueId> gradients =
      c.graph.node(c.graph.addNode(opNamed("attention_backward"), operands, attributes)).outputs;
  gradients.resize(inputs.size());
  return gradients;
}

/// Counts two products over all pairs of steps, or five in the backward pass. Causal attention has
/// half of the pairs.
Cost attentionCost(const Graph& graph, const Node& node) {
  const bool isBackward = node.op->direction == OpDirection::Backward,
             isJoined = node.attributes.get<bool>("joined");
  const TensorType& first = graph.type(node.inputs[0]);
  const Shape q = isJoined ? partOfJoined(first).shape : first.shape,
              v = isJoined ? q : graph.shape(node.inputs[2]);
  const double pairs = static_cast<double>(q[0] * q[1] * q[2] * v[1]) *
                       (node.attributes.get<bool>("causal") ? 0.5 : 1);
  const double size = static_cast<double>(q[3]), valueSize = static_cast<double>(v[3]);
  const double products = pairs * (isBackward ? 3 * size + 2 * valueSize : size + valueSize);
  Cost cost{products, 2 * products + (isBackward ? 20 : 15) * pairs, 0};
  for (const ValueId value : node.inputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  for (const ValueId value : node.outputs)
    cost.bytes += static_cast<double>(graph.type(value).bytes());
  return cost;
}

}  // namespace

std::vector<OpDef> defineAttention() {
  OpDef forward;
  forward.name = "attention";
  forward.work = WorkKind::Attention;
  forward.kind = OpKind::Compute;
  forward.minInputs = 1;
  forward.maxInputs = 7;
  forward.numOutputs = 2;
  forward.attributes = {
      {"scale", 1.0},      {"causal", false},       {"rate", 0.0},    {"stream", std::string()},
      {"has_mask", false}, {"drops_hidden", false}, {"joined", false}};
  forward.infer = inferAttention;
  forward.gradient = attentionGradient;
  forward.cost = attentionCost;
  forward.precision = OpPrecision::Low;
  OpDef backward = forward;
  backward.name = "attention_backward";
  backward.direction = OpDirection::Backward;
  backward.minInputs = 4;
  backward.maxInputs = 10;
  backward.numOutputs = 3;
  backward.infer = inferAttentionBackward;
  // All operands except the sums
  backward.lowOperands = {0, 1, 2, 3, 5, 6};
  backward.gradient = nullptr;
  backward.noGradientReason = "second derivatives of attention are not implemented";
  return {forward, backward};
}

ValueId attention(Graph& g, ValueId query, ValueId key, ValueId value,
                  const AttentionOptions& options) {
  std::vector<ValueId> operands{query, key, value};
  if (options.mask.isValid()) operands.push_back(options.mask);
  if (options.rate > 0)
    operands.insert(operands.end(), {options.seed, options.step, options.firstSample});
  return g.add(opNamed("attention"), operands,
               {{"scale", options.scale},
                {"causal", options.isCausal},
                {"rate", options.rate},
                {"stream", options.rate > 0 ? options.stream : std::string()},
                {"has_mask", options.mask.isValid()},
                {"drops_hidden", options.dropsHidden}});
}

}  // namespace strata
