// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic.
#include <map>

#include "gpu/base/error.h"
#include "gpu/cuda/kernels/pointwise.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

BinaryOp binaryOpOf(std::string_view name) {
  static const std::map<std::string_view, BinaryOp> kOps{{"add", BinaryOp::Add},
                                                         {"subtract", BinaryOp::Subtract},
                                                         {"multiply", BinaryOp::Multiply},
                                                         {"divide", BinaryOp::Divide},
                                                         {"maximum", BinaryOp::Maximum},
                                                         {"minimum", BinaryOp::Minimum},
                                                         {"power", BinaryOp::Power},
                                                         {"less", BinaryOp::Less},
                                                         {"less_equal", BinaryOp::LessEqual},
                                                         {"greater", BinaryOp::Greater},
                                                         {"greater_equal", BinaryOp::GreaterEqual},
                                                         {"equal", BinaryOp::Equal},
                                                         {"not_equal", BinaryOp::NotEqual}};
  return kOps.at(name);
}

}  // namespace

std::unique_ptr<CudaKernel> makeAffine(const CudaSetup& setup) {
  const Function& function = setup.typed("affine", setup.inputType());
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("affine", [=, &function, scale = static_cast<float>(setup.real("scale")),
                               offset = static_cast<float>(setup.real("offset"))](
                                  Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], count, scale,
                           offset);
  });
}

std::unique_ptr<CudaKernel> makeBinary(const CudaSetup& setup) {
  if (setup.inputType() == DType::F64) setup.refuse(DType::F64);
  const Function& function = setup.function("binary_" + std::string(dtypeName(setup.inputType())));
  const auto op = static_cast<int32_t>(binaryOpOf(setup.op));
  const int64_t count = setup.outputShape().numElements();
  const Walk walk =
      broadcastWalk(setup.outputShape(), {&setup.inputShape(0), &setup.inputShape(1)});
  return makeKernel(setup.op, [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                           operands.outputs[0], count, walk, op);
  });
}

std::unique_ptr<CudaKernel> makeCast(const CudaSetup& setup) {
  for (const DType dtype : {setup.inputType(), setup.outputType()})
    if (dtype == DType::F64) setup.refuse(dtype);
  const Function& function = setup.function("cast_" + std::string(dtypeName(setup.inputType())) +
                                            "_" + std::string(dtypeName(setup.outputType())));
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("cast", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], count);
  });
}

}  // namespace strata::cuda
