// SPDX-License-Identifier: Apache-2.0
// Formulas of the unary and binary ops, in float and for integers.
#pragma once

#include "gpu/cuda/kernels/numbers.cuh"
#include "gpu/cuda/kernels/pointwise.h"

namespace strata::cuda {

__device__ inline float signOf(float x) {
  if (x > 0) return 1.0f;
  return x < 0 ? -1.0f : x;
}

/// Calls visitor(formula) for the unary op, if it can be a step of a program.
template <class Visitor>
__device__ inline void visitUnary(UnaryOp op, Visitor visitor) {
  switch (op) {
    case UnaryOp::Negate: return visitor([](float x) { return -x; });
    case UnaryOp::Abs: return visitor([](float x) { return fabsf(x); });
    case UnaryOp::Sign: return visitor([](float x) { return signOf(x); });
    case UnaryOp::Square: return visitor([](float x) { return x * x; });
    case UnaryOp::Exp: return visitor([](float x) { return expf(x); });
    case UnaryOp::Expm1: return visitor([](float x) { return expm1f(x); });
    case UnaryOp::Log: return visitor([](float x) { return logf(x); });
    case UnaryOp::Log1p: return visitor([](float x) { return log1pf(x); });
    case UnaryOp::Sqrt: return visitor([](float x) { return sqrtf(x); });
    case UnaryOp::Rsqrt: return visitor([](float x) { return 1.0f / sqrtf(x); });
    case UnaryOp::Reciprocal: return visitor([](float x) { return 1.0f / x; });
    case UnaryOp::Erf: return visitor([](float x) { return erff(x); });
    case UnaryOp::Floor: return visitor([](float x) { return floorf(x); });
    default: return visitor([](float x) { return isfinite(x) ? 1.0f : 0.0f; });
  }
}

/// Calls visitor(formula) for the binary op, if it can be a step of a program. A NaN operand gives
/// NaN.
template <class Visitor>
__device__ inline void visitBinary(BinaryOp op, Visitor visitor) {
  switch (op) {
    case BinaryOp::Add: return visitor([](float a, float b) { return a + b; });
    case BinaryOp::Subtract: return visitor([](float a, float b) { return a - b; });
    case BinaryOp::Multiply: return visitor([](float a, float b) { return a * b; });
    case BinaryOp::Divide: return visitor([](float a, float b) { return a / b; });
    case BinaryOp::Maximum:
      return visitor([](float a, float b) { return a > b || a != a ? a : b; });
    case BinaryOp::Minimum:
      return visitor([](float a, float b) { return a < b || a != a ? a : b; });
    case BinaryOp::Less: return visitor([](float a, float b) { return a < b ? 1.0f : 0.0f; });
    case BinaryOp::LessEqual: return visitor([](float a, float b) { return a <= b ? 1.0f : 0.0f; });
    case BinaryOp::Greater: return visitor([](float a, float b) { return a > b ? 1.0f : 0.0f; });
    case BinaryOp::GreaterEqual:
      return visitor([](float a, float b) { return a >= b ? 1.0f : 0.0f; });
    case BinaryOp::Equal: return visitor([](float a, float b) { return a == b ? 1.0f : 0.0f; });
    default: return visitor([](float a, float b) { return a != b ? 1.0f : 0.0f; });
  }
}

__device__ inline float unaryValue(UnaryOp op, float x) {
  if (op == UnaryOp::Sin) return sinf(x);
  if (op == UnaryOp::Cos) return cosf(x);
  float result = 0;
  visitUnary(op, [&](auto formula) { result = formula(x); });
  return result;
}

__device__ inline float binaryValue(BinaryOp op, float a, float b) {
  if (op == BinaryOp::Power) return powf(a, b);
  float result = 0;
  visitBinary(op, [&](auto formula) { result = formula(a, b); });
  return result;
}

/// The unary ops that take integers.
template <class T>
__device__ inline T unaryInteger(UnaryOp op, T x) {
  bool isNegative = false;
  if constexpr (std::is_signed_v<T>) isNegative = x < 0;
  switch (op) {
    case UnaryOp::Negate: return static_cast<T>(-x);
    case UnaryOp::Abs: return isNegative ? static_cast<T>(-x) : x;
    case UnaryOp::Sign:
      if (isNegative) return static_cast<T>(-1);
      return x == 0 ? T{0} : T{1};
    default: return static_cast<T>(x * x);
  }
}

template <class T>
__device__ inline bool compares(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Less: return a < b;
    case BinaryOp::LessEqual: return a <= b;
    case BinaryOp::Greater: return a > b;
    case BinaryOp::GreaterEqual: return a >= b;
    case BinaryOp::Equal: return a == b;
    default: return a != b;
  }
}

/// Division by zero gives 0.
template <class T>
__device__ inline T binaryInteger(BinaryOp op, T a, T b) {
  switch (op) {
    case BinaryOp::Add: return static_cast<T>(a + b);
    case BinaryOp::Subtract: return static_cast<T>(a - b);
    case BinaryOp::Multiply: return static_cast<T>(a * b);
    case BinaryOp::Divide: return b == 0 ? T{0} : static_cast<T>(a / b);
    case BinaryOp::Maximum: return a > b ? a : b;
    case BinaryOp::Minimum: return a < b ? a : b;
    default: return compares(op, a, b) ? T{1} : T{0};
  }
}

}  // namespace strata::cuda
