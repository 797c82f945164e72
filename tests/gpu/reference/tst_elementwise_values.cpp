// SPDX-License-Identifier: Apache-2.0
// Compares elementwise, movement and reduction kernels with formulas by index.
#include <doctest/doctest.h>

#include <limits>
#include <numbers>

#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("reference_elementwise");

namespace strata::test {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
using Ints = std::vector<int64_t>;

Tensor f64(Shape shape, std::vector<double> values) { return Tensor::from<double>(shape, values); }
Tensor f64(std::vector<double> values) {
  return f64({static_cast<int64_t>(values.size())}, values);
}

std::vector<double> run(const char* op, std::vector<Tensor> inputs, Attributes attributes = {}) {
  const Array result(evaluateOp(opNamed(op), attributes, inputs)[0]);
  return result.data;
}

void checkClose(const std::vector<double>& got, const std::vector<double>& expected,
                double tolerance = 1e-12) {
  REQUIRE(got.size() == expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    CAPTURE(i);
    if (std::isnan(expected[i]))
      CHECK(std::isnan(got[i]));
    else if (std::isinf(expected[i]))
      CHECK(got[i] == expected[i]);
    else
      CHECK(std::fabs(got[i] - expected[i]) <= tolerance * std::max(1.0, std::fabs(expected[i])));
  }
}

}  // namespace

TEST_CASE("unary ops have known values") {
  checkClose(run("negate", {f64({1, -2, 0})}), {-1, 2, 0});
  checkClose(run("abs", {f64({1, -2, 0, kNan})}), {1, 2, 0, kNan});
  checkClose(run("sign", {f64({3, -2, 0, kNan})}), {1, -1, 0, kNan});
  checkClose(run("exp", {f64({0, 1, -1, 1000, -1000})}),
             {1, std::numbers::e, 1 / std::numbers::e, kInfinity, 0});
  checkClose(run("expm1", {f64({0, 1e-12})}), {0, 1e-12}, 1e-20);
  checkClose(run("log", {f64({1, std::numbers::e, 0, -1})}), {0, 1, -kInfinity, kNan});
  checkClose(run("log1p", {f64({0, 1e-12, -1})}), {0, 1e-12, -kInfinity}, 1e-20);
  checkClose(run("sqrt", {f64({4, 2, 0, -1})}), {2, std::numbers::sqrt2, 0, kNan});
  checkClose(run("rsqrt", {f64({4, 2, 0})}), {0.5, 1 / std::numbers::sqrt2, kInfinity});
  checkClose(run("square", {f64({3, -2})}), {9, 4});
  checkClose(run("reciprocal", {f64({4, -2, 0})}), {0.25, -0.5, kInfinity});
  checkClose(run("sin", {f64({0, std::numbers::pi / 2})}), {0, 1});
  checkClose(run("cos", {f64({0, std::numbers::pi})}), {1, -1});
  checkClose(run("erf", {f64({0, 1, -1})}), {0, 0.8427007929497149, -0.8427007929497149});
  checkClose(run("floor", {f64({1.5, -1.5, 2})}), {1, -2, 2});
  checkClose(run("is_finite", {f64({1, kInfinity, -kInfinity, kNan})}), {1, 0, 0, 0});
  const std::vector<int32_t> whole{3, -4, 0};
  checkClose(run("negate", {Tensor::from<int32_t>({3}, whole)}), {-3, 4, 0});
  checkClose(run("square", {Tensor::from<int32_t>({3}, whole)}), {9, 16, 0});
}

TEST_CASE("binary ops broadcast by index and support integers and NaN") {
  const Tensor a = f64({2, 3, 1}, {1, 2, 3, 4, 5, 6}),
               b = f64({3, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const Array difference(evaluateOp(opNamed("subtract"), {}, {a, b})[0]);
  REQUIRE(difference.shape == Shape{2, 3, 4});
  const Array x(a), y(b);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 3; ++j)
      for (int64_t k = 0; k < 4; ++k)
        CHECK(difference.at({i, j, k}) == x.at({i, j, 0}) - y.at({j, k}));
  checkClose(run("maximum", {f64({1, kNan, 1, 0}), f64({2, 1, kNan, 0})}), {2, kNan, kNan, 0});
  checkClose(run("minimum", {f64({1, kNan, 1, 0}), f64({2, 1, kNan, 0})}), {1, kNan, kNan, 0});
  checkClose(run("power", {f64({2, 4, 0}), f64({3, 0.5, 0})}), {8, 2, 1});
  checkClose(run("less", {f64({1, 2, 3, kNan}), f64({2, 2, 2, 2})}), {1, 0, 0, 0});
  checkClose(run("less_equal", {f64({1, 2, 3}), f64({2, 2, 2})}), {1, 1, 0});
  checkClose(run("greater", {f64({1, 2, 3}), f64({2, 2, 2})}), {0, 0, 1});
  checkClose(run("greater_equal", {f64({1, 2, 3}), f64({2, 2, 2})}), {0, 1, 1});
  checkClose(run("equal", {f64({1, 2, kNan}), f64({2, 2, kNan})}), {0, 1, 0});
  checkClose(run("not_equal", {f64({1, 2, kNan}), f64({2, 2, kNan})}), {1, 0, 1});
  const auto whole = [](std::vector<int64_t> values) {
    return Tensor::from<int64_t>({static_cast<int64_t>(values.size())}, values);
  };
  const int64_t large = int64_t{1} << 60;
  CHECK(evaluateOp(opNamed("add"), {}, {whole({large}), whole({1})})[0].as<int64_t>()[0] ==
        large + 1);
  checkClose(run("divide", {whole({7, -7, 5}), whole({2, 2, 0})}), {3, -3, 0});
  checkClose(run("select", {f64({1, 0, -1}), f64({1, 2, 3}), f64({7, 8, kNan})}), {1, 8, 3});
}

TEST_CASE("casts round toward zero and stay in the range, and bytes are scaled to fractions") {
  const auto to = [](const char* dtype) {
    return Attributes{{"dtype", std::string(dtype)}};
  };
  checkClose(run("cast", {f64({1.9, -1.9, kNan, 1e30, -1e30})}, to("i32")),
             {1, -1, 0, 2147483647.0, -2147483648.0});
  checkClose(run("cast", {f64({300, -5, 7.5})}, to("u8")), {255, 0, 7});
  const std::vector<uint8_t> bytes{0, 51, 255};
  checkClose(run("affine", {Tensor::from<uint8_t>({3}, bytes)},
                 {{"scale", 1 / 255.0}, {"offset", -1.0}, {"dtype", std::string("f64")}}),
             {-1, -0.8, 0});
}

TEST_CASE("activations have values that were computed by hand") {
  const auto at = [](const char* kind, double x, double alpha = 0) {
    Graph g;
    g.addOutput("y", activation(g, g.addInput("x", {DType::F64, {1}}), kind, alpha));
    return evaluateGraph(g, {{"x", f64({x})}}, {}).outputs.find("y")->second.as<double>()[0];
  };
  const double e = std::numbers::e;
  CHECK(at("linear", -3) == -3);
  CHECK(at("relu", -3) == 0);
  CHECK(at("relu", 3) == 3);
  CHECK(std::isnan(at("relu", kNan)));
  CHECK(at("relu6", 7) == 6);
  CHECK(at("leaky_relu", -10) == doctest::Approx(-2));
  CHECK(at("leaky_relu", -10, 0.5) == doctest::Approx(-5));
  CHECK(at("elu", -1) == doctest::Approx(1 / e - 1));
  CHECK(at("elu", -1, 2) == doctest::Approx(2 * (1 / e - 1)));
  CHECK(at("selu", 1) == doctest::Approx(1.0507009873554805));
  CHECK(at("selu", -1) == doctest::Approx(1.0507009873554805 * 1.6732632423543772 * (1 / e - 1)));
  CHECK(at("gelu", 1) == doctest::Approx(0.8413447460685429));
  CHECK(at("gelu_tanh", 1) == doctest::Approx(0.8411919906082768));
  CHECK(at("tanh", 1) == doctest::Approx(0.7615941559557649));
  CHECK(at("sigmoid", -1) == doctest::Approx(1 / (1 + e)));
  CHECK(at("sigmoid", -1000) == 0);
  CHECK(at("hard_sigmoid", 0) == 0.5);
  CHECK(at("hard_sigmoid", 1.5) == doctest::Approx(0.75));
  CHECK(at("silu", 1) == doctest::Approx(e / (1 + e)));
  CHECK(at("hard_silu", 1.5) == doctest::Approx(1.125));
  CHECK(at("mish", 1) == doctest::Approx(0.8650983882673103));
  CHECK(at("softplus", 0) == doctest::Approx(std::numbers::ln2));
  CHECK(at("softplus", 1000) == 1000);
  CHECK(at("softsign", -3) == doctest::Approx(-0.75));
  CHECK(at("exponential", 1) == doctest::Approx(e));
  CHECK(at("celu", -2, 2) == doctest::Approx(2 * (1 / e - 1)));
  CHECK(at("hard_tanh", -5) == -1);
  CHECK(at("tanh_shrink", 1) == doctest::Approx(1 - 0.7615941559557649));
  CHECK(at("soft_shrink", 2) == doctest::Approx(1.5));
  CHECK(at("soft_shrink", 0.4) == 0);
  CHECK(at("hard_shrink", 0.6) == 0.6);
  CHECK(at("hard_shrink", 0.4) == 0);
  CHECK(at("log_sigmoid", 0) == doctest::Approx(-std::numbers::ln2));
  CHECK(at("log_sigmoid", -1000) == -1000);
  CHECK(at("squareplus", 0) == 1);
  CHECK(at("squareplus", -1.5) == doctest::Approx(0.5));
  CHECK(at("squareplus", -1e6) == doctest::Approx(1e-6));
  CHECK(at("squareplus", 0, 9) == 1.5);
  CHECK(at("sparse_plus", -1) == 0);
  CHECK(at("sparse_plus", 0) == 0.25);
  CHECK(at("sparse_plus", 3) == 3);
  CHECK(at("sparse_sigmoid", -2) == 0);
  CHECK(at("sparse_sigmoid", 0.5) == 0.75);
  CHECK(at("sparse_sigmoid", 2) == 1);
}

TEST_CASE("softmax over any axis sums to one and does not overflow") {
  checkClose(run("softmax", {f64({1, 2}, {1000, 1000})}), {0.5, 0.5});
  checkClose(run("softmax", {f64({1, 3}, {0, std::numbers::ln2, -kInfinity})}),
             {1 / 3.0, 2 / 3.0, 0});
  checkClose(run("log_softmax", {f64({1, 2}, {0, 1000})}), {-1000, 0});
  const Tensor x = f64({2, 3, 2}, {1, 5, 2, -3, 3, 0, 2, 2, 1, 1, 9, 4});
  const Array y(evaluateOp(opNamed("softmax"), {{"axis", int64_t{1}}}, {x})[0]), in(x);
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t k = 0; k < 2; ++k) {
      double sum = 0;
      for (int64_t j = 0; j < 3; ++j)
        sum += std::exp(in.at({i, j, k}));
      for (int64_t j = 0; j < 3; ++j)
        CHECK(y.at({i, j, k}) == doctest::Approx(std::exp(in.at({i, j, k})) / sum));
    }
}

TEST_CASE("movement ops equal formulas by index") {
  std::vector<double> ladder(24);
  for (size_t i = 0; i < ladder.size(); ++i)
    ladder[i] = static_cast<double>(i);
  const Tensor x = f64({2, 3, 4}, ladder);
  const Array in(x);
  const Array t(evaluateOp(opNamed("transpose"), {{"permutation", Ints{2, 0, 1}}}, {x})[0]);
  REQUIRE(t.shape == Shape{4, 2, 3});
  for (int64_t i = 0; i < 4; ++i)
    for (int64_t j = 0; j < 2; ++j)
      for (int64_t k = 0; k < 3; ++k)
        CHECK(t.at({i, j, k}) == in.at({j, k, i}));
  const Array s(
      evaluateOp(opNamed("slice"), {{"begin", Ints{1, 1, 0}}, {"size", Ints{1, 2, 3}}}, {x})[0]);
  for (int64_t j = 0; j < 2; ++j)
    for (int64_t k = 0; k < 3; ++k)
      CHECK(s.at({0, j, k}) == in.at({1, j + 1, k}));
  const Array p(evaluateOp(opNamed("pad"),
                           {{"before", Ints{0, 1, 0}}, {"after", Ints{0, 0, 2}}, {"value", -7.0}},
                           {x})[0]);
  REQUIRE(p.shape == Shape{2, 4, 6});
  for (int64_t i = 0; i < 2; ++i)
    for (int64_t j = 0; j < 4; ++j)
      for (int64_t k = 0; k < 6; ++k)
        CHECK(p.at({i, j, k}) == (j >= 1 && k < 4 ? in.at({i, j - 1, k}) : -7));
  checkClose(
      run("concatenate", {f64({2, 1}, {1, 2}), f64({2, 2}, {3, 4, 5, 6})}, {{"axis", int64_t{-1}}}),
      {1, 3, 4, 2, 5, 6});
  checkClose(
      run("concatenate", {f64({1, 2}, {1, 2}), f64({2, 2}, {3, 4, 5, 6})}, {{"axis", int64_t{0}}}),
      {1, 2, 3, 4, 5, 6});
  checkClose(run("broadcast_to", {f64({2, 1}, {1, 2})}, {{"shape", Ints{2, 2, 3}}}),
             {1, 1, 1, 2, 2, 2, 1, 1, 1, 2, 2, 2});
  checkClose(run("reshape", {f64({2, 2}, {1, 2, 3, 4})}, {{"shape", Ints{4}}}), {1, 2, 3, 4});
  const std::vector<int32_t> labels{1, -1, 3, 0};
  const Tensor table = f64({3, 2}, {1, 2, 3, 4, 5, 6});
  checkClose(
      run("gather", {table, Tensor::from<int32_t>({2, 2}, std::vector<int32_t>{2, 0, 2, 1})}),
      {5, 6, 1, 2, 5, 6, 3, 4});
  const std::vector<double> outside =
      run("gather", {table, Tensor::from<int32_t>({2}, std::vector<int32_t>{3, -1})});
  for (const double value : outside)
    CHECK(std::isnan(value));
  checkClose(run("gather_backward",
                 {f64({4, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                  Tensor::from<int64_t>({4}, std::vector<int64_t>{2, 0, 2, 9})},
                 {{"rows", int64_t{3}}}),
             {3, 4, 0, 0, 6, 8});
  checkClose(run("one_hot", {Tensor::from<int32_t>({4}, labels)}, {{"classes", int64_t{3}}}),
             {0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0});
}

TEST_CASE("reductions sum in double precision, keep NaN, and argmax returns the first maximum") {
  const Tensor x = f64({2, 3, 2}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto axes = [](Ints list, bool keepdims = false) {
    return Attributes{{"axes", std::move(list)}, {"keepdims", keepdims}};
  };
  checkClose(run("reduce_sum", {x}, axes({1})), {9, 12, 27, 30});
  checkClose(run("reduce_sum", {x}, axes({0, -1})), {18, 26, 34});
  checkClose(run("reduce_sum", {x}, axes({})), {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  CHECK(evaluateOp(opNamed("reduce_sum"), axes({0, 2}, true), {x})[0].shape() == Shape{1, 3, 1});
  checkClose(run("reduce_sum", {f64({0, 2}, {})}, axes({0})), {0, 0});
  checkClose(run("reduce_max", {x}, axes({0, 1})), {11, 12});
  checkClose(run("reduce_max", {f64({-1, kNan, 3})}, axes({0})), {kNan});
  // A sum that is accumulated in float does not grow beyond 2^24.
  const std::vector<float> ones((1u << 24) + 5, 1.0f);
  const Tensor many = Tensor::from<float>({static_cast<int64_t>(ones.size())}, ones);
  CHECK(run("reduce_sum", {many}, axes({0}))[0] ==
        static_cast<double>(static_cast<float>((1u << 24) + 5)));
  const Tensor ties = f64({2, 4}, {1, 5, 5, 2, -1, -1, -2, -1});
  const Tensor index = evaluateOp(opNamed("argmax"), {{"axis", int64_t{-1}}}, {ties})[0];
  CHECK(index.dtype() == DType::I32);
  checkClose(Array(index).data, {1, 0});
}

}  // namespace strata::test

TEST_SUITE_END();
