// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <limits>

#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;
using namespace strata::test;
using Ints = std::vector<int64_t>;

TEST_SUITE_BEGIN("cpu layers");

TEST_CASE("sums and maxima over rows, columns and middle axes equal the reference") {
  for (const Shape& shape : {Shape{6, 10, 11, 32}, Shape{3, 300, 5, 7}, Shape{70, 9, 4, 100}})
    for (const Ints& axes :
         {Ints{0, 1, 2}, Ints{3}, Ints{2, 3}, Ints{0}, Ints{1, 2}, Ints{0, 1, 2, 3}})
      checkKernel("reduce_sum", {{"axes", axes}}, {randomTensor(shape, 1)});
  checkKernel("reduce_sum", {{"axes", Ints{0}}}, {randomTensor({64, 1024}, 1)});
  checkKernel("reduce_sum", {{"axes", Ints{0}}, {"keepdims", true}}, {randomTensor({5000, 10}, 1)});
  checkKernel("reduce_sum", {{"axes", Ints{0, 2}}}, {randomTensor({4, 5, 6}, 1)}, 1e-5, false);
  checkKernel("reduce_max", {{"axes", Ints{1}}}, {randomTensor({50, 501}, 1)});
  checkKernel("reduce_sum", {{"axes", Ints{0}}}, {randomTensor({100003}, 1, 0, 1)}, 1e-6);
}

TEST_CASE("softmax and log-softmax of small and large rows equal the reference") {
  for (const Shape& shape : {Shape{5, 10}, Shape{64, 1000}, Shape{3, 4, 17}, Shape{9, 1}}) {
    checkKernel("softmax", {{"axis", int64_t{-1}}}, {randomTensor(shape, 1, -30, 30)});
    checkKernel("log_softmax", {{"axis", int64_t{-1}}}, {randomTensor(shape, 1, -30, 30)});
  }
}

TEST_CASE("sparse and dense softmax cross-entropy and its gradient equal the reference") {
  for (int64_t classes : {2, 10, 33, 1000}) {
    const Tensor logits = randomTensor({37, classes}, 1, -20, 20), dloss = randomTensor({37}, 2),
                 probabilities = randomTensor({37, classes}, 3, 0, 1);
    Tensor labels = randomLabels({37}, 4, static_cast<int32_t>(classes));
    labels.as<int32_t>()[5] = -1;
    labels.as<int32_t>()[6] = static_cast<int32_t>(classes);
    checkKernel("softmax_cross_entropy", {}, {logits, labels});
    checkKernel("softmax_cross_entropy", {{"ignore_class", int64_t{1}}}, {logits, labels});
    checkKernel("softmax_cross_entropy_backward", {}, {dloss, probabilities, labels});
    checkKernel("softmax_cross_entropy_backward", {{"ignore_class", int64_t{1}}},
                {dloss, probabilities, labels});
    const Tensor target = randomTensor({37, classes}, 5, 0, 1);
    checkKernel("softmax_cross_entropy", {}, {logits, target});
    checkKernel("softmax_cross_entropy_backward", {}, {dloss, probabilities, target});
  }
}

TEST_CASE(
    "pooling and its gradients equal the reference for separate, overlapping and padded windows") {
  struct Case {
    Shape x;
    Ints pool, strides, before, after;
  };
  for (const Case& c : {Case{{3, 26, 26, 32}, {2, 2}, {2, 2}, {0, 0}, {0, 0}},
                        Case{{2, 11, 11, 64}, {2, 2}, {2, 2}, {0, 0}, {0, 0}},
                        Case{{2, 9, 8, 5}, {3, 2}, {2, 1}, {1, 0}, {1, 1}},
                        Case{{1, 7, 7, 19}, {3, 3}, {1, 1}, {1, 1}, {1, 1}},
                        Case{{2, 5, 6, 3}, {2, 3}, {3, 3}, {0, 0}, {0, 0}},
                        Case{{4, 6, 6, 1}, {6, 6}, {6, 6}, {0, 0}, {0, 0}}}) {
    const Attributes window{{"pool_size", c.pool},
                            {"strides", c.strides},
                            {"padding_before", c.before},
                            {"padding_after", c.after}};
    Tensor x = randomTensor(c.x, 1);
    // Two elements of a window are equal, so the maximum may not be unique.
    x.as<float>()[4] = x.as<float>()[2];
    checkKernel("max_pool2d", window, {x});
    Attributes activated = window;
    activated.set("activation", std::string("leaky_relu"));
    activated.set("alpha", 0.2);
    checkKernel("max_pool2d", activated, {x});
    checkKernel("avg_pool2d", window, {x});
    const auto size = [&](int axis) {
      const size_t i = static_cast<size_t>(axis - 1);
      return (c.x[axis] + c.before[i] + c.after[i] - c.pool[i]) / c.strides[i] + 1;
    };
    const Shape out{c.x[0], size(1), size(2), c.x[3]};
    Tensor index(DType::U8, out);
    uint64_t i = 0;
    for (uint8_t& cell : index.as<uint8_t>())
      cell = static_cast<uint8_t>((i++ * 7 / 3) % static_cast<uint64_t>(c.pool[0] * c.pool[1]));
    Attributes backward = window;
    backward.set("input_shape", Ints(c.x.dims().begin(), c.x.dims().end()));
    checkKernel("max_pool2d_backward", backward, {randomTensor(out, 2), index});
    checkKernel("avg_pool2d_backward", backward, {randomTensor(out, 2)});
  }
  Tensor nan = randomTensor({1, 4, 4, 20}, 1);
  nan.as<float>()[0] = nan.as<float>()[100] = std::numeric_limits<float>::quiet_NaN();
  checkKernel("max_pool2d", {{"pool_size", Ints{2, 2}}, {"strides", Ints{2, 2}}}, {nan});
}

TEST_CASE("batch normalization and its gradient equal the reference") {
  for (const Shape& shape :
       {Shape{4, 9, 9, 32}, Shape{50, 17}, Shape{2, 3, 3, 100}, Shape{300, 270}, Shape{1, 4}}) {
    const int64_t channels = shape.dim(-1);
    const Tensor x = randomTensor(shape, 1, 3, 7), gamma = randomTensor({channels}, 2, 0.5f, 2),
                 beta = randomTensor({channels}, 3);
    checkKernel("batch_norm", {{"epsilon", 1e-3}}, {x, gamma, beta}, 2e-5);
    const Tensor mean = randomTensor({channels}, 5, 4, 6),
                 invStd = randomTensor({channels}, 6, 0.5f, 2), other = randomTensor(shape, 7);
    checkKernel("batch_norm", {{"activation", std::string("relu")}}, {x, gamma, beta, other}, 2e-5);
    checkKernel("batch_norm_backward", {}, {randomTensor(shape, 4), x, gamma, mean, invStd}, 2e-5);
    checkKernel("batch_norm_backward", {}, {randomTensor(shape, 4), x, gamma, mean, invStd, other},
                2e-5);
    checkKernel("batch_norm_backward", {}, {randomTensor(shape, 4), x, gamma, mean, invStd, beta},
                2e-5);
  }
}

TEST_CASE("batch normalization of values far from zero keeps its precision") {
  checkKernel("batch_norm", {},
              {randomTensor({5000, 20}, 1, 1000, 1001), randomTensor({20}, 2, 0.5f, 2),
               randomTensor({20}, 3)},
              2e-3);
}

TEST_CASE("layer normalization and its gradient equal the reference") {
  for (const Shape& shape : {Shape{4, 20, 64}, Shape{50, 17}, Shape{7, 3, 5}, Shape{3, 2000},
                             Shape{300, 270}, Shape{1, 4}, Shape{2, 5000}}) {
    const int64_t size = shape.dim(-1);
    Shape outer;
    for (int i = 0; i + 1 < shape.rank(); ++i)
      outer.append(shape[i]);
    const Tensor x = randomTensor(shape, 1, 3, 7), gamma = randomTensor({size}, 2, 0.5f, 2),
                 beta = randomTensor({size}, 3), dy = randomTensor(shape, 4),
                 mean = randomTensor(outer, 5, 4, 6), invStd = randomTensor(outer, 6, 0.5f, 2);
    checkKernel("layer_norm", {{"scale", true}, {"center", true}}, {x, gamma, beta}, 2e-5);
    checkKernel("layer_norm", {{"scale", true}}, {x, gamma}, 2e-5);
    checkKernel("layer_norm", {{"center", true}}, {x, beta}, 2e-5);
    checkKernel("layer_norm", {}, {x}, 2e-5);
    checkKernel("layer_norm_backward", {{"scale", true}}, {dy, x, mean, invStd, gamma}, 2e-5);
    checkKernel("layer_norm_backward", {}, {dy, x, mean, invStd}, 2e-5);
  }
  const Tensor x = randomTensor({30, 4, 6, 5}, 1);
  checkKernel("layer_norm", {{"dimensions", int64_t{3}}, {"scale", true}},
              {x, randomTensor({4, 6, 5}, 2)}, 2e-5);
}

TEST_CASE("layer normalization of values far from zero keeps its precision") {
  checkKernel("layer_norm", {}, {randomTensor({20, 5000}, 1, 1000, 1001)}, 2e-3);
}

TEST_CASE("optimizer updates equal the reference, in place") {
  for (const Shape& shape : {Shape{7}, Shape{33, 20}, Shape{100, 101}}) {
    const Tensor w = randomTensor(shape, 1), g = randomTensor(shape, 2), m = randomTensor(shape, 3),
                 v = randomTensor(shape, 4, 0, 1), v2 = randomTensor(shape, 5, 0.5f, 1.5f);
    const Tensor rate = Tensor::scalar(0.01f), step = Tensor::scalar<int64_t>(3);
    checkKernel("sgd_update", {}, {w, g, rate});
    checkKernel("sgd_update", {{"weight_decay", 0.1}}, {w, g, rate});
    for (bool nesterov : {false, true})
      checkKernel("sgd_update", {{"momentum", 0.9}, {"nesterov", nesterov}}, {w, g, rate, m});
    checkKernel("adam_update", {{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}},
                {w, g, m, v, rate, step});
    checkKernel("adam_update", {{"weight_decay", 0.1}},
                {w, g, Tensor(DType::F32, shape), Tensor(DType::F32, shape), rate,
                 Tensor::scalar<int64_t>(1)});
    checkKernel("adam_update", {{"amsgrad", true}}, {w, g, m, v, rate, step, v2});
    checkKernel("rmsprop_update", {}, {w, g, v, rate});
    checkKernel("rmsprop_update", {{"momentum", 0.9}, {"weight_decay", 0.01}}, {w, g, v, rate, m});
    checkKernel("rmsprop_update", {{"centered", true}},
                {w, g, v2, rate, randomTensor(shape, 6, -0.1f, 0.1f)});
    checkKernel("rmsprop_update", {{"centered", true}, {"momentum", 0.5}},
                {w, g, v2, rate, m, randomTensor(shape, 6, -0.1f, 0.1f)});
    checkKernel("adagrad_update", {}, {w, g, v, rate});
  }
}

TEST_CASE("optimizer updates fused with the product of their gradient equal the reference") {
  for (const auto& [k, m, n] : {std::tuple<int64_t, int64_t, int64_t>{1, 1, 1},
                                {7, 5, 3},
                                {32, 100, 10},
                                {33, 61, 70},
                                {64, 3, 300},
                                {300, 45, 290},
                                {600, 130, 33}}) {
    const Shape shape{m, n};
    // Gradients are smaller than 1, so that Adam's quotient of moments is well-conditioned.
    const float size = 1 / std::sqrt(static_cast<float>(k));
    const Tensor w = randomTensor(shape, 1), a = randomTensor({k, m}, 2, -size, size),
                 b = randomTensor({k, n}, 6), s = randomTensor(shape, 3),
                 v = randomTensor(shape, 4, 0.1f, 1), v2 = randomTensor(shape, 5, 0.5f, 1.5f);
    const Tensor rate = Tensor::scalar(0.01f), step = Tensor::scalar<int64_t>(3);
    checkKernel("matmul_sgd_update", {}, {w, a, b, rate});
    checkKernel("matmul_sgd_update", {{"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 0.1}},
                {w, a, b, rate, s});
    checkKernel("matmul_adam_update", {}, {w, a, b, s, v, rate, step});
    checkKernel("matmul_adam_update", {{"amsgrad", true}, {"weight_decay", 0.1}},
                {w, a, b, s, v, rate, step, v2});
  }
}

TEST_CASE("transposes, broadcasts and slices equal the reference") {
  checkKernel("transpose", {{"permutation", Ints{1, 0}}}, {randomTensor({130, 77}, 1)});
  checkKernel("transpose", {{"permutation", Ints{0, 2, 1, 3}}}, {randomTensor({3, 4, 5, 64}, 1)});
  checkKernel("transpose", {{"permutation", Ints{0, 1}}}, {randomTensor({30, 7}, 1)});
  for (const auto& [from, to] :
       {std::pair{Shape{5}, Shape{7, 5}}, std::pair{Shape{7, 1}, Shape{7, 5}},
        std::pair{Shape{}, Shape{100, 100}}, std::pair{Shape{3, 1, 4}, Shape{3, 50, 4}}})
    checkKernel("broadcast_to", {{"shape", Ints(to.dims().begin(), to.dims().end())}},
                {randomTensor(from, 1)});
  checkKernel("slice", {{"begin", Ints{2, 0, 1}}, {"size", Ints{3, 6, 2}}},
              {randomTensor({7, 6, 5}, 1)});
  checkKernel("slice", {{"begin", Ints{20, 0}}, {"size", Ints{100, 64}}},
              {randomTensor({200, 64}, 1)});
}

TEST_CASE("dropout uses the mask of the sample's position, for any first sample") {
  for (const Shape& shape : {Shape{5, 7}, Shape{64, 128}, Shape{3, 11, 13}})
    // With the last value, the index of a block of random numbers exceeds 32 bits.
    for (int64_t first : {0, 1, 1000, 134217727})
      checkKernel("dropout", {{"rate", 0.3}, {"stream", std::string("drop")}},
                  {randomTensor(shape, 1), Tensor::scalar<int64_t>(42), Tensor::scalar<int64_t>(7),
                   Tensor::scalar<int64_t>(first)},
                  1e-7);
}
