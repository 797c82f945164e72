// SPDX-License-Identifier: Apache-2.0
// PNG images as tensors, through libpng's simplified interface. Thread: pure functions.
#pragma once

#include <string>

#include "gpu/tensor/tensor.h"

namespace strata {

/// u8 [height, width, channels]; channels 1 (grey), 3 (RGB) or 4 (RGBA), converted from what the file holds; transparency lies on black.
/// Fails: InvalidFile naming the file and libpng's reason; images of more than 2^26 pixels are refused before anything is allocated.
Tensor readPng(const std::string& path, int channels);
/// The same image averaged or interpolated to another size (area mean where it shrinks, bilinear where it grows).
Tensor resizeImage(const Tensor& image, int64_t height, int64_t width);

}  // namespace strata
