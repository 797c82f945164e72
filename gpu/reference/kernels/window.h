// SPDX-License-Identifier: Apache-2.0
// The geometry of convolution and pooling windows, read from a node's attributes.
// Thread: value types and pure functions.
#pragma once

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

struct Extent {
  int64_t h = 1, w = 1;
};

/// Describes images [n, input.h, input.w, channels], windows [window.h, window.w] and the result
/// [n, output.h, output.w, outputChannels].
struct WindowGeometry {
  int64_t n = 0, channels = 0, outputChannels = 0, groups = 1;
  Extent input, output, window, stride, dilation, padding;

  /// Return the row and column of the input that window element (r, s) of output pixel (p, q)
  /// reads. They may lie outside the input.
  int64_t row(int64_t p, int64_t r) const { return p * stride.h - padding.h + r * dilation.h; }
  int64_t column(int64_t q, int64_t s) const { return q * stride.w - padding.w + s * dilation.w; }
  bool isInside(int64_t h, int64_t w) const {
    return h >= 0 && h < input.h && w >= 0 && w < input.w;
  }
  /// Return the output row or column whose window element r or s reads this input row or column.
  /// Return -1 if there is none.
  int64_t outputRow(int64_t h, int64_t r) const {
    return backwards(h + padding.h - r * dilation.h, stride.h, output.h);
  }
  int64_t outputColumn(int64_t w, int64_t s) const {
    return backwards(w + padding.w - s * dilation.w, stride.w, output.w);
  }

 private:
  static int64_t backwards(int64_t position, int64_t step, int64_t count) {
    return position < 0 || position % step != 0 || position / step >= count ? -1 : position / step;
  }
};

/// Reads the geometry from the attributes. `window` is the height and width of the weights or of
/// the pool.
inline WindowGeometry windowGeometry(const KernelSetup& setup, const Shape& input,
                                     const Shape& output, Extent window) {
  const auto pair = [&](std::string_view name) -> Extent {
    if (!setup.attributes.has(name)) return {1, 1};
    return {setup.list(name)[0], setup.list(name)[1]};
  };
  WindowGeometry geometry;
  geometry.n = input[0];
  geometry.input = {input[1], input[2]};
  geometry.channels = input[3];
  geometry.output = {output[1], output[2]};
  geometry.outputChannels = output[3];
  geometry.groups = setup.attributes.has("groups") ? setup.integer("groups") : 1;
  geometry.window = window;
  geometry.stride = pair("strides");
  geometry.dilation = pair("dilation");
  geometry.padding = pair("padding_before");
  return geometry;
}

}  // namespace strata::reference
