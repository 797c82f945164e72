// SPDX-License-Identifier: Apache-2.0
// Writes image files for tests with libpng and libjpeg. Any thread may call these functions.
#pragma once

#include <cstdint>
#include <span>
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
/// Returns a PNG file of 8 or 16 bits. `colorType` is that of the format: 0 (gray), 2 (RGB), 3
/// (palette), 4 (gray and alpha) or 6 (RGBA). `values` contains the rows. `chunks` precede the
/// pixels.
std::string pngOf(uint32_t height, uint32_t width, int bits, int colorType,
                  std::span<const uint16_t> values, const std::string& chunks = {});
/// Returns a chunk of a PNG file with its CRC.
std::string pngChunk(const std::string& type, const std::string& data);
/// Returns EXIF data that begins with its TIFF header. It contains the orientation as its second
/// entry.
std::string exifOf(int orientation, bool isLittleEndian);
/// Inserts EXIF data into a JPEG file.
std::string withExif(std::string jpeg, const std::string& exif);
/// Returns an image in which every pixel has the same colour.
Tensor plainImage(int64_t height, int64_t width, std::initializer_list<uint8_t> colour);

}  // namespace strata
