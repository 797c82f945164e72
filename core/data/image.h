// SPDX-License-Identifier: Apache-2.0
// Reads PNG and JPEG images, recognized by their first bytes, as tensors, and resizes them.
// Thread: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Reads u8 [height, width, channels] with 1 (gray), 3 (RGB) or 4 (RGBA) channels, converted from
/// those of the file. Transparency is blended with black unless channels is 4; gray is the luma of
/// BT.601. The chunks gAMA, cHRM and iCCP of a PNG are applied as far as libpng does: values are
/// sRGB, also if the file has none of these chunks. Fails: InvalidFile naming the file and the
/// reason, also if the CRC of any chunk of a PNG is wrong; images of more than 2^26 pixels are
/// refused before anything is allocated.
Tensor readImage(const std::string& path, int channels);
/// The same from memory; `path` is for messages.
Tensor decodeImage(std::string_view bytes, const std::string& path, int channels);
/// Height and width from the header alone. Fails: as readImage.
Shape imageSize(const std::string& path);
/// Whether the suffix is that of a readable image; isOtherImageName: of an image in another format.
bool isImageName(std::string_view path);
bool isOtherImageName(std::string_view path);
/// Whether the first bytes of a file are those of a PNG or JPEG image.
bool isImageBytes(std::string_view beginning);
/// The image resized (area mean if it shrinks, bilinear if it grows).
Tensor resizeImage(const Tensor& image, int64_t height, int64_t width);
/// The largest part around the center with the proportions of height to width.
Tensor cropToProportions(const Tensor& image, int64_t height, int64_t width);

namespace image_parts {
constexpr uint64_t kMaxPixels = uint64_t{1} << 26;
Tensor decodePng(std::string_view bytes, const std::string& path, int channels);
Tensor decodeJpeg(std::string_view bytes, const std::string& path, int channels);
Shape pngSize(std::string_view bytes, const std::string& path);
Shape jpegSize(std::string_view bytes, const std::string& path);
}  // namespace image_parts

}  // namespace strata
