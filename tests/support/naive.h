// SPDX-License-Identifier: Apache-2.0
// Short, slow and obvious formulas in double precision, with which tests compare kernels. They
// follow the mathematical definitions: padding copies the input into a larger array, and a
// convolution sums over every input element. Any thread may call these functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <vector>

#include "gpu/tensor/tensor.h"

namespace strata::test {

/// A dense array of doubles that is indexed by axis.
struct Array {
  Shape shape;
  std::vector<double> data;
  explicit Array(Shape s, double value = 0)
      : shape(s), data(static_cast<size_t>(s.numElements()), value) {}
  explicit Array(const Tensor& tensor) : shape(tensor.shape()) {
    const Tensor wide = tensor.converted(DType::F64);
    data.assign(wide.as<double>().begin(), wide.as<double>().end());
  }
  double& at(std::initializer_list<int64_t> index) { return data[position(index)]; }
  double at(std::initializer_list<int64_t> index) const { return data[position(index)]; }
  size_t position(std::initializer_list<int64_t> index) const {
    int64_t result = 0;
    int axis = 0;
    for (int64_t i : index)
      result = result * shape[axis++] + i;
    return static_cast<size_t>(result);
  }
};

inline double dot(const Array& a, const Array& b) {
  double sum = 0;
  for (size_t i = 0; i < a.data.size(); ++i)
    sum += a.data[i] * b.data[i];
  return sum;
}

/// Returns the largest |a - b|, or infinity if the shapes differ or only one side has a NaN.
inline double largestDifference(const Array& a, const Array& b) {
  if (a.shape != b.shape) return INFINITY;
  double worst = 0;
  for (size_t i = 0; i < a.data.size(); ++i) {
    const double x = a.data[i], y = b.data[i];
    if (x == y || (std::isnan(x) && std::isnan(y))) continue;
    const double difference = std::fabs(x - y);
    worst = std::isnan(difference) ? INFINITY : std::max(worst, difference);
  }
  return worst;
}

/// Returns max(1, largest finite |x|), the scale to which errors are relative.
inline double scaleOf(const Array& a) {
  double scale = 1;
  for (double x : a.data)
    if (std::isfinite(x)) scale = std::max(scale, std::fabs(x));
  return scale;
}

/// Returns x [N,H,W,C] padded with `value` on both spatial axes.
inline Array padded(const Array& x, std::span<const int64_t> before, std::span<const int64_t> after,
                    double value = 0) {
  Array result({x.shape[0], x.shape[1] + before[0] + after[0], x.shape[2] + before[1] + after[1],
                x.shape[3]},
               value);
  for (int64_t n = 0; n < x.shape[0]; ++n)
    for (int64_t h = 0; h < x.shape[1]; ++h)
      for (int64_t w = 0; w < x.shape[2]; ++w)
        for (int64_t c = 0; c < x.shape[3]; ++c)
          result.at({n, h + before[0], w + before[1], c}) = x.at({n, h, w, c});
  return result;
}

/// Returns the convolution of an already padded input x [N,H,W,C] with weights [R,S,C/groups,K].
inline Array naiveConv2d(const Array& x, const Array& w, std::span<const int64_t> strides,
                         std::span<const int64_t> dilation, int64_t groups) {
  const int64_t outputHeight = (x.shape[1] - dilation[0] * (w.shape[0] - 1) - 1) / strides[0] + 1;
  const int64_t outputWidth = (x.shape[2] - dilation[1] * (w.shape[1] - 1) - 1) / strides[1] + 1;
  Array y({x.shape[0], outputHeight, outputWidth, w.shape[3]});
  const int64_t channelsIn = x.shape[3] / groups, channelsOut = w.shape[3] / groups;
  for (int64_t n = 0; n < y.shape[0]; ++n)
    for (int64_t p = 0; p < outputHeight; ++p)
      for (int64_t q = 0; q < outputWidth; ++q)
        for (int64_t k = 0; k < w.shape[3]; ++k)
          for (int64_t c = 0; c < channelsIn; ++c)
            for (int64_t r = 0; r < w.shape[0]; ++r)
              for (int64_t s = 0; s < w.shape[1]; ++s)
                y.at({n, p, q, k}) +=
                    x.at({n, p * strides[0] + r * dilation[0], q * strides[1] + s * dilation[1],
                          k / channelsOut * channelsIn + c}) *
                    w.at({r, s, c, k});
  return y;
}

/// Converts depthwise weights [R,S,C,M] to weights of an ordinary convolution [R,S,C,C*M], which
/// are zero between different channels.
inline Array depthwiseAsDense(const Array& w) {
  const int64_t channels = w.shape[2], multiplier = w.shape[3];
  Array dense({w.shape[0], w.shape[1], channels, channels * multiplier});
  for (int64_t r = 0; r < w.shape[0]; ++r)
    for (int64_t s = 0; s < w.shape[1]; ++s)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t m = 0; m < multiplier; ++m)
          dense.at({r, s, c, c * multiplier + m}) = w.at({r, s, c, m});
  return dense;
}

}  // namespace strata::test
