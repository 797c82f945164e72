// SPDX-License-Identifier: Apache-2.0
// dropout {rate, stream} (x, seed, step, first_sample):
//   y[i] = u(i) >= rate ? x[i] / (1 - rate) : 0, with u(i) uniform in [0, 1)
// u(i) depends only on seed, layer (`stream`), step, the sample's position in the epoch, and the
// element in the sample (dropout_mask.h). It does not depend on the division into micro-batches or
// threads.
//
// Inputs: x [N,..], f32 or f64; seed, step, first_sample: i64 scalars.
// Output: the type of x.
// Gradient: dropout of dy with the same operands, which give the same mask.
// Errors: InvalidArgument (rate outside [0, 1)), ShapeMismatch.
// Numerics: kept elements are scaled by T(1 / (1 - rate)).
// Source: Srivastava et al., 2014. Kept elements are scaled during training, as in Keras.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferDropout(const ShapeContext& c) {
  requireFloating(c, 0);
  const double rate = c.attributes.get<double>("rate");
  if (!(rate >= 0 && rate < 1))
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "rate is " + std::to_string(rate) + " (expected at least 0 and below 1).");
  for (size_t i = 1; i < 4; ++i)
    if (c.inputs[i] != TensorType{DType::I64, {}})
      c.fail("input " + std::to_string(i) + " has type " + c.inputs[i].toString() +
             " (expected i64[]).");
  return inferSame(c);
}

std::vector<ValueId> dropoutGradient(const GradientContext& c) {
  std::vector<ValueId> operands = c.node().inputs;
  operands[0] = c.outputGradients[0];
  const Attributes attributes = c.node().attributes;
  return {c.graph.add(opNamed("dropout"), std::move(operands), attributes), {}, {}, {}};
}

Cost dropoutCost(const Graph& graph, const Node& node) {
  // Ten rounds of Philox produce four random numbers, with about 12 operations per number.
  return {0, 12.0 * static_cast<double>(graph.shape(node.outputs[0]).numElements()),
          2.0 * static_cast<double>(graph.type(node.outputs[0]).bytes())};
}

}  // namespace

std::vector<OpDef> defineDropout() {
  OpDef op;
  op.name = "dropout";
  op.kind = OpKind::Elementwise;
  op.minInputs = op.maxInputs = 4;
  op.attributes = {{"rate", 0.0, true}, {"stream", std::string(), true}};
  op.infer = inferDropout;
  op.gradient = dropoutGradient;
  op.cost = dropoutCost;
  op.mayAlias = {{0, 0}};
  op.role = OpRole::Dropout;
  op.precision = OpPrecision::Follows;
  return {op};
}

ValueId dropout(Graph& g, ValueId x, ValueId seed, ValueId step, ValueId firstSample, double rate,
                std::string_view streamName) {
  return g.add(opNamed("dropout"), {x, seed, step, firstSample},
               {{"rate", rate}, {"stream", std::string(streamName)}});
}

}  // namespace strata
