// SPDX-License-Identifier: Apache-2.0
// PNG and JPEG images as tensors, told apart by their first bytes; and their change of size.
// Thread: pure functions.
#pragma once

#include <string>
#include <string_view>

#include "gpu/tensor/tensor.h"

namespace strata {

/// u8 [height, width, channels]; channels 1 (grey), 3 (RGB) or 4 (RGBA), converted from what the
/// file holds; transparency lies on black unless channels is 4, grey is the luma of BT.601. A PNG's
/// gAMA, cHRM and iCCP chunks are followed as far as libpng does: values come out in sRGB, and are
/// taken for sRGB where it has none of them.
/// Fails: InvalidFile naming the file and the reason, also of a PNG with a chunk whose CRC is
/// wrong, whatever it holds; images of more than 2^26 pixels are refused before anything is
/// allocated.
Tensor readImage(const std::string& path, int channels);
/// The same from memory; `path` is for messages.
Tensor decodeImage(std::string_view bytes, const std::string& path, int channels);
/// Height and width from the head alone. Fails: as readImage.
Shape imageSize(const std::string& path);
/// Does its suffix say that it is an image that can be read? One that cannot: isOtherImageName.
bool isImageName(std::string_view path);
bool isOtherImageName(std::string_view path);
/// Do the first bytes of a file say that it is a PNG or JPEG image?
bool isImageBytes(std::string_view beginning);
/// The same image averaged or interpolated to another size (area mean where it shrinks, bilinear
/// where it grows).
Tensor resizeImage(const Tensor& image, int64_t height, int64_t width);
/// The largest part around the centre with the proportions of height to width.
Tensor cropToProportions(const Tensor& image, int64_t height, int64_t width);

namespace image_parts {
constexpr uint64_t kMostPixels = uint64_t{1} << 26;
Tensor decodePng(std::string_view bytes, const std::string& path, int channels);
Tensor decodeJpeg(std::string_view bytes, const std::string& path, int channels);
Shape pngSize(std::string_view bytes, const std::string& path);
Shape jpegSize(std::string_view bytes, const std::string& path);
}  // namespace image_parts

}  // namespace strata
