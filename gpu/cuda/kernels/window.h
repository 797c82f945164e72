// SPDX-License-Identifier: Apache-2.0
// The windows of pooling and of own convolutions, as a parameter of kernels. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

/// An element of images.
struct ImagePlace {
  int32_t image, row, column, channel;

  /// `i` is the number of the element in [images, height, width, channels].
  STRATA_DEVICE static ImagePlace of(int64_t i, int32_t height, int32_t width, int32_t channels) {
    // Divisions of 32 bits are several times faster on GPUs
    if (i >> 32 == 0) return split(static_cast<uint32_t>(i), height, width, channels);
    return split(static_cast<uint64_t>(i), height, width, channels);
  }

 private:
  template <class Number>
  STRATA_DEVICE static ImagePlace split(Number i, int32_t height, int32_t width, int32_t channels) {
    const Number pixel = i / static_cast<Number>(channels),
                 line = pixel / static_cast<Number>(width),
                 image = line / static_cast<Number>(height);
    return {static_cast<int32_t>(image),
            static_cast<int32_t>(line - image * static_cast<Number>(height)),
            static_cast<int32_t>(pixel - line * static_cast<Number>(width)),
            static_cast<int32_t>(i - pixel * static_cast<Number>(channels))};
  }
};

/// Images [n, inputH, inputW, channels], windows [windowH, windowW], and the result
/// [n, outputH, outputW, outputChannels]. If isChannelsFirst is not 0, both have the channels after
/// n.
struct Window {
  int32_t n = 0, channels = 0, outputChannels = 0;
  int32_t inputH = 0, inputW = 0, outputH = 0, outputW = 0;
  int32_t windowH = 1, windowW = 1, strideH = 1, strideW = 1;
  int32_t dilationH = 1, dilationW = 1, paddingH = 0, paddingW = 0;
  int32_t isChannelsFirst = 0;

  STRATA_DEVICE int64_t inputPixels() const { return static_cast<int64_t>(n) * inputH * inputW; }
  STRATA_DEVICE int64_t outputPixels() const { return static_cast<int64_t>(n) * outputH * outputW; }
  STRATA_DEVICE int64_t inputElements() const { return inputPixels() * channels; }
  STRATA_DEVICE int64_t outputElements() const { return outputPixels() * outputChannels; }
  STRATA_DEVICE ImagePlace inputPlace(int64_t i) const {
    return place(i, inputH, inputW, channels);
  }
  STRATA_DEVICE ImagePlace outputPlace(int64_t i) const {
    return place(i, outputH, outputW, outputChannels);
  }
  /// Return the number of an element.
  STRATA_DEVICE int64_t inputElement(int32_t image, int32_t h, int32_t w, int32_t channel) const {
    if (isChannelsFirst == 0) return inputAt(image, h, w) + channel;
    return ((static_cast<int64_t>(image) * channels + channel) * inputH + h) * inputW + w;
  }
  STRATA_DEVICE int64_t outputElement(int32_t image, int32_t p, int32_t q, int32_t channel) const {
    if (isChannelsFirst == 0) return outputAt(image, p, q) + channel;
    return ((static_cast<int64_t>(image) * outputChannels + channel) * outputH + p) * outputW + q;
  }
  /// Return the number of the first channel of a pixel. Requires: channels are last.
  STRATA_DEVICE int64_t inputAt(int32_t image, int32_t h, int32_t w) const {
    return ((static_cast<int64_t>(image) * inputH + h) * inputW + w) * channels;
  }
  STRATA_DEVICE int64_t outputAt(int32_t image, int32_t p, int32_t q) const {
    return ((static_cast<int64_t>(image) * outputH + p) * outputW + q) * outputChannels;
  }
  /// Return the row and column of the input that window element (r, s) of output pixel (p, q)
  /// reads. They may lie outside the input.
  STRATA_DEVICE int32_t row(int32_t p, int32_t r) const {
    return p * strideH - paddingH + r * dilationH;
  }
  STRATA_DEVICE int32_t column(int32_t q, int32_t s) const {
    return q * strideW - paddingW + s * dilationW;
  }
  STRATA_DEVICE bool isInside(int32_t h, int32_t w) const {
    return static_cast<uint32_t>(h) < static_cast<uint32_t>(inputH) &&
           static_cast<uint32_t>(w) < static_cast<uint32_t>(inputW);
  }
  /// Return the output row or column whose window element r or s reads this input row or column,
  /// or -1.
  STRATA_DEVICE int32_t outputRow(int32_t h, int32_t r) const {
    return backwards(h + paddingH - r * dilationH, strideH, outputH);
  }
  STRATA_DEVICE int32_t outputColumn(int32_t w, int32_t s) const {
    return backwards(w + paddingW - s * dilationW, strideW, outputW);
  }
  STRATA_DEVICE static int32_t backwards(int32_t position, int32_t step, int32_t count) {
    if (position < 0) return -1;
    const int32_t place = step == 1 ? position : position / step;
    return place * step != position || place >= count ? -1 : place;
  }

 private:
  STRATA_DEVICE ImagePlace place(int64_t i, int32_t height, int32_t width, int32_t depth) const {
    if (isChannelsFirst == 0) return ImagePlace::of(i, height, width, depth);
    const ImagePlace at = ImagePlace::of(i, depth, height, width);
    return {at.image, at.column, at.channel, at.row};
  }
};

}  // namespace strata::cuda
