// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;
using namespace strata::test;

TEST_SUITE_BEGIN("cpu products");

TEST_CASE("matmul equals the reference for all sizes and transpositions") {
  struct Size {
    int64_t m, n, k;
  };
  for (const Size s :
       {Size{1, 1, 1}, Size{3, 5, 7}, Size{14, 32, 16}, Size{15, 33, 17}, Size{128, 10, 96},
        Size{40, 200, 300}, Size{500, 17, 30}, Size{31, 64, 515}, Size{30, 64, 64},
        Size{45, 70, 40}, Size{21, 100, 90}, Size{2, 3, 0}, Size{0, 4, 3}})
    for (bool ta : {false, true})
      for (bool tb : {false, true}) {
        const Tensor a = randomTensor(ta ? Shape{s.k, s.m} : Shape{s.m, s.k}, 1),
                     b = randomTensor(tb ? Shape{s.n, s.k} : Shape{s.k, s.n}, 2);
        checkKernel("matmul", {{"transpose_a", ta}, {"transpose_b", tb}}, {a, b});
      }
}

TEST_CASE("batched matmul with bias and relu equals the reference") {
  checkKernel("matmul", {{"activation", std::string("relu")}},
              {randomTensor({33, 70}, 1), randomTensor({70, 37}, 2), randomTensor({37}, 3)});
  checkKernel("matmul_siblings",
              {{"transpose_b", false},
               {"has_bias", true},
               {"activations", std::string("relu,tanh,linear")}},
              {randomTensor({40, 70}, 1), randomTensor({70, 20}, 2), randomTensor({20}, 3),
               randomTensor({70, 3}, 4), randomTensor({3}, 5), randomTensor({70, 90}, 6),
               randomTensor({90}, 7)});
  checkKernel(
      "matmul_siblings",
      {{"transpose_b", true}, {"has_bias", false}, {"activations", std::string("linear,linear")}},
      {randomTensor({5, 7}, 1), randomTensor({20, 7}, 2), randomTensor({3, 7}, 3)});
  checkKernel("matmul", {},
              {randomTensor({5, 70}, 1), randomTensor({70, 3}, 2), randomTensor({3}, 3)});
  checkKernel("matmul", {}, {randomTensor({4, 9, 20}, 1), randomTensor({4, 20, 11}, 2)});
  checkKernel("matmul", {{"transpose_a", true}},
              {randomTensor({2, 20, 9}, 1), randomTensor({2, 20, 40}, 2)});
}

namespace {

struct Convolution {
  Shape x, w;
  std::vector<int64_t> strides{1, 1}, dilation{1, 1}, before{0, 0}, after{0, 0};
  int64_t groups = 1;
};

/// Checks the convolution, the convolution with bias and relu, and both gradients.
void checkConvolution(const Convolution& c, const std::string& op = "conv2d") {
  const Attributes window{{"strides", c.strides},
                          {"dilation", c.dilation},
                          {"padding_before", c.before},
                          {"padding_after", c.after},
                          {"groups", c.groups}};
  const Tensor x = randomTensor(c.x, 1), w = randomTensor(c.w, 2);
  checkKernel(op, window, {x, w});
  const int64_t channels = op == "conv2d" ? c.w[3] : c.w[2] * c.w[3];
  Attributes fused = window;
  fused.set("activation", std::string("relu"));
  checkKernel(op, fused, {x, w, randomTensor({channels}, 3)});
  const auto size = [&](int axis) {
    const size_t i = static_cast<size_t>(axis - 1);
    return (c.x[axis] + c.before[i] + c.after[i] - (c.w[axis - 1] - 1) * c.dilation[i] - 1) /
               c.strides[i] +
           1;
  };
  const Tensor dy = randomTensor({c.x[0], size(1), size(2), channels}, 4);
  Attributes data = window;
  data.set("input_shape", std::vector<int64_t>(c.x.dims().begin(), c.x.dims().end()));
  checkKernel(op + "_backward_data", data, {dy, w});
  Attributes weights = window;
  weights.set("weight_shape", std::vector<int64_t>(c.w.dims().begin(), c.w.dims().end()));
  checkKernel(op + "_backward_weights", weights, {x, dy});
}

}  // namespace

TEST_CASE("conv2d and its gradients: shapes of the MNIST CNN and LeNet-5") {
  checkConvolution({.x = {3, 28, 28, 1}, .w = {3, 3, 1, 32}});
  checkConvolution({.x = {3, 13, 13, 32}, .w = {3, 3, 32, 64}});
  checkConvolution({.x = {3, 5, 5, 64}, .w = {3, 3, 64, 64}});
  checkConvolution({.x = {2, 28, 28, 1}, .w = {5, 5, 1, 6}, .before = {2, 2}, .after = {2, 2}});
  checkConvolution({.x = {2, 14, 14, 6}, .w = {5, 5, 6, 16}});
}

TEST_CASE("conv2d and its gradients: few channels") {
  checkConvolution({.x = {5, 28, 28, 1}, .w = {5, 5, 1, 6}, .before = {2, 2}, .after = {2, 2}});
  checkConvolution({.x = {4, 14, 14, 6}, .w = {5, 5, 6, 16}});
  checkConvolution({.x = {3, 17, 33, 3},
                    .w = {3, 7, 3, 8},
                    .strides = {2, 1},
                    .before = {1, 0},
                    .after = {0, 3}});
  checkConvolution({.x = {2, 12, 40, 2},
                    .w = {3, 2, 2, 5},
                    .dilation = {2, 3},
                    .before = {0, 1},
                    .after = {2, 2}});
  checkConvolution({.x = {1, 9, 15, 4}, .w = {2, 4, 4, 1}});
  checkConvolution({.x = {7, 6, 16, 1}, .w = {1, 1, 1, 3}});
  checkConvolution({.x = {2, 15, 15, 5},
                    .w = {7, 6, 5, 20},
                    .strides = {3, 2},
                    .before = {3, 2},
                    .after = {1, 3}});
  checkConvolution(
      {.x = {2, 11, 30, 3}, .w = {3, 3, 3, 12}, .strides = {2, 4}, .dilation = {2, 1}});
}

TEST_CASE("conv2d and its gradients: padding, strides, dilation, groups, odd channels") {
  checkConvolution(
      {.x = {2, 9, 7, 3}, .w = {3, 3, 3, 5}, .strides = {2, 2}, .before = {0, 1}, .after = {1, 1}});
  checkConvolution(
      {.x = {1, 10, 11, 4}, .w = {3, 2, 4, 48}, .strides = {1, 2}, .dilation = {2, 3}});
  checkConvolution(
      {.x = {2, 8, 8, 6}, .w = {3, 3, 2, 9}, .before = {1, 1}, .after = {1, 1}, .groups = 3});
  checkConvolution({.x = {2, 6, 6, 8}, .w = {1, 1, 8, 70}});
  checkConvolution({.x = {2, 7, 7, 5}, .w = {1, 1, 5, 20}, .strides = {2, 2}});
  checkConvolution({.x = {1, 4, 4, 2}, .w = {4, 4, 2, 100}});
  checkConvolution({.x = {2, 5, 5, 16}, .w = {3, 3, 16, 130}, .before = {3, 3}, .after = {2, 2}});
}

TEST_CASE(
    "3x3 convolutions by Winograd's tiles: borders, incomplete tiles and incomplete vectors") {
  checkConvolution({.x = {2, 8, 8, 32}, .w = {3, 3, 32, 32}, .before = {1, 1}, .after = {1, 1}});
  checkConvolution({.x = {2, 9, 11, 25}, .w = {3, 3, 25, 27}, .before = {1, 1}, .after = {1, 1}});
  checkConvolution({.x = {3, 13, 9, 33}, .w = {3, 3, 33, 45}, .before = {1, 0}, .after = {1, 2}});
  checkConvolution({.x = {1, 10, 11, 70}, .w = {3, 3, 70, 36}});
  checkConvolution({.x = {2, 7, 6, 40}, .w = {3, 3, 40, 150}, .before = {2, 2}, .after = {2, 2}});
  // The padding is as wide as the window.
  checkConvolution({.x = {5, 9, 10, 144}, .w = {3, 3, 144, 33}, .before = {0, 3}, .after = {1, 0}});
}

TEST_CASE(
    "3x3 convolutions by Winograd's tiles with few tiles and many channels: workers share the "
    "channels") {
  checkConvolution({.x = {3, 8, 8, 160}, .w = {3, 3, 160, 192}, .before = {1, 1}, .after = {1, 1}});
  checkConvolution({.x = {2, 4, 5, 173}, .w = {3, 3, 173, 210}, .before = {1, 1}, .after = {1, 1}});
  checkConvolution({.x = {1, 12, 12, 100}, .w = {3, 3, 100, 140}});
}

TEST_CASE("convolutions as products of windows: strides, dilation, borders and empty windows") {
  checkConvolution({.x = {3, 16, 16, 64}, .w = {3, 3, 64, 96}, .strides = {2, 2}, .after = {1, 1}});
  checkConvolution({.x = {2, 13, 18, 70},
                    .w = {3, 2, 70, 67},
                    .strides = {2, 3},
                    .before = {1, 0},
                    .after = {2, 1}});
  checkConvolution({.x = {1, 12, 15, 100}, .w = {2, 2, 100, 80}, .strides = {3, 4}});
  checkConvolution({.x = {2, 11, 9, 66},
                    .w = {5, 3, 66, 64},
                    .dilation = {1, 2},
                    .before = {4, 1},
                    .after = {0, 3}});
  checkConvolution({.x = {40, 5, 5, 64},
                    .w = {3, 3, 64, 64},
                    .strides = {2, 1},
                    .before = {1, 1},
                    .after = {1, 1}});
}

TEST_CASE(
    "convolutions with many channels, which oneDNN may run, also with fewer images than workers") {
  checkConvolution({.x = {3, 14, 12, 64}, .w = {3, 3, 64, 64}, .before = {1, 1}, .after = {1, 1}});
  checkConvolution({.x = {1, 15, 17, 64}, .w = {3, 3, 64, 80}});
  checkConvolution({.x = {2, 5, 5, 192}, .w = {3, 3, 192, 208}, .before = {1, 1}, .after = {1, 1}});
}

TEST_CASE("depthwise convolution and its gradients equal the reference") {
  checkConvolution({.x = {2, 9, 9, 20}, .w = {3, 3, 20, 1}, .before = {1, 1}, .after = {1, 1}},
                   "depthwise_conv2d");
  checkConvolution(
      {.x = {3, 8, 7, 5}, .w = {3, 2, 5, 3}, .strides = {2, 1}, .before = {0, 1}, .after = {1, 1}},
      "depthwise_conv2d");
  checkConvolution({.x = {1, 12, 12, 33}, .w = {3, 3, 33, 1}, .dilation = {2, 2}},
                   "depthwise_conv2d");
  checkConvolution({.x = {2, 13, 11, 18}, .w = {5, 4, 18, 1}, .before = {2, 1}, .after = {2, 2}},
                   "depthwise_conv2d");
  checkConvolution({.x = {2, 8, 15, 7}, .w = {1, 3, 7, 1}, .strides = {1, 2}, .dilation = {1, 2}},
                   "depthwise_conv2d");
  checkConvolution({.x = {2, 9, 9, 16},
                    .w = {3, 3, 16, 2},
                    .strides = {2, 2},
                    .before = {1, 1},
                    .after = {1, 1}},
                   "depthwise_conv2d");
}
