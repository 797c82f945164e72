// SPDX-License-Identifier: GPL-3.0-or-later
// Draws tensors as grey pictures: one image for each channel or filter, in a grid. Thread: any.
#pragma once

#include <QColor>
#include <QImage>

#include "gpu/tensor/tensor.h"

namespace strata::ui {

/// Returns a grid of images, each from its smallest (dark) to its largest value (light). A tensor
/// [height, width] is one image; of [height, width, channels], each channel is one; of [filters,
/// height, width, channels], each channel of each filter is one. Other tensors are one row of
/// values. At most `most` images are drawn. `width` is the width of the grid in pixels.
QImage tensorPicture(const Tensor& values, int width, const QColor& background, int64_t most = 256);
/// Returns the number of images that tensorPicture() would draw without a limit.
int64_t numPictures(const Tensor& values);

}  // namespace strata::ui
