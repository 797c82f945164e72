// SPDX-License-Identifier: Apache-2.0
// Sums a value over all replicas within the forward pass, for statistics of the whole batch.
//
// sync_sum {number, count, processes} (x, share[, before]) -> y: y is the sum of x over all
// replicas, in the order of their ranks. A device without replicas returns x. `share` is
// the part of the batch that the replica has. `before` is a result of the collective before, so
// that all replicas have the collectives of a step in one order; its value is not used.
// number, count, processes: as in all_reduce.cpp. With several processes, nothing overlaps.
//
// Inputs: x is f32 or f64 of any shape, share is a scalar of this type.
// Gradient: the loss is the sum of share * loss over the replicas. A replica computes the gradient
//   of its loss without the share, and multiplies it by the share later. Hence
//   dx = sync_sum(share * dy) / share.
// Errors: InvalidArgument.
// Numerics: ((x of rank 0 + x of rank 1) + x of rank 2) + .., each sum rounded.
// Source: own definition.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"

namespace strata {
namespace {

std::vector<TensorType> inferSyncSum(const ShapeContext& c) {
  const DType dtype = c.inputs[0].dtype;
  if ((dtype != DType::F32 && dtype != DType::F64) || c.inputs[1] != TensorType{dtype, {}})
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "the operands are " + c.inputs[0].toString() + " and " + c.inputs[1].toString() +
                    " (expected f32 or f64 of any shape, and a scalar of this type).");
  return {c.inputs[0]};
}

std::vector<ValueId> syncSumGradient(const GradientContext& c) {
  if (!c.inputNeedsGradient[0] || !c.outputGradients[0].isValid())
    return std::vector<ValueId>(c.node().inputs.size());
  const ValueId share = c.input(1);
  const size_t count = c.node().inputs.size();
  std::vector<ValueId> result(count);
  result[0] = divide(
      c.graph, syncSum(c.graph, multiply(c.graph, c.outputGradients[0], share), share), share);
  return result;
}

}  // namespace

std::vector<OpDef> defineSyncSum() {
  OpDef op;
  op.name = "sync_sum";
  op.kind = OpKind::Compute;
  op.role = OpRole::SyncSum;
  op.minInputs = 2;
  op.maxInputs = 3;
  op.attributes = {
      {"number", int64_t{0}, true}, {"count", int64_t{1}, true}, {"processes", int64_t{1}, true}};
  op.infer = inferSyncSum;
  op.gradient = syncSumGradient;
  op.mayAlias = {{0, 0}};
  op.isCollective = true;
  return {op};
}

ValueId syncSum(Graph& g, ValueId x, ValueId share) {
  return g.add(opNamed("sync_sum"), {x, share},
               {{"number", int64_t{0}}, {"count", int64_t{1}}, {"processes", int64_t{1}}});
}

}  // namespace strata
