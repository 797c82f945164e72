// SPDX-License-Identifier: Apache-2.0
// The windows of pooling and of own convolutions, as a parameter of kernels. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// Images [n, inputH, inputW, channels], windows [windowH, windowW], and the result
/// [n, outputH, outputW, outputChannels].
struct Window {
  int64_t n = 0, channels = 0, outputChannels = 0;
  int64_t inputH = 0, inputW = 0, outputH = 0, outputW = 0;
  int64_t windowH = 1, windowW = 1, strideH = 1, strideW = 1;
  int64_t dilationH = 1, dilationW = 1, paddingH = 0, paddingW = 0;

  /// Return the row and column of the input that window element (r, s) of output pixel (p, q)
  /// reads. They may lie outside the input.
  STRATA_DEVICE int64_t row(int64_t p, int64_t r) const {
    return p * strideH - paddingH + r * dilationH;
  }
  STRATA_DEVICE int64_t column(int64_t q, int64_t s) const {
    return q * strideW - paddingW + s * dilationW;
  }
  STRATA_DEVICE bool isInside(int64_t h, int64_t w) const {
    return h >= 0 && h < inputH && w >= 0 && w < inputW;
  }
  /// Return the output row or column whose window element r or s reads this input row or column,
  /// or -1.
  STRATA_DEVICE int64_t outputRow(int64_t h, int64_t r) const {
    return backwards(h + paddingH - r * dilationH, strideH, outputH);
  }
  STRATA_DEVICE int64_t outputColumn(int64_t w, int64_t s) const {
    return backwards(w + paddingW - s * dilationW, strideW, outputW);
  }
  STRATA_DEVICE static int64_t backwards(int64_t position, int64_t step, int64_t count) {
    return position < 0 || position % step != 0 || position / step >= count ? -1 : position / step;
  }
};

}  // namespace strata::cuda
