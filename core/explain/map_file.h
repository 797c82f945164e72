// SPDX-License-Identifier: Apache-2.0
// Files of maps and filters: PNG images and NumPy arrays.
// Thread: the functions are pure, except writeMap(), which writes a file. Any thread may call them.
#pragma once

#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

/// Returns maps as one picture [height, width]: a map [width] as one row, a map [height, width] as
/// it is, and the channels of [height, width, channels], or of [filters, height, width, channels],
/// side by side in rows of about equal length, with a space of one pixel. Each of several maps is
/// scaled to the values 0 to 1. Fails: InvalidArgument for other shapes.
Tensor pictureOf(const Tensor& maps);

/// Returns a gray PNG image of 8 bits. The smallest value is black, and the largest one white;
/// equal values are black. Requires: type f32, two axes.
std::string pngOf(const Tensor& picture);

/// Writes maps to a file whose suffix selects the format: .png for pictureOf(), or .npy for the
/// array. Fails: InvalidArgument for another suffix or shape, and as writeExport().
void writeMap(const std::string& path, const Tensor& maps);

}  // namespace strata
