// SPDX-License-Identifier: Apache-2.0
// all_reduce {number} (x1, x2, ..) -> y1, y2, ..: each result is the sum of the operand over all
// replicas of a step, in the order of their ranks. All replicas get the same bits. A device without
// replicas returns its operands.
// Inputs: f32 or f64 of any shapes. Results: the same types. They may overwrite the operands.
// number: that of the collective in the step. All replicas have the same ones in the same order, so
// passes must not merge, drop, repeat or move them past each other.
//
// Gradient: none, because it is added after differentiation.
// Errors: InvalidArgument.
// Numerics: ((x of rank 0 + x of rank 1) + x of rank 2) + .., each sum rounded to the type.
// Source: own definition.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferAllReduce(const ShapeContext& c) {
  for (size_t i = 0; i < c.inputs.size(); ++i)
    if (c.inputs[i].dtype != DType::F32 && c.inputs[i].dtype != DType::F64)
      throw Error(ErrorCode::InvalidArgument, c.op.name,
                  "operand " + std::to_string(i) + " is " +
                      std::string(dtypeName(c.inputs[i].dtype)) + " (expected f32 or f64).");
  return {c.inputs.begin(), c.inputs.end()};
}

}  // namespace

std::vector<OpDef> defineAllReduce() {
  OpDef op;
  op.name = "all_reduce";
  op.kind = OpKind::Compute;
  op.minInputs = 1;
  op.maxInputs = -1;
  op.numOutputs = 1;
  op.attributes = {{"number", int64_t{0}, true}};
  op.infer = inferAllReduce;
  op.noGradientReason = "it is added after differentiation";
  op.overwritesOperands = true;
  op.isCollective = true;
  return {op};
}

std::vector<ValueId> allReduce(Graph& g, std::vector<ValueId> values, int64_t number) {
  return g.node(g.addNode(opNamed("all_reduce"), std::move(values), {{"number", number}})).outputs;
}

}  // namespace strata
