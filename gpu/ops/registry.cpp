// SPDX-License-Identifier: Apache-2.0
// The registry of all ops, and the default cost of an op.
#include "gpu/ops/registry.h"

#include <algorithm>
#include <map>
#include <memory>

#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"

namespace strata {
namespace {

constexpr std::vector<OpDef> (*kDefinitions[])() = {
    defineSources,        defineUnary,     defineBinary,
    defineActivation,     defineSoftmax,   defineMovement,
    defineGather,         defineReduce,    defineMatmul,
    defineJoinedProducts, defineConv2d,    definePool2d,
    defineBatchNorm,      defineLayerNorm, defineDropout,
    defineRandomUniform,  defineRecurrent, defineAttention,
    defineCrossEntropy,   defineCtc,       defineUpdate,
    defineJoinedUpdates,  defineAllFinite, defineGradientNorm,
    defineAllReduce,      defineTransfers, defineAllGather,
    defineSyncSum,        definePointwise, defineClassificationLoss,
};

struct Registry {
  std::vector<std::unique_ptr<const OpDef>> owned;
  std::vector<const OpDef*> all;
  std::map<std::string_view, const OpDef*> byName;
  Registry() {
    for (const auto define : kDefinitions)
      for (OpDef& definition : define()) {
        owned.push_back(std::make_unique<const OpDef>(std::move(definition)));
        all.push_back(owned.back().get());
        require(byName.emplace(all.back()->name, all.back()).second, "op names are unique");
      }
  }
};

const Registry& registry() {
  static const Registry instance;
  return instance;
}

}  // namespace

std::span<const OpDef* const> allOps() { return registry().all; }

const OpDef* findOp(std::string_view name) {
  const auto at = registry().byName.find(name);
  return at == registry().byName.end() ? nullptr : at->second;
}

const OpDef& opNamed(std::string_view name) {
  if (const OpDef* op = findOp(name)) return *op;
  std::vector<std::string_view> names;
  for (const OpDef* op : allOps())
    names.push_back(op->name);
  const std::string nearest(nearestName(name, names));
  throw Error(ErrorCode::UnsupportedOp, std::string(name),
              "the engine has no op \"" + std::string(name) + "\"" +
                  (nearest.empty() ? "." : ". Did you mean \"" + nearest + "\"?"));
}

std::vector<std::pair<int, int>> sharedPairs(const OpDef& op, size_t numInputs, size_t numOutputs) {
  std::vector<std::pair<int, int>> result;
  if (op.updatesFirstOperands)
    for (int i = 0; i < static_cast<int>(numOutputs); ++i)
      result.emplace_back(i, i);
  for (const auto& [output, input] : op.mustAlias)
    if (static_cast<size_t>(output) < numOutputs && static_cast<size_t>(input) < numInputs)
      result.emplace_back(output, input);
  return result;
}

size_t numOwnOperands(const Node& node) {
  if (node.op->kind != OpKind::Update) return node.inputs.size();
  if (node.op->numOwnOperands) return node.op->numOwnOperands(node);
  // Each optional state operand of an update adds an output
  return static_cast<size_t>(node.op->minInputs) + node.outputs.size() -
         static_cast<size_t>(node.op->numOutputs);
}

ValueId applyOf(const Node& node) {
  return node.inputs.size() > numOwnOperands(node) ? node.inputs.back() : ValueId{};
}

void ShapeContext::fail(const std::string& message) const {
  throw Error(ErrorCode::ShapeMismatch, op.name, "[" + op.name + "] " + message);
}

Cost costOf(const Graph& graph, const Node& node) {
  if (node.op->cost != nullptr) return node.op->cost(graph, node);
  Cost cost;
  if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View) return cost;
  for (ValueId output : node.outputs) {
    cost.flops += static_cast<double>(graph.shape(output).numElements());
    cost.bytes += static_cast<double>(graph.type(output).bytes());
  }
  for (ValueId input : node.inputs)
    cost.bytes += static_cast<double>(graph.type(input).bytes());
  // Reductions and updates do arithmetic for each element that they read.
  if (node.op->kind == OpKind::Reduction || node.op->kind == OpKind::Update)
    cost.flops =
        std::max(cost.flops, static_cast<double>(graph.shape(node.inputs[0]).numElements()));
  return cost;
}

std::vector<std::string> sourcesOfCopy(const Node& variable) {
  const auto text = variable.attributes.getOr<std::string>("copy_of", {});
  std::vector<std::string> names;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

}  // namespace strata
