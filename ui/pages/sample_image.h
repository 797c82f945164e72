// SPDX-License-Identifier: GPL-3.0-or-later
// Converts a sample of a data set to an image or to text, for lists of samples. May read the file
// of the sample. Thread: any thread may call these functions.
#pragma once

#include <QImage>
#include <QString>

#include "core/data/dataset.h"

namespace strata::ui {

/// Returns true if each sample has the shape [height, width, 1, 3 or 4], with height and width
/// above 1.
bool areImages(const Samples& samples);
/// Returns the image of a sample. Returns a null image if the samples are not images, or if the
/// file of this sample is missing.
QImage sampleImage(const Samples& samples, int64_t index);
/// Returns the first few numbers of each Input layer, for a sample that is not an image.
QString sampleNumbers(const Samples& samples, int64_t index);
/// Returns one number of a tensor of any data type.
double numberAt(const Tensor& tensor, int64_t index);
/// Returns the target of one output: a label or a value.
QString targetText(const Dataset& dataset, const Samples& samples, int64_t index, size_t target);
/// Returns the targets of all outputs.
QString targetsText(const Dataset& dataset, const Samples& samples, int64_t index);

}  // namespace strata::ui
