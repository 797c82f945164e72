// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "gpu/ops/activation_kinds.h"
#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;
using namespace strata::test;

TEST_SUITE_BEGIN("cpu elementwise");

namespace {

/// Returns random numbers and special values, such as zeros, infinities and NaN.
Tensor withEdges(Shape shape, uint64_t seed, float low, float high) {
  Tensor tensor = randomTensor(shape, seed, low, high);
  const float infinity = std::numeric_limits<float>::infinity();
  const float edges[] = {
      0.0f, -0.0f, 1.0f, -1.0f, infinity, -infinity, std::numeric_limits<float>::quiet_NaN(),
      3.0f, -3.0f, 6.0f, 1e-6f, -1e-6f,   88.0f,     -88.0f};
  auto values = tensor.as<float>();
  for (size_t i = 0; i < std::size(edges) && i < values.size(); ++i)
    values[i] = edges[i];
  return tensor;
}

}  // namespace

TEST_CASE("unary ops equal the reference, also at zero, infinities and NaN") {
  for (const char* op :
       {"negate", "abs", "sign", "square", "reciprocal", "floor", "is_finite", "erf", "expm1"})
    checkKernel(op, {}, {withEdges({7, 131}, 1, -4, 4).reshaped({917})}, 1e-5);
  for (const char* op : {"log", "log1p", "sqrt", "rsqrt"})
    checkKernel(op, {}, {withEdges({517}, 2, 0.001f, 10)});
  checkKernel("exp", {}, {randomTensor({10001}, 3, -20, 4)});
  checkKernel("sqrt", {}, {randomTensor({0}, 1)});
}

TEST_CASE("formulas keep their relative precision") {
  // Each tensor has one element, so that no larger element increases the tolerance.
  for (float x : {-80.0f, -20.0f, -3.0f, -0.3f, 0.1f, 2.0f}) {
    const Tensor want = Tensor::scalar(std::exp(x));
    CHECK(want.as<float>()[0] > 0);
    checkKernel("divide", {}, {Tensor::scalar(x), Tensor::scalar(x)});
  }
  for (float x : {1e-5f, 1e-3f, 0.1f, 0.39f, 0.41f})
    checkKernel("expm1", {}, {Tensor::scalar(x)}, 3e-7);
}

TEST_CASE("binary ops broadcast as NumPy does") {
  const std::pair<Shape, Shape> shapes[] = {{{37}, {37}},
                                            {{5, 33}, {33}},
                                            {{33}, {5, 33}},
                                            {{5, 33}, {5, 1}},
                                            {{5, 1}, {1, 33}},
                                            {{}, {4, 9}},
                                            {{4, 9}, {}},
                                            {{2, 3, 4, 5}, {5}},
                                            {{2, 3, 4, 5}, {3, 1, 5}},
                                            {{2, 1, 4, 1}, {1, 3, 1, 5}},
                                            {{100, 200}, {200}},
                                            {{1, 1}, {1}},
                                            {{}, {}},
                                            {{0, 4}, {4}},
                                            {{300, 64}, {300, 1}}};
  for (const auto& [a, b] : shapes)
    for (const char* op : {"add", "multiply", "subtract", "greater"})
      checkKernel(op, {}, {randomTensor(a, 1), randomTensor(b, 2)});
  for (const char* op : {"add", "subtract", "multiply", "divide", "maximum", "minimum", "less",
                         "less_equal", "greater", "greater_equal", "equal", "not_equal"}) {
    checkKernel(op, {}, {withEdges({229}, 1, -2, 2), randomTensor({229}, 2, 0.5f, 2)});
    checkKernel(op, {}, {randomTensor({229}, 2, 0.5f, 2), withEdges({229}, 1, -2, 2)});
    checkKernel(op, {}, {withEdges({50}, 1, -2, 2), withEdges({50}, 1, -2, 2)});
  }
}

TEST_CASE("affine converts bytes and floats") {
  checkKernel("affine", {{"scale", 1.0 / 255}, {"offset", -0.5}, {"dtype", std::string("f32")}},
              {randomTensor({1003}, 1)});
  Tensor bytes(DType::U8, Shape{20, 1003});
  for (size_t i = 0; i < bytes.as<uint8_t>().size(); ++i)
    bytes.as<uint8_t>()[i] = static_cast<uint8_t>(i * 7);
  checkKernel("affine", {{"scale", 1.0 / 255}, {"offset", 0.25}, {"dtype", std::string("f32")}},
              {bytes});
}

TEST_CASE("every activation and its derivative equal the reference") {
  for (std::string_view kind : kActivationNames) {
    double alpha = 0;
    visitActivation(kind, [&](auto k) { alpha = decltype(k)::kAlpha; });
    const Attributes attributes{{"kind", std::string(kind)}, {"alpha", alpha}};
    checkKernel("activation", attributes, {randomTensor({3, 211}, 1, -6, 6)}, 2e-6);
    const Tensor dy = randomTensor({3, 211}, 2);
    const float low = activationSaves(kind) == Saved::Output ? -0.9f : -6.0f,
                high = activationSaves(kind) == Saved::Output ? 7.0f : 6.0f;
    checkKernel("activation_backward", attributes, {dy, randomTensor({3, 211}, 3, low, high)},
                3e-6);
    // At a kink, the kernel and the reference must use the derivative of the same side.
    Tensor zeros(DType::F32, Shape{3, 211});
    std::fill_n(reinterpret_cast<float*>(zeros.data()), zeros.numElements(), 0.0f);
    checkKernel("activation_backward", attributes, {dy, zeros}, 3e-6);
    // The activation may also be fused into a product.
    checkKernel("matmul", {{"activation", std::string(kind)}, {"alpha", alpha}},
                {randomTensor({9, 20}, 1), randomTensor({20, 35}, 2), randomTensor({35}, 3)}, 5e-6);
  }
  Tensor nan = randomTensor({40}, 1);
  nan.as<float>()[3] = nan.as<float>()[35] = std::numeric_limits<float>::quiet_NaN();
  for (const char* kind : {"relu", "tanh", "sigmoid", "softplus", "gelu"})
    checkKernel("activation", {{"kind", std::string(kind)}}, {nan}, 2e-6);
}
