// SPDX-License-Identifier: Apache-2.0
// random_uniform {shape, stream} (seed, step, first_sample): random numbers u(i) with 24 bits each,
// uniform in [0, 1). u(i) depends only on seed, stream, step, the sample's position in the epoch,
// and the element in the sample (dropout_mask.h). It does not depend on the division into
// micro-batches or threads. Layers compute normal random numbers from two of these numbers
// (Box-Muller), so backends need no other generator.
//
// Inputs: seed, step, first_sample: i64 scalars.
// Output: f32 of `shape`, whose first dimension is the batch.
// Gradient: none, because the numbers do not depend on trainable values.
// Errors: InvalidArgument (a negative size), ShapeMismatch.
// Numerics: exact.
// Source: Salmon et al., 2011.
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferRandomUniform(const ShapeContext& c) {
  for (size_t i = 0; i < 3; ++i)
    if (c.inputs[i] != TensorType{DType::I64, {}})
      c.fail("input " + std::to_string(i) + " has type " + c.inputs[i].toString() +
             " (expected i64[]).");
  return {{DType::F32, Shape(c.attributes.get<std::vector<int64_t>>("shape"))}};
}

Cost randomUniformCost(const Graph& graph, const Node& node) {
  // Ten rounds of Philox produce four random numbers, with about 12 operations per number.
  return {0, 12.0 * static_cast<double>(graph.shape(node.outputs[0]).numElements()),
          static_cast<double>(graph.type(node.outputs[0]).bytes())};
}

}  // namespace

std::vector<OpDef> defineRandomUniform() {
  OpDef op;
  op.name = "random_uniform";
  op.kind = OpKind::Movement;
  op.minInputs = op.maxInputs = 3;
  op.attributes = {{"shape", std::vector<int64_t>(), true}, {"stream", std::string(), true}};
  op.infer = inferRandomUniform;
  op.noGradientReason = "random numbers do not depend on trainable values";
  op.cost = randomUniformCost;
  return {op};
}

ValueId randomUniform(Graph& g, const Shape& shape, ValueId seed, ValueId step, ValueId firstSample,
                      std::string_view streamName) {
  return g.add(opNamed("random_uniform"), {seed, step, firstSample},
               {{"shape", std::vector<int64_t>(shape.dims().begin(), shape.dims().end())},
                {"stream", std::string(streamName)}});
}

}  // namespace strata
