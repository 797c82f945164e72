// SPDX-License-Identifier: Apache-2.0
// Brings the parts of variables that different replicas have updated to all replicas.
//
// all_gather {number, rank, replicas, begins, counts} (w1, .., wn, s1, s2, ..[, apply]) -> w1', ..,
// wn': each replica has computed new values of some elements of the variables. Replica r has those
// from begins[r * n + i] to begins[r * n + i] + counts[r * n + i] - 1 of variable i, in row-major
// order. The operands s are the own ones of replica `rank`, for each variable of which it has any.
// All variables then have the new elements of all replicas. A device without replicas takes only
// its own ones.
//
// number: that of the collective in the step (all_reduce.cpp).
//
// Inputs: w and s of a variable have one type, f32 or f64; s has as many elements as the replica
// updates, in any shape.
// Gradient: none, because updates of variables have no gradient.
// Errors: ShapeMismatch, InvalidArgument.
// Numerics: exact copies.
// Source: ZeRO (Rajbhandari et al., 2020), stage 1.
#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferAllGather(const ShapeContext& c) {
  const auto &begins = c.attributes.get<std::vector<int64_t>>("begins"),
             &counts = c.attributes.get<std::vector<int64_t>>("counts");
  const auto rank = c.attributes.get<int64_t>("rank"),
             replicas = c.attributes.get<int64_t>("replicas");
  if (replicas < 1 || rank < 0 || rank >= replicas || begins.size() != counts.size() ||
      begins.empty() || begins.size() % static_cast<size_t>(replicas) != 0)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "the ranges do not fit the replicas (expected begins and counts of each variable "
                "for each replica).");
  const size_t n = begins.size() / static_cast<size_t>(replicas);
  size_t next = n;
  for (size_t i = 0; i < n && i < c.inputs.size(); ++i) {
    const int64_t count = counts[static_cast<size_t>(rank) * n + i];
    if (count == 0) continue;
    if (next >= c.inputs.size() || c.inputs[next].shape.numElements() != count ||
        c.inputs[next].dtype != c.inputs[i].dtype)
      c.fail("operand " + std::to_string(next) + " does not have the " + std::to_string(count) +
             " elements of variable " + std::to_string(i) + " that the replica updates.");
    ++next;
  }
  if (c.inputs.size() != next && c.inputs.size() != next + 1)
    c.fail("got " + std::to_string(c.inputs.size()) + " operands (expected " +
           std::to_string(next) + ").");
  return {c.inputs.begin(), c.inputs.begin() + static_cast<std::ptrdiff_t>(n)};
}

/// Returns the number of operands without `apply`.
size_t ownOperands(const Node& node) {
  const auto& counts = node.attributes.get<std::vector<int64_t>>("counts");
  const size_t n = node.outputs.size(),
               first = static_cast<size_t>(node.attributes.get<int64_t>("rank")) * n;
  return n +
         static_cast<size_t>(std::count_if(counts.begin() + static_cast<std::ptrdiff_t>(first),
                                           counts.begin() + static_cast<std::ptrdiff_t>(first + n),
                                           [](int64_t count) { return count > 0; }));
}

}  // namespace

std::vector<OpDef> defineAllGather() {
  OpDef op;
  op.name = "all_gather";
  op.kind = OpKind::Update;
  op.minInputs = 1;
  op.maxInputs = -1;
  op.numOutputs = 1;
  op.attributes = {{"number", int64_t{0}, true},
                   {"rank", int64_t{0}, true},
                   {"replicas", int64_t{1}, true},
                   {"begins", std::vector<int64_t>{}, true},
                   {"counts", std::vector<int64_t>{}, true}};
  op.infer = inferAllGather;
  op.noGradientReason = "updates of variables have no gradient";
  op.updatesFirstOperands = true;
  op.numOwnOperands = ownOperands;
  op.layerOperand = [](const Node&, int output) {
    return output;
  };
  op.isCollective = true;
  op.work = WorkKind::Update;
  return {op};
}

std::vector<ValueId> allGather(Graph& g, std::vector<ValueId> operands, int64_t number,
                               int64_t rank, int64_t replicas, std::vector<int64_t> begins,
                               std::vector<int64_t> counts) {
  return g
      .node(g.addNode(opNamed("all_gather"), std::move(operands),
                      {{"number", number},
                       {"rank", rank},
                       {"replicas", replicas},
                       {"begins", std::move(begins)},
                       {"counts", std::move(counts)}}))
      .outputs;
}

}  // namespace strata
