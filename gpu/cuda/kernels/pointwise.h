// SPDX-License-Identifier: Apache-2.0
// The numbers of elementwise ops in kernels, and the programs of fused_pointwise. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

enum class BinaryOp : int32_t {
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  Minimum,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  // No step of a program:
  Power
};

enum class UnaryOp : int32_t {
  Negate,
  Abs,
  Sign,
  Square,
  Exp,
  Expm1,
  Log,
  Log1p,
  Sqrt,
  Rsqrt,
  Reciprocal,
  Erf,
  Floor,
  IsFinite,
  // No steps of a program:
  Sin,
  Cos
};

/// The same as kMaxPointwiseInputs and kMaxPointwiseSteps of gpu/ops/fused_pointwise.h.
constexpr int kMaxProgramInputs = 8, kMaxProgramSteps = 16;

enum class StepKind : int16_t { Unary, Binary, Affine, Activation, ActivationBackward };

struct ProgramStep {
  StepKind kind = StepKind::Unary;
  // Places of the operands: the inputs, then the results of the steps
  int8_t first = 0, second = 0;
  // A UnaryOp, a BinaryOp, or the number of an activation
  int32_t op = 0;
  // The scale and offset of affine. For activations, `scale` is alpha
  float scale = 0, offset = 0;
};

/// How element i of the result finds its element of an input (Spread of fused_pointwise.h).
enum class InputSpread : int32_t {
  // x[i], x[0], x[i % size] and x[i / size]
  Same,
  Single,
  Repeated,
  Stretched,
  // By strides
  Other
};

struct ProgramInput {
  AddressBits address;
  // An ElementType
  int32_t type = 0;
  InputSpread spread = InputSpread::Same;
  int64_t size = 1;
  int64_t strides[kMaxAxes] = {};
};

struct PointwiseProgram {
  int32_t numInputs = 0, numSteps = 0;
  // The type of the result, an ElementType
  int32_t type = 0;
  // Whether the result has fewer than 2^31 elements
  int32_t isSmall = 0;
  int32_t rank = 0;
  int64_t dims[kMaxAxes] = {};
  ProgramInput inputs[kMaxProgramInputs] = {};
  ProgramStep steps[kMaxProgramSteps] = {};
};

}  // namespace strata::cuda
