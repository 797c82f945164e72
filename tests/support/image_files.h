// SPDX-License-Identifier: Apache-2.0
// Writes image files for tests with libpng and libjpeg. Any thread may call these functions.
#pragma once

#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Writes a u8 image of shape [height, width, channels] with 1, 3 or 4 channels.
void writePngFile(const std::string& path, const Tensor& image);
/// Writes a square image with one grey value and 16 bits per pixel.
void writeGreyPngOf16Bits(const std::string& path, uint32_t side, uint16_t value);
/// Writes a u8 image of shape [height, width, channels] with 1, 3 or 4 channels. Four channels are
/// stored as inverted CMYK, as Adobe's programs do.
void writeJpegFile(const std::string& path, const Tensor& image, bool isProgressive = false);
/// Returns an image in which every pixel has the same colour.
Tensor plainImage(int64_t height, int64_t width, std::initializer_list<uint8_t> colour);

}  // namespace strata
