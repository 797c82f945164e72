// SPDX-License-Identifier: Apache-2.0
// Elementwise arithmetic, and programs of it.
#include "gpu/cuda/kernels/pointwise.h"

#include <algorithm>
#include <array>
#include <map>

#include "gpu/base/error.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/ops/fused_pointwise.h"

namespace strata::cuda {
namespace {

const std::map<std::string_view, BinaryOp>& binaryOps() {
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
  return kOps;
}

const std::map<std::string_view, UnaryOp>& unaryOps() {
  static const std::map<std::string_view, UnaryOp> kOps{
      {"negate", UnaryOp::Negate}, {"abs", UnaryOp::Abs},
      {"sign", UnaryOp::Sign},     {"square", UnaryOp::Square},
      {"exp", UnaryOp::Exp},       {"expm1", UnaryOp::Expm1},
      {"log", UnaryOp::Log},       {"log1p", UnaryOp::Log1p},
      {"sqrt", UnaryOp::Sqrt},     {"rsqrt", UnaryOp::Rsqrt},
      {"sin", UnaryOp::Sin},       {"reciprocal", UnaryOp::Reciprocal},
      {"cos", UnaryOp::Cos},       {"erf", UnaryOp::Erf},
      {"floor", UnaryOp::Floor},   {"is_finite", UnaryOp::IsFinite}};
  return kOps;
}

/// Returns the kernel `stem` from the type of the operand to the type of the result.
const Function& conversion(const CudaSetup& setup, const std::string& stem) {
  return setup.ofAny(stem + "_" + setup.nameOf(setup.inputType()), setup.outputType());
}

ProgramStep programStepOf(const CudaSetup& setup, const strata::PointwiseStep& step) {
  ProgramStep result;
  result.first = static_cast<int8_t>(step.operands.front());
  result.second = static_cast<int8_t>(step.operands.back());
  result.scale = static_cast<float>(step.first);
  result.offset = static_cast<float>(step.second);
  if (step.op == "affine") {
    result.kind = StepKind::Affine;
  }
  else if (!step.kind.empty()) {
    result.kind = step.op == "activation" ? StepKind::Activation : StepKind::ActivationBackward;
    result.op = activationNumber(setup, step.kind);
  }
  else if (step.operands.size() == 1) {
    result.kind = StepKind::Unary;
    result.op = static_cast<int32_t>(unaryOps().at(step.op));
  }
  else {
    result.kind = StepKind::Binary;
    result.op = static_cast<int32_t>(binaryOps().at(step.op));
  }
  return result;
}

ProgramInput programInputOf(const CudaSetup& setup, size_t index) {
  ProgramInput input;
  const Shape &own = setup.inputShape(index), &out = setup.outputShape();
  if (setup.inputType(index) == DType::F64) setup.refuse(DType::F64);
  input.type = static_cast<int32_t>(setup.inputType(index));
  switch (spreadOf(own, out)) {
    case Spread::Same: input.spread = InputSpread::Same; break;
    case Spread::Single: input.spread = InputSpread::Single; break;
    case Spread::Repeated:
      input.spread = InputSpread::Repeated;
      input.size = std::max<int64_t>(1, own.numElements());
      break;
    case Spread::Stretched:
      input.spread = InputSpread::Stretched;
      input.size = out.numElements() / std::max<int64_t>(1, own.numElements());
      break;
    case Spread::Other: {
      input.spread = InputSpread::Other;
      const auto strides = reference::broadcastStrides(own, out);
      for (size_t axis = 0; axis < kMaxAxes; ++axis)
        input.strides[axis] = strides[axis];
      break;
    }
  }
  return input;
}

/// Returns whether a kernel may load and store several elements at once.
bool isVectorAligned(const Operands& operands) {
  const auto isAligned = [](DeviceAddress address) {
    return address.bits() % kVectorBytes == 0;
  };
  return isAligned(operands.outputs[0]) && std::ranges::all_of(operands.inputs, isAligned);
}

void launchGenerated(Encoder& encoder, const Function& function, const Operands& operands,
                     int64_t count) {
  std::array<DeviceAddress, kMaxPointwiseInputs> x{};
  std::ranges::copy(operands.inputs, x.begin());
  encoder.launchSpread(function, count, x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7],
                       operands.outputs[0], count);
}

}  // namespace

std::unique_ptr<CudaKernel> makeAffine(const CudaSetup& setup) {
  const Function& function = conversion(setup, "affine");
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("affine", [=, &function, scale = static_cast<float>(setup.real("scale")),
                               offset = static_cast<float>(setup.real("offset"))](
                                  Encoder& encoder, const Operands& operands) {
    encoder.launchSpread(function, count, operands.inputs[0], operands.outputs[0], count, scale,
                         offset);
  });
}

std::unique_ptr<CudaKernel> makeBinary(const CudaSetup& setup) {
  const Function& function = setup.ofAny("binary", setup.inputType());
  const auto op = static_cast<int32_t>(binaryOps().at(setup.op));
  const int64_t count = setup.outputShape().numElements();
  const Walk walk =
      broadcastWalk(setup.outputShape(), {&setup.inputShape(0), &setup.inputShape(1)});
  return makeKernel(setup.op, [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchSpread(function, count, operands.inputs[0], operands.inputs[1],
                         operands.outputs[0], count, walk, op);
  });
}

std::unique_ptr<CudaKernel> makeCast(const CudaSetup& setup) {
  const Function& function = conversion(setup, "cast");
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("cast", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchSpread(function, count, operands.inputs[0], operands.outputs[0], count);
  });
}

std::unique_ptr<CudaKernel> makeFusedPointwise(const CudaSetup& setup) {
  static_assert(kMaxProgramInputs == kMaxPointwiseInputs && kMaxProgramSteps == kMaxPointwiseSteps);
  if (setup.outputType() == DType::F64) setup.refuse(DType::F64);
  PointwiseProgram program;
  const Shape& out = setup.outputShape();
  const int64_t count = out.numElements();
  program.numInputs = static_cast<int32_t>(setup.inputs.size());
  program.type = static_cast<int32_t>(setup.outputType());
  program.isSmall = count <= INT32_MAX ? 1 : 0;
  program.rank = out.rank();
  for (int axis = 0; axis < out.rank(); ++axis)
    program.dims[axis] = out[axis];
  for (size_t i = 0; i < setup.inputs.size(); ++i)
    program.inputs[i] = programInputOf(setup, i);
  for (const strata::PointwiseStep& step : parsePointwise(setup.text("program"), program.numInputs))
    program.steps[program.numSteps++] = programStepOf(setup, step);
  const Function& function = setup.function("fused_pointwise");
  const auto interpret = [=, &function](Encoder& encoder, const Operands& operands) {
    PointwiseProgram bound = program;
    for (size_t i = 0; i < operands.inputs.size(); ++i)
      bound.inputs[i].address.bits = operands.inputs[i].bits();
    encoder.launchSpread(function, count, bound, operands.outputs[0], count);
  };
  if (setup.generates && count > 0) {
    const GeneratedKernel own =
        generatePointwise(setup.text("program"), setup.inputs, setup.outputs[0]);
    if (const Function* compiled = setup.card->generated(own))
      return makeKernel("fused",
                        [=, isVector = own.isVector](Encoder& encoder, const Operands& operands) {
                          if (isVector && !isVectorAligned(operands))
                            interpret(encoder, operands);
                          else
                            launchGenerated(encoder, *compiled, operands, count);
                        });
  }
  return makeKernel("program", interpret);
}

std::unique_ptr<CudaKernel> makeSelect(const CudaSetup& setup) {
  const Function& function = setup.ofAny("select", setup.outputType());
  const int64_t count = setup.outputShape().numElements();
  const Walk walk = broadcastWalk(
      setup.outputShape(), {&setup.inputShape(0), &setup.inputShape(1), &setup.inputShape(2)});
  return makeKernel("select", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchSpread(function, count, operands.inputs[0], operands.inputs[1],
                         operands.inputs[2], operands.outputs[0], count, walk);
  });
}

std::unique_ptr<CudaKernel> makeUnary(const CudaSetup& setup) {
  const Function& function = setup.ofAny("unary", setup.inputType());
  const auto op = unaryOps().at(setup.op);
  if (!isFloating(setup.inputType()) && op > UnaryOp::Square) setup.refuse(setup.inputType());
  const int64_t count = setup.outputShape().numElements();
  return makeKernel(setup.op, [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchSpread(function, count, operands.inputs[0], operands.outputs[0], count,
                         static_cast<int32_t>(op));
  });
}

}  // namespace strata::cuda
