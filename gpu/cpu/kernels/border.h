// SPDX-License-Identifier: Apache-2.0
// Zero borders around images. In an image with a border, the loops handle padding, strides and
// dilation by offsets alone.
// Thread: value types and pure functions.
#pragma once

#include <cstring>

#include "gpu/reference/kernels/window.h"

namespace strata::cpu {

using reference::Extent;
using reference::WindowGeometry;
using reference::windowGeometry;

/// Describes a copy of an image with a border of zeros, and with `spread` - 1 zero pixels between
/// its pixels.
struct Border {
  Extent from, to, before, spread;
  int64_t channels = 0;
  bool isNeeded = false;
  int64_t floats() const { return isNeeded ? to.h * to.w * channels : 0; }
  void clear(float* padded) const {
    if (isNeeded) std::memset(padded, 0, static_cast<size_t>(floats()) * sizeof(float));
  }
  /// Copies `image` into `padded`.
  /// Requires: clear() was called on `padded` before the first image.
  void fill(const float* image, float* padded) const {
    for (int64_t h = 0; h < from.h; ++h) {
      const int64_t row = before.h + h * spread.h;
      if (row < 0 || row >= to.h) continue;
      float* line = padded + row * to.w * channels;
      const float* source = image + h * from.w * channels;
      if (spread.w == 1 && before.w >= 0 && before.w + from.w <= to.w) {
        std::memcpy(line + before.w * channels, source,
                    static_cast<size_t>(from.w * channels) * sizeof(float));
        continue;
      }
      for (int64_t w = 0; w < from.w; ++w) {
        const int64_t column = before.w + w * spread.w;
        if (column >= 0 && column < to.w)
          std::memcpy(line + column * channels, source + w * channels,
                      static_cast<size_t>(channels) * sizeof(float));
      }
    }
  }
};

/// Describes the input with the border that the windows need.
inline Border inputBorder(const WindowGeometry& g) {
  Border border;
  border.from = g.input;
  border.spread = {1, 1};
  border.before = g.padding;
  border.channels = g.channels;
  border.to = {(g.output.h - 1) * g.stride.h + (g.window.h - 1) * g.dilation.h + 1,
               (g.output.w - 1) * g.stride.w + (g.window.w - 1) * g.dilation.w + 1};
  border.isNeeded =
      g.padding.h != 0 || g.padding.w != 0 || border.to.h > g.input.h || border.to.w > g.input.w;
  if (!border.isNeeded) border.to = g.input;
  return border;
}

/// Describes dy for backward data. The strides spread its pixels, and the reversed window needs a
/// border.
inline Border gradientBorder(const WindowGeometry& g) {
  Border border;
  border.from = g.output;
  border.spread = g.stride;
  border.before = {(g.window.h - 1) * g.dilation.h - g.padding.h,
                   (g.window.w - 1) * g.dilation.w - g.padding.w};
  border.to = {g.input.h + (g.window.h - 1) * g.dilation.h,
               g.input.w + (g.window.w - 1) * g.dilation.w};
  border.channels = g.outputChannels;
  border.isNeeded = g.window.h * g.window.w > 1 || g.stride.h > 1 || g.stride.w > 1 ||
                    g.padding.h > 0 || g.padding.w > 0 || g.output.h != g.input.h ||
                    g.output.w != g.input.w;
  return border;
}

}  // namespace strata::cpu
