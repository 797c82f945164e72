// SPDX-License-Identifier: Apache-2.0
// Reads PNG and JPEG images as tensors, and resizes them. The first bytes of a file determine its
// format.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>
#include <string_view>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Reads an image as u8 [height, width, channels] with 1 (gray), 3 (RGB) or 4 (RGBA) channels. The
/// channels of the file are converted. Transparency is blended with black unless `channels` is 4.
/// Gray is the luma of BT.601.
/// The chunks gAMA, cHRM and iCCP of a PNG are applied as far as libpng supports them. Without
/// these chunks, values count as sRGB.
/// Fails: InvalidFile naming the file and the reason, also if the CRC of any chunk of a PNG is
/// wrong. Images of more than 2^26 pixels are refused before memory is allocated.
Tensor readImage(const std::string& path, int channels);
/// Decodes an image in memory. `path` is used only in messages.
Tensor decodeImage(std::string_view bytes, const std::string& path, int channels);
/// Returns [height, width] from the header. Fails with the errors of readImage.
Shape imageSize(const std::string& path);
/// isImageName() returns whether the suffix belongs to a supported image format. isOtherImageName()
/// returns whether it belongs to an unsupported image format.
bool isImageName(std::string_view path);
bool isOtherImageName(std::string_view path);
/// Whether the first bytes of a file belong to a PNG or JPEG image.
bool isImageBytes(std::string_view beginning);
/// Returns the resized image. Interpolates bilinearly to enlarge the image, and computes weighted
/// means to shrink it.
Tensor resizeImage(const Tensor& image, int64_t height, int64_t width);
/// Returns the largest part of the image around its center whose sides have the ratio height :
/// width.
Tensor cropToProportions(const Tensor& image, int64_t height, int64_t width);

namespace image_parts {
constexpr uint64_t kMaxPixels = uint64_t{1} << 26;
Tensor decodePng(std::string_view bytes, const std::string& path, int channels);
Tensor decodeJpeg(std::string_view bytes, const std::string& path, int channels);
Shape pngSize(std::string_view bytes, const std::string& path);
Shape jpegSize(std::string_view bytes, const std::string& path);
}  // namespace image_parts

}  // namespace strata
