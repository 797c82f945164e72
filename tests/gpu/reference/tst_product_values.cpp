// SPDX-License-Identifier: Apache-2.0
// Compares products, convolutions, pooling, normalization, dropout and losses with naive formulas.
// Backward kernels must satisfy the adjoint identity <forward(x, w), dy> = <x, backward_data(dy,
// w)> = <w, backward_weights(x, dy)>.
#include <doctest/doctest.h>

#include <set>

#include "gpu/base/rng.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("reference_products");

namespace strata::test {

namespace {

using Ints = std::vector<int64_t>;

Tensor randomTensor(Shape shape, uint64_t stream) {
  Tensor tensor(DType::F64, shape);
  RandomStream random(11, stream);
  for (double& x : tensor.as<double>())
    x = random.normal();
  return tensor;
}

Tensor f64(Shape shape, std::vector<double> values) { return Tensor::from<double>(shape, values); }

void checkNear(const Tensor& got, const Array& expected, double tolerance = 1e-12) {
  CHECK(largestDifference(Array(got), expected) <= tolerance * scaleOf(expected));
}

Attributes window(Ints strides, Ints dilation, Ints before, Ints after, int64_t groups = 1) {
  return {{"strides", std::move(strides)},
          {"dilation", std::move(dilation)},
          {"padding_before", std::move(before)},
          {"padding_after", std::move(after)},
          {"groups", groups}};
}

}  // namespace

TEST_CASE("matrix products may be transposed, batched, and have a bias and an activation") {
  for (const bool transposeA : {false, true})
    for (const bool transposeB : {false, true}) {
      const Tensor a = randomTensor(transposeA ? Shape{2, 5, 3} : Shape{2, 3, 5}, 1),
                   b = randomTensor(transposeB ? Shape{2, 4, 5} : Shape{2, 5, 4}, 2),
                   bias = randomTensor({4}, 3);
      const Array x(a), y(b), z(bias);
      Array expected({2, 3, 4});
      for (int64_t n = 0; n < 2; ++n)
        for (int64_t i = 0; i < 3; ++i)
          for (int64_t j = 0; j < 4; ++j) {
            double sum = z.at({j});
            for (int64_t k = 0; k < 5; ++k)
              sum += (transposeA ? x.at({n, k, i}) : x.at({n, i, k})) *
                     (transposeB ? y.at({n, j, k}) : y.at({n, k, j}));
            expected.at({n, i, j}) = std::tanh(sum);
          }
      checkNear(evaluateOp(opNamed("matmul"),
                           {{"transpose_a", transposeA},
                            {"transpose_b", transposeB},
                            {"activation", std::string("tanh")}},
                           {a, b, bias})[0],
                expected);
    }
}

TEST_CASE("convolutions equal sums over padded inputs, and gradients are their adjoints") {
  struct Case {
    Shape x, w;
    Ints strides, dilation, before, after;
    int64_t groups;
  };
  const Case cases[] = {
      {{2, 5, 6, 3}, {3, 2, 3, 4}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
      {{1, 6, 6, 2}, {3, 3, 2, 3}, {2, 2}, {1, 1}, {0, 0}, {1, 1}, 1},
      {{2, 7, 8, 2}, {3, 3, 2, 5}, {1, 1}, {2, 2}, {2, 2}, {2, 2}, 1},
      {{1, 4, 5, 4}, {3, 3, 2, 6}, {1, 1}, {1, 1}, {1, 1}, {1, 1}, 2},
      {{1, 9, 4, 6}, {1, 4, 2, 3}, {3, 1}, {1, 1}, {0, 2}, {1, 1}, 3},
      {{3, 1, 1, 1}, {1, 1, 1, 1}, {1, 1}, {1, 1}, {0, 0}, {0, 0}, 1},
  };
  for (const Case& c : cases) {
    const Tensor x = randomTensor(c.x, 1), w = randomTensor(c.w, 2);
    Attributes attributes = window(c.strides, c.dilation, c.before, c.after, c.groups);
    const Tensor y = evaluateOp(opNamed("conv2d"), attributes, {x, w})[0];
    checkNear(y, naiveConv2d(padded(Array(x), c.before, c.after), Array(w), c.strides, c.dilation,
                             c.groups));
    const Tensor dy = randomTensor(y.shape(), 3);
    const double whole = dot(Array(y), Array(dy));
    attributes.set("input_shape", Ints(c.x.dims().begin(), c.x.dims().end()));
    CHECK(dot(Array(evaluateOp(opNamed("conv2d_backward_data"), attributes, {dy, w})[0]),
              Array(x)) == doctest::Approx(whole).epsilon(1e-10));
    attributes.remove("input_shape");
    attributes.set("weight_shape", Ints(c.w.dims().begin(), c.w.dims().end()));
    CHECK(dot(Array(evaluateOp(opNamed("conv2d_backward_weights"), attributes, {x, dy})[0]),
              Array(w)) == doctest::Approx(whole).epsilon(1e-10));
  }
}

TEST_CASE("convolution adds its bias before the activation") {
  const Tensor x = randomTensor({1, 4, 4, 2}, 1), w = randomTensor({3, 3, 2, 3}, 2),
               bias = randomTensor({3}, 3);
  Array expected = naiveConv2d(Array(x), Array(w), Ints{1, 1}, Ints{1, 1}, 1);
  for (size_t i = 0; i < expected.data.size(); ++i)
    expected.data[i] = std::max(0.0, expected.data[i] + bias.as<double>()[i % 3]);
  checkNear(evaluateOp(opNamed("conv2d"), {{"activation", std::string("relu")}}, {x, w, bias})[0],
            expected);
}

TEST_CASE("depthwise convolution equals an ordinary one with zeros between channels") {
  struct Case {
    Shape x, w;
    Ints strides, dilation, before, after;
  };
  const Case cases[] = {{{2, 5, 4, 3}, {3, 2, 3, 2}, {1, 1}, {1, 1}, {0, 0}, {0, 0}},
                        {{1, 6, 5, 3}, {3, 3, 3, 1}, {2, 2}, {1, 1}, {0, 1}, {1, 1}},
                        {{1, 6, 6, 2}, {2, 2, 2, 3}, {1, 1}, {2, 2}, {1, 1}, {1, 1}}};
  for (const Case& c : cases) {
    const Tensor x = randomTensor(c.x, 1), w = randomTensor(c.w, 2);
    Attributes attributes = window(c.strides, c.dilation, c.before, c.after);
    const Tensor y = evaluateOp(opNamed("depthwise_conv2d"), attributes, {x, w})[0];
    checkNear(y, naiveConv2d(padded(Array(x), c.before, c.after), depthwiseAsDense(Array(w)),
                             c.strides, c.dilation, 1));
    const Tensor dy = randomTensor(y.shape(), 3);
    const double whole = dot(Array(y), Array(dy));
    attributes.set("input_shape", Ints(c.x.dims().begin(), c.x.dims().end()));
    CHECK(dot(Array(evaluateOp(opNamed("depthwise_conv2d_backward_data"), attributes, {dy, w})[0]),
              Array(x)) == doctest::Approx(whole).epsilon(1e-10));
    attributes.remove("input_shape");
    attributes.set("weight_shape", Ints(c.w.dims().begin(), c.w.dims().end()));
    CHECK(
        dot(Array(evaluateOp(opNamed("depthwise_conv2d_backward_weights"), attributes, {x, dy})[0]),
            Array(w)) == doctest::Approx(whole).epsilon(1e-10));
  }
}

TEST_CASE(
    "max pooling uses the first maximum, and average pooling only elements inside the input") {
  // The image has 3 x 3 pixels. The windows are 2 x 2 with stride 2 and "same" padding, which adds
  // one row and one column at the end.
  const Tensor x = f64({1, 3, 3, 1}, {1, 7, 3, 7, 2, 6, 4, 4, 9});
  const Attributes attributes{{"pool_size", Ints{2, 2}},
                              {"strides", Ints{2, 2}},
                              {"padding_before", Ints{0, 0}},
                              {"padding_after", Ints{1, 1}}};
  const std::vector<Tensor> largest = evaluateOp(opNamed("max_pool2d"), attributes, {x});
  CHECK(Array(largest[0]).data == std::vector<double>{7, 6, 4, 9});
  // The index belongs to the 7 in the first row, not to the 7 in the second row.
  CHECK(Array(largest[1]).data == std::vector<double>{1, 2, 0, 0});
  CHECK(Array(evaluateOp(opNamed("avg_pool2d"), attributes, {x})[0]).data ==
        std::vector<double>{17 / 4.0, 9 / 2.0, 8 / 2.0, 9});
  Attributes backward = attributes;
  backward.set("input_shape", Ints{1, 3, 3, 1});
  const Tensor dy = f64({1, 2, 2, 1}, {1, 10, 100, 1000});
  CHECK(Array(evaluateOp(opNamed("max_pool2d_backward"), backward, {dy, largest[1]})[0]).data ==
        std::vector<double>{0, 1, 0, 0, 0, 10, 100, 0, 1000});
  CHECK(Array(evaluateOp(opNamed("avg_pool2d_backward"), backward, {dy})[0]).data ==
        std::vector<double>{0.25, 0.25, 5, 0.25, 0.25, 5, 50, 50, 1000});
  // Padding is never the maximum, even if all inputs are negative.
  const Tensor negative = f64({1, 1, 1, 1}, {-5});
  const Attributes same{
      {"pool_size", Ints{2, 2}}, {"padding_before", Ints{1, 1}}, {"padding_after", Ints{1, 1}}};
  for (double value : Array(evaluateOp(opNamed("max_pool2d"), same, {negative})[0]).data)
    CHECK(value == -5);
  for (double value : Array(evaluateOp(opNamed("avg_pool2d"), same, {negative})[0]).data)
    CHECK(value == -5);
}

TEST_CASE(
    "batch normalization gives the mean beta and the deviation gamma, with a biased variance") {
  const Tensor x = randomTensor({4, 3, 2, 3}, 1), gamma = f64({3}, {1, 2, 0.5}),
               beta = f64({3}, {0, -1, 3});
  const std::vector<Tensor> out =
      evaluateOp(opNamed("batch_norm"), {{"epsilon", 1e-3}}, {x, gamma, beta});
  const Array y(out[0]), in(x);
  for (int64_t c = 0; c < 3; ++c) {
    double sum = 0, squares = 0;
    for (size_t i = static_cast<size_t>(c); i < in.data.size(); i += 3) {
      sum += in.data[i];
      squares += in.data[i] * in.data[i];
    }
    const double mean = sum / 24, variance = squares / 24 - mean * mean,
                 invStd = 1 / std::sqrt(variance + 1e-3);
    CHECK(out[1].as<double>()[static_cast<size_t>(c)] == doctest::Approx(mean).epsilon(1e-10));
    CHECK(out[2].as<double>()[static_cast<size_t>(c)] == doctest::Approx(invStd).epsilon(1e-10));
    const double g = gamma.as<double>()[static_cast<size_t>(c)],
                 b = beta.as<double>()[static_cast<size_t>(c)];
    for (size_t i = static_cast<size_t>(c); i < in.data.size(); i += 3)
      CHECK(y.data[i] == doctest::Approx((in.data[i] - mean) * invStd * g + b).epsilon(1e-9));
  }
}

// The numbers were computed by hand: the rows of x - mean are (-1, 1) and (-3, 3).
TEST_CASE("layer normalization and its gradient give the numbers computed by hand") {
  const Tensor x = f64({2, 2}, {1, 3, -2, 4}), gamma = f64({2}, {2, 3}), beta = f64({2}, {10, 20});
  const std::vector<Tensor> out =
      evaluateOp(opNamed("layer_norm"), {{"epsilon", 1e-12}, {"scale", true}, {"center", true}},
                 {x, gamma, beta});
  const auto check = [](const Tensor& tensor, const std::vector<double>& expected) {
    for (size_t i = 0; i < expected.size(); ++i)
      CHECK(tensor.as<double>()[i] == doctest::Approx(expected[i]).epsilon(1e-9));
  };
  check(out[0], {8, 23, 8, 23});
  check(out[1], {2, 1});
  check(out[2], {1, 1.0 / 3});
  const std::vector<Tensor> gradients =
      evaluateOp(opNamed("layer_norm_backward"), {{"scale", true}},
                 {f64({2, 2}, {1, 2, 5, 0}), x, out[1], out[2], gamma});
  // A row of two elements is always normalized to (-1, 1), so dx is 0
  for (double value : gradients[0].as<double>())
    CHECK(std::fabs(value) < 1e-9);
  check(gradients[1], {-6, 2});
  check(gradients[2], {6, 2});
}

TEST_CASE(
    "dropout keeps the right share, scales it, and has a mask that depends on the global sample") {
  const auto drop = [](const Tensor& x, int64_t seed, int64_t step, int64_t first, double rate,
                       const char* stream) {
    return evaluateOp(opNamed("dropout"), {{"rate", rate}, {"stream", std::string(stream)}},
                      {x, Tensor::scalar<int64_t>(seed), Tensor::scalar<int64_t>(step),
                       Tensor::scalar<int64_t>(first)})[0];
  };
  Tensor ones(DType::F32, Shape{100, 101});
  for (float& x : ones.as<float>())
    x = 1;
  const Tensor y = drop(ones, 1, 1, 0, 0.3, "a");
  int kept = 0;
  for (float value : y.as<float>()) {
    CHECK((value == 0 || value == static_cast<float>(1 / 0.7)));
    kept += value != 0;
  }
  CHECK(std::fabs(kept / 10100.0 - 0.7) < 0.02);
  CHECK(drop(ones, 1, 1, 0, 0.0, "a").isBitEqual(ones));
  for (const Tensor& other : {drop(ones, 2, 1, 0, 0.3, "a"), drop(ones, 1, 2, 0, 0.3, "a"),
                              drop(ones, 1, 1, 1, 0.3, "a"), drop(ones, 1, 1, 0, 0.3, "b")})
    CHECK_FALSE(y.isBitEqual(other));
  // The second half of the batch, run alone with its position in the batch, gets the same mask.
  Tensor half(DType::F32, Shape{50, 101});
  for (float& x : half.as<float>())
    x = 1;
  const Tensor second = drop(half, 1, 1, 50, 0.3, "a");
  CHECK(std::equal(second.as<float>().begin(), second.as<float>().end(),
                   y.as<float>().begin() + 50 * 101));
}

TEST_CASE("cross-entropies have known values, also for ignored and invalid labels") {
  const Tensor logits = f64({4, 3}, {0, 0, 0, 1, 2, 3, 1000, 0, -1000, 1, 1, 1});
  const std::vector<int32_t> labels{1, 2, 0, 5};
  const std::vector<Tensor> out = evaluateOp(opNamed("softmax_cross_entropy"), {},
                                             {logits, Tensor::from<int32_t>({4}, labels)});
  const auto loss = out[0].as<double>();
  CHECK(loss[0] == doctest::Approx(std::log(3.0)));
  CHECK(loss[1] == doctest::Approx(std::log(1 + std::exp(-1.0) + std::exp(-2.0))));
  CHECK(loss[2] == doctest::Approx(0.0));
  CHECK(std::isnan(loss[3]));
  const std::vector<Tensor> ignoring =
      evaluateOp(opNamed("softmax_cross_entropy"), {{"ignore_class", int64_t{2}}},
                 {logits, Tensor::from<int32_t>({4}, labels)});
  CHECK(ignoring[0].as<double>()[1] == 0);
  // The loss of a one-hot target equals the sparse loss of its class.
  const Tensor dense = f64({4, 3}, {0, 1, 0, 0, 0, 1, 1, 0, 0, 0.5, 0.25, 0.25});
  const Tensor denseLoss = evaluateOp(opNamed("softmax_cross_entropy"), {}, {logits, dense})[0];
  for (size_t i = 0; i < 3; ++i)
    CHECK(denseLoss.as<double>()[i] == doctest::Approx(loss[i]));
  CHECK(denseLoss.as<double>()[3] == doctest::Approx(std::log(3.0)));
  const Tensor x = f64({4}, {0, 1000, -1000, 2}), target = f64({4}, {0.5, 1, 1, 0});
  const Tensor binary = evaluateOp(opNamed("sigmoid_cross_entropy"), {}, {x, target})[0];
  CHECK(binary.as<double>()[0] == doctest::Approx(std::log(2.0)));
  CHECK(binary.as<double>()[1] == 0);
  CHECK(binary.as<double>()[2] == 1000);
  CHECK(binary.as<double>()[3] == doctest::Approx(2 + std::log1p(std::exp(-2.0))));
}

}  // namespace strata::test

TEST_SUITE_END();
