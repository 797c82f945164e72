// SPDX-License-Identifier: Apache-2.0
// input {name}: a tensor that the caller sets before each step.
// variable {name, trainable, axes, copy_of}: a variable's value at the start of the step. Passes of
// cards set the last two: axis i of the value is axis axes[i] of the tensor in files, and the value
// is that of the variables copy_of, rounded to the type of this one (gpu/exec/state.h).
// constant: the payload of the node.
//
// Inputs: none.
// Output: the type given when the node is created.
// Gradient: none, because sources have no inputs.
// Source: own definition.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"

namespace strata {
namespace {

OpDef source(std::string name, OpRole role, std::vector<AttributeSpec> attributes) {
  OpDef op;
  op.name = std::move(name);
  op.kind = OpKind::Source;
  op.role = role;
  op.attributes = std::move(attributes);
  op.noGradientReason = "a source has no inputs";
  return op;
}

std::vector<TensorType> inferConstant(const ShapeContext& c) {
  require(c.payload != nullptr, "a constant has a payload");
  return {c.payload->type()};
}

template <class T>
void fill(Tensor& tensor, double value) {
  for (T& element : tensor.as<T>())
    element = static_cast<T>(value);
}

Tensor constantTensor(const TensorType& type, double value) {
  Tensor tensor(type);
  switch (type.dtype) {
    case DType::F32: fill<float>(tensor, value); break;
    case DType::F64: fill<double>(tensor, value); break;
    case DType::I32: fill<int32_t>(tensor, value); break;
    case DType::I64: fill<int64_t>(tensor, value); break;
    case DType::U8: fill<uint8_t>(tensor, value); break;
    case DType::BF16:
    case DType::F16: return constantTensor({DType::F64, type.shape}, value).converted(type.dtype);
  }
  return tensor;
}

}  // namespace

std::vector<OpDef> defineSources() {
  OpDef constant = source("constant", OpRole::Constant, {});
  constant.infer = inferConstant;
  return {source("input", OpRole::Input, {{"name", std::string(), true}}),
          source("variable", OpRole::Variable,
                 {{"name", std::string(), true},
                  {"trainable", false, false},
                  {"axes", std::vector<int64_t>(), false},
                  {"copy_of", std::string(), false}}),
          std::move(constant)};
}

ValueId constantFill(Graph& g, TensorType type, double value) {
  return g.addConstant(constantTensor(type, value));
}

ValueId constantScalar(Graph& g, DType dtype, double value) {
  return constantFill(g, {dtype, {}}, value);
}

}  // namespace strata
