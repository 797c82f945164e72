// SPDX-License-Identifier: Apache-2.0
// Finds the orientation that a camera recorded in an image file. Not here: decoding pixels
// (image.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string_view>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Returns the orientation of a JPEG or PNG file: 1 (upright) to 8, as the EXIF tag 0x0112 defines
/// them. Returns 1 if the file has no EXIF data, or if the EXIF data is damaged.
int imageOrientation(std::string_view bytes);
/// Whether this orientation exchanges height and width.
bool exchangesSides(int orientation);
/// Returns an image [height, width, channels] of any type upright, as `orientation` requires.
Tensor uprightImage(Tensor image, int orientation);

namespace image_parts {
/// Returns the orientation in EXIF data that begins with its TIFF header.
int orientationInTiff(std::string_view tiff);
}  // namespace image_parts

}  // namespace strata
