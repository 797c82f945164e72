// SPDX-License-Identifier: Apache-2.0
// Adds a shortcut and applies relu while batch normalization writes its result. Applies the
// gradient of relu while the gradient of batch normalization is computed.
//
//   before:  x -> batch_norm -> add <- shortcut
//                                |
//                         activation relu -> y
//   after:   x, shortcut -> batch_norm {activation="relu"} -> y
//
//   before:  dy, y -> activation_backward -> batch_norm_backward
//   after:   dy, .., y -> batch_norm_backward
//   or:      dy, .., beta -> batch_norm_backward, if the normalization itself applies the relu and
//            has no shortcut
//
// Computes new moving statistics where the statistics are computed.
//
//   before:  mean -> affine -> add <- affine <- moving_mean    (and the same of the variance, which
//            inv_std -> square -> reciprocal -> affine ..       is 1 / inv_std^2 - epsilon)
//   after:   x, .., moving_mean, moving_variance -> batch_norm -> .., next_mean, next_variance
//
// The pass applies only if nothing else uses the values in between. If there is a shortcut, its
// gradient also needs the result of activation_backward, so the gradients are not fused.
#include <cmath>
#include <map>

#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

bool isRelu(const Node& node, OpRole role) {
  return node.op->role == role && node.attributes.get<std::string>("kind") == "relu";
}

/// Returns the shortcut if `user` adds one of the same type to `normalized`, otherwise an invalid
/// id.
ValueId addendOf(const Graph& graph, const Node& user, ValueId normalized) {
  if (user.op->role != OpRole::Add) return {};
  const ValueId other = user.inputs[0] == normalized ? user.inputs[1] : user.inputs[0];
  return other != normalized && graph.type(other) == graph.type(normalized) ? other : ValueId{};
}

/// The positions of nodes in the order before the pass. A new node has the position of the node
/// that it replaces.
using Places = std::map<NodeId, size_t>;

void fuseForward(Graph& graph, NodeId id, Places& places, PassReport& report) {
  const Node original = graph.node(id);
  NodeId user = onlyUser(graph, original.outputs[0]);
  if (original.inputs.size() != 3 ||
      original.attributes.get<std::string>("activation") != "linear" || !user.isValid())
    return;
  std::vector<ValueId> inputs = original.inputs;
  ValueId result;
  std::string what;
  // The fused node gets the position of the normalization, because nodes between it and the sum may
  // use its statistics. The shortcut must therefore be computed before this position.
  if (const ValueId addend = addendOf(graph, graph.node(user), original.outputs[0]);
      addend.isValid() && places.at(graph.value(addend).producer) < places.at(id)) {
    inputs.push_back(addend);
    result = graph.node(user).outputs[0];
    what = "a sum";
    user = onlyUser(graph, result);
  }
  Attributes attributes = original.attributes;
  if (user.isValid() && isRelu(graph.node(user), OpRole::Activation)) {
    attributes.set("activation", std::string("relu"));
    result = graph.node(user).outputs[0];
    what += what.empty() ? "relu" : " and relu";
  }
  if (!result.isValid()) return;
  NodeId fused;
  {
    const ReplacementScope scope(graph, id);
    fused = graph.addNode(*original.op, std::move(inputs), std::move(attributes));
  }
  places[fused] = places.at(id);
  const std::vector<ValueId> outputs = graph.node(fused).outputs;
  for (size_t i = 1; i < outputs.size(); ++i)
    replaceValue(graph, original.outputs[i], outputs[i]);
  replaceValue(graph, result, outputs[0]);
  note(report, graph.node(fused), "fused " + what + " into batch_norm");
}

void fuseBackward(Graph& graph, NodeId id, PassReport& report) {
  const Node original = graph.node(id);
  const ValueId dy = original.inputs[0];
  if (original.inputs.size() != 5 || !hasSingleUse(graph, dy)) return;
  const Node mask = producerOf(graph, dy);
  if (!isRelu(mask, OpRole::ActivationBackward)) return;
  // A device may move the gradient of an activation before max pooling to the pooled tensor, which
  // is smaller. It is therefore not fused here.
  if (producerOf(graph, mask.inputs[0]).op->role == OpRole::MaxPoolBackward) return;
  std::vector<ValueId> inputs = original.inputs;
  inputs[0] = mask.inputs[0];
  const Node source = producerOf(graph, mask.inputs[1]);
  const bool isItsRelu =
      source.op->role == OpRole::BatchNorm && source.inputs.size() == 3 &&
      source.inputs[0] == original.inputs[1] && source.inputs[1] == original.inputs[2] &&
      source.outputs[1] == original.inputs[3] && source.outputs[2] == original.inputs[4] &&
      source.attributes.get<std::string>("activation") == "relu";
  inputs.push_back(isItsRelu ? source.inputs[2] : mask.inputs[1]);
  NodeId fused;
  {
    const ReplacementScope scope(graph, id);
    fused = graph.addNode(*original.op, std::move(inputs), original.attributes);
  }
  for (size_t i = 0; i < original.outputs.size(); ++i)
    replaceValue(graph, original.outputs[i], graph.node(fused).outputs[i]);
  note(report, graph.node(fused), "fused relu's gradient into batch_norm_backward");
}

/// The sum of a share of a statistic and of its moving value. `next` is invalid if there is none.
struct MovingSum {
  ValueId moving, next;
  double momentum = 0, share = 0, offset = 0;
};

/// Returns the only user of a value if it has this op, otherwise null.
const Node* onlyUserOf(const Graph& graph, ValueId value, std::string_view op) {
  const NodeId user = onlyUser(graph, value);
  return user.isValid() && graph.node(user).op == &opNamed(op) ? &graph.node(user) : nullptr;
}

/// Finds the sum of affine(statistic) and affine(variable) that a node of the graph computes.
MovingSum movingSum(const Graph& graph, ValueId statistic) {
  const Node* share = nullptr;
  for (const Use& use : graph.value(statistic).uses)
    if (const Node& user = graph.node(use.node); user.op->role == OpRole::Affine) share = &user;
  if (!share) return {};
  const Node* sum = onlyUserOf(graph, share->outputs[0], "add");
  if (!sum) return {};
  const ValueId other = sum->inputs[0] == share->outputs[0] ? sum->inputs[1] : sum->inputs[0];
  const Node& kept = producerOf(graph, other);
  if (kept.op->role != OpRole::Affine || !isMadeBy(graph, kept.inputs[0], OpRole::Variable) ||
      kept.attributes.get<double>("offset") != 0 || graph.type(other) != graph.type(statistic))
    return {};
  return {kept.inputs[0], sum->outputs[0], kept.attributes.get<double>("scale"),
          share->attributes.get<double>("scale"), share->attributes.get<double>("offset")};
}

void fuseMovingStatistics(Graph& graph, NodeId id, const Places& places, PassReport& report) {
  const Node original = graph.node(id);
  if (original.outputs.size() > 3) return;
  const MovingSum mean = movingSum(graph, original.outputs[1]);
  const Node* square = nullptr;
  for (const Use& use : graph.value(original.outputs[2]).uses)
    if (graph.node(use.node).op->role == OpRole::Square) square = &graph.node(use.node);
  const Node* inverse = square ? onlyUserOf(graph, square->outputs[0], "reciprocal") : nullptr;
  const MovingSum variance = inverse ? movingSum(graph, inverse->outputs[0]) : MovingSum{};
  const double epsilon = original.attributes.get<double>("epsilon");
  if (!mean.next.isValid() || !variance.next.isValid() || mean.offset != 0 ||
      mean.momentum != variance.momentum || mean.share != variance.share ||
      std::fabs(variance.offset + variance.share * epsilon) > 1e-6 * variance.share * epsilon)
    return;
  std::vector<ValueId> inputs = original.inputs;
  for (const ValueId moving : {mean.moving, variance.moving}) {
    if (places.at(graph.value(moving).producer) > places.at(id)) return;
    inputs.push_back(moving);
  }
  Attributes attributes = original.attributes;
  attributes.set("momentum", mean.momentum);
  attributes.set("share", mean.share);
  NodeId fused;
  {
    const ReplacementScope scope(graph, id);
    fused = graph.addNode(*original.op, std::move(inputs), std::move(attributes));
  }
  const std::vector<ValueId> outputs = graph.node(fused).outputs;
  for (size_t i = 0; i < original.outputs.size(); ++i) {
    graph.edit().setCategory(outputs[i], graph.value(original.outputs[i]).category);
    graph.edit().replaceAllUses(original.outputs[i], outputs[i]);
  }
  replaceValue(graph, mean.next, outputs[3]);
  replaceValue(graph, variance.next, outputs[4]);
  graph.edit().removeNode(id);
  note(report, graph.node(fused), "fused moving statistics into batch_norm");
}

}  // namespace

void fuseBatchNorm(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.normalizesWithRelu) return;
  const std::vector<NodeId> order = graph.order();
  Places places;
  for (size_t i = 0; i < order.size(); ++i)
    places[order[i]] = i;
  for (NodeId id : order) {
    if (!graph.isAlive(id)) continue;
    const OpRole role = graph.node(id).op->role;
    if (role == OpRole::BatchNorm) fuseForward(graph, id, places, report);
    if (role == OpRole::BatchNormBackward) fuseBackward(graph, id, report);
  }
  if (!device.updatesMovingStatistics) return;
  const std::vector<NodeId> fused = graph.order();
  for (size_t i = 0; i < fused.size(); ++i)
    places[fused[i]] = i;
  for (const NodeId id : fused)
    if (graph.isAlive(id) && graph.node(id).op->role == OpRole::BatchNorm)
      fuseMovingStatistics(graph, id, places, report);
}

}  // namespace strata
