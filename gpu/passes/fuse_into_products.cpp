// SPDX-License-Identifier: Apache-2.0
// Sums the gradient of a bias in the product that computes the gradient of the weights, and adds
// other operands, such as shortcuts, in the product.
//
//   before:  x, dy -> matmul {transpose_a} -> dw          after:  x, dy -> matmul_bias_gradient
//            dy -> reduce_sum {axes=[0]} -> db                       -> dw, db
//
//   before:  a, b -> matmul -> reshape -> add <- r         after:  a, b, reshape(r) -> matmul_add
//                                                                     -> reshape
//
// Products with relu whose first operand x also has such a gradient get the attribute shows_nan. If
// x is not finite, neither is dw, which all_finite checks. It then also checks the bias, and the
// weights if no gradient of data depends on them. Libraries may then apply relu, although it may
// turn a NaN into 0.
//
// The second form applies if nothing else uses the product. The pass does not change sums of
// gradients over micro-batches, so their order stays as it is.
#include <algorithm>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

bool isPlainProduct(const Node& node) {
  return node.op->role == OpRole::Matmul &&
         node.attributes.get<std::string>("activation") == "linear";
}

/// Returns the reduce_sum over the rows of a matrix, or null.
NodeId rowSumOf(const Graph& graph, ValueId matrix) {
  if (graph.shape(matrix).rank() != 2) return {};
  for (const Use& use : graph.value(matrix).uses) {
    const Node& node = graph.node(use.node);
    if (node.op->role == OpRole::ReduceSum && !node.attributes.get<bool>("keepdims") &&
        node.attributes.get<std::vector<int64_t>>("axes") == std::vector<int64_t>{0} &&
        graph.type(node.outputs[0]).dtype == wideType(graph.type(matrix).dtype))
      return use.node;
  }
  return {};
}

/// Returns the all_finite that reads a value, a view of it, or a cast of one of these.
NodeId finiteGuardOf(const Graph& graph, ValueId value) {
  for (const Use& use : graph.value(value).uses) {
    const Node& user = graph.node(use.node);
    if (user.op->role == OpRole::AllFinite && user.attributes.get<int64_t>("pairs") == 0)
      return use.node;
    if (user.op->kind != OpKind::View && user.op->role != OpRole::Cast) continue;
    if (const NodeId guard = finiteGuardOf(graph, user.outputs[0]); guard.isValid()) return guard;
  }
  return {};
}

/// Returns whether a product of the backward pass reads these weights. A NaN of them then shows in
/// gradients of earlier layers.
bool hasDataGradient(const Graph& graph, ValueId weights) {
  return std::ranges::any_of(graph.value(weights).uses, [&](const Use& use) {
    const Node& user = graph.node(use.node);
    return user.op->role == OpRole::Matmul && user.phase == Phase::Backward;
  });
}

/// Lets products of x with relu lose a NaN. `guard` is the all_finite that checks a gradient which
/// shows a NaN of x. It then checks biases, too, and weights without another witness.
void showNan(Graph& graph, ValueId x, NodeId guard) {
  for (const Use& use : graph.value(x).uses) {
    const Node node = graph.node(use.node);
    if (node.op->role != OpRole::Matmul || use.operand != 0 ||
        node.attributes.get<std::string>("activation") != "relu" ||
        node.attributes.get<bool>("shows_nan"))
      continue;
    graph.edit().mutableNode(use.node).attributes.set("shows_nan", true);
    if (node.inputs.size() > 2) graph.edit().appendInput(guard, node.inputs[2]);
    if (!hasDataGradient(graph, node.inputs[1])) graph.edit().appendInput(guard, node.inputs[1]);
  }
}

void sumBiasGradient(Graph& graph, NodeId id, PassReport& report) {
  const Node product = graph.node(id);
  if (!isPlainProduct(product) || product.inputs.size() != 2 ||
      !product.attributes.get<bool>("transpose_a") || product.attributes.get<bool>("transpose_b"))
    return;
  const NodeId sum = rowSumOf(graph, product.inputs[1]);
  if (!sum.isValid()) return;
  const Node bias = graph.node(sum);
  // At the first of the two nodes, where both operands must be known
  const std::vector<NodeId> order = graph.order();
  const NodeId position =
      *std::ranges::find_if(order, [&](NodeId each) { return each == id || each == sum; });
  const bool knowsBoth = std::ranges::all_of(product.inputs, [&](ValueId input) {
    return std::ranges::find(order, graph.value(input).producer) <
           std::ranges::find(order, position);
  });
  if (!knowsBoth) return;
  NodeId fused;
  {
    const ReplacementScope scope(graph, position);
    graph.context = contextOf(graph, id);
    fused = graph.addNode(opNamed("matmul_bias_gradient"), product.inputs,
                          {{"result", product.attributes.getOr<std::string>("result", {})}});
  }
  const std::vector<ValueId> outputs = graph.node(fused).outputs;
  graph.edit().setCategory(outputs[1], graph.value(bias.outputs[0]).category);
  note(report, product, "sums the gradient of the bias");
  if (const NodeId guard = finiteGuardOf(graph, product.outputs[0]); guard.isValid())
    showNan(graph, product.inputs[0], guard);
  replaceValue(graph, product.outputs[0], outputs[0]);
  replaceValue(graph, bias.outputs[0], outputs[1]);
}

/// Returns the product that `value` is a view of, if nothing else uses it, or an invalid id.
NodeId onlyProductOf(const Graph& graph, ValueId value) {
  while (true) {
    if (!hasSingleUse(graph, value)) return {};
    const NodeId id = graph.value(value).producer;
    if (graph.node(id).op->kind != OpKind::View)
      return isPlainProduct(graph.node(id)) ? id : NodeId{};
    value = graph.node(id).inputs[0];
  }
}

void addInProduct(Graph& graph, NodeId id, PassReport& report) {
  const Node sum = graph.node(id);
  if (sum.op->role != OpRole::Add || graph.type(sum.inputs[0]) != graph.type(sum.inputs[1]) ||
      sum.inputs[0] == sum.inputs[1])
    return;
  if (graph.value(sum.outputs[0]).category == Category::Gradient) return;
  for (const size_t operand : {1, 0}) {
    const NodeId source = onlyProductOf(graph, sum.inputs[operand]);
    if (!source.isValid()) continue;
    const Node product = graph.node(source);
    if (!product.attributes.getOr<std::string>("result", {}).empty()) continue;
    const ValueId addend = sum.inputs[1 - operand];
    const Shape& shape = graph.shape(product.outputs[0]);
    if (shape.numElements() == 0) continue;
    // At the place of the sum, where both operands are known
    const ReplacementScope scope(graph, id);
    graph.context.layer = product.layer;
    graph.context.category = graph.value(product.outputs[0]).category;
    const bool isView = graph.shape(addend) != shape;
    std::vector<ValueId> inputs{product.inputs[0], product.inputs[1],
                                isView ? reshape(graph, addend, shape) : addend};
    if (product.inputs.size() > 2) inputs.push_back(product.inputs[2]);
    ValueId result = graph.add(opNamed("matmul_add"), std::move(inputs),
                               {{"transpose_a", product.attributes.get<bool>("transpose_a")},
                                {"transpose_b", product.attributes.get<bool>("transpose_b")}});
    note(report, producerOf(graph, result), "adds an operand in matmul");
    graph.context.category = graph.value(sum.outputs[0]).category;
    if (isView) result = reshape(graph, result, graph.shape(sum.outputs[0]));
    replaceValue(graph, sum.outputs[0], result);
    return;
  }
}

}  // namespace

void fuseIntoProducts(Graph& graph, const DeviceTraits& device, PassReport& report) {
  const std::vector<NodeId> order = graph.order();
  if (device.sumsBiasGradients)
    for (const NodeId id : order)
      if (graph.isAlive(id)) sumBiasGradient(graph, id, report);
  if (device.addsToProducts)
    for (const NodeId id : order)
      if (graph.isAlive(id)) addInProduct(graph, id, report);
}

}  // namespace strata
