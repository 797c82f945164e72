// SPDX-License-Identifier: Apache-2.0
// Reads PNG and JPEG images as tensors, and resizes them. The first bytes of a file determine its
// format. Not here: how a run records its reading (image_reading.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "gpu/tensor/tensor.h"

namespace strata {

/// The color that shows through the transparent parts of an image.
struct Background {
  std::array<uint8_t, 3> rgb{255, 255, 255};
  // Whether libpng blends the image with black in linear light. Runs without a recorded reading
  // were trained this way.
  bool isLinearBlack = false;
  bool operator==(const Background&) const = default;
};

/// How the pixels of a file become numbers.
struct ImageReading {
  // 1 (gray), 3 (RGB) or 4 (RGBA)
  int channels = 3;
  // 8: u8 values from 0 to 255; 16: f32 values from 0 to 65535
  int bits = 8;
  // Applies only if channels is not 4.
  Background background = {};
  // Whether the orientation in the EXIF data applies
  bool isUpright = true;
  DType dtype() const { return bits == 16 ? DType::F32 : DType::U8; }
  bool operator==(const ImageReading&) const = default;
};

/// What the blending with the background made of an image.
struct BlendedImage {
  // Whether all pixels are equal although those of the file are not
  bool isPlain = false;
};

/// Reads an image as [height, width, channels]. The channels of the file are converted.
/// - Transparent pixels are blended with the background: (v * a + b * (m - a)) / m, rounded to the
///   nearest integer, where m is 255 or 65535.
/// - Gray is the luma of BT.601 of the blended color.
/// - With 16 bits, a PNG of 16 bits keeps its values as they are stored, and an image of 8 bits has
///   257 times its values of 8 bits.
/// - With 8 bits, the chunks gAMA, cHRM and iCCP of a PNG are applied as far as libpng supports
///   them. Without these chunks, values count as sRGB.
/// Fails: InvalidFile naming the file and the reason, also if the CRC of any chunk of a PNG is
/// wrong. Images of more than 2^26 pixels are refused before memory is allocated. Damaged EXIF data
/// is ignored.
Tensor readImage(const std::string& path, const ImageReading& reading,
                 BlendedImage* blended = nullptr);
/// Decodes an image in memory. `path` is used only in messages.
Tensor decodeImage(std::string_view bytes, const std::string& path, const ImageReading& reading,
                   BlendedImage* blended = nullptr);
/// Returns [height, width] from the header, as readImage() gives them. Fails with the errors of
/// readImage.
Shape imageSize(const std::string& path, bool isUpright = true);
/// Whether a file begins with the intact header of a PNG of 16 bits. Returns false if the file
/// cannot be read.
bool hasSixteenBits(const std::string& path);
/// isImageName() returns whether the suffix belongs to a supported image format. isOtherImageName()
/// returns whether it belongs to an unsupported image format.
bool isImageName(std::string_view path);
bool isOtherImageName(std::string_view path);
/// Whether the first bytes of a file belong to a PNG or JPEG image.
bool isImageBytes(std::string_view beginning);
/// Returns an image of u8 values as f32 values from 0 to 65535.
Tensor withSixteenBits(const Tensor& image);
/// Returns the resized image, of the same type. Interpolates bilinearly to enlarge the image, and
/// computes weighted means to shrink it. Values are rounded to integers.
Tensor resizeImage(const Tensor& image, int64_t height, int64_t width);
/// Returns the largest part of the image around its center whose sides have the ratio height :
/// width.
Tensor cropToProportions(const Tensor& image, int64_t height, int64_t width);

namespace image_parts {
constexpr uint64_t kMaxPixels = uint64_t{1} << 26;
Tensor decodePng(std::string_view bytes, const std::string& path, const ImageReading& reading,
                 BlendedImage* blended);
Tensor decodeJpeg(std::string_view bytes, const std::string& path, int channels);
Shape pngSize(std::string_view bytes, const std::string& path);
Shape jpegSize(std::string_view bytes, const std::string& path);
/// Whether the header of a PNG is intact and declares 16 bits.
bool isDeepPng(std::string_view beginning);
}  // namespace image_parts

}  // namespace strata
