// SPDX-License-Identifier: Apache-2.0
// Writes image files for tests with libpng and libjpeg. Thread: pure functions.
#pragma once

#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

/// u8 [height, width, channels] with 1, 3 or 4 channels.
void writePngFile(const std::string& path, const Tensor& image);
/// A square of one grey, 16 bits per pixel.
void writeGreyPngOf16Bits(const std::string& path, uint32_t side, uint16_t value);
/// u8 [height, width, channels] with 1, 3 or 4 channels (4: CMYK, inverted as Adobe writes it).
void writeJpegFile(const std::string& path, const Tensor& image, bool isProgressive = false);
/// An image of one colour.
Tensor plainImage(int64_t height, int64_t width, std::initializer_list<uint8_t> colour);

}  // namespace strata
