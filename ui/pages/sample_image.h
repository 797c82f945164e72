// SPDX-License-Identifier: GPL-3.0-or-later
// A sample of a data set as a picture or as numbers, for lists of samples. Thread: any (pure
// functions).
#pragma once

#include <QImage>
#include <QString>

#include "core/data/dataset.h"

namespace strata::ui {

/// True for [height, width, 1 or 3], bytes or floats
bool areImages(const Samples& samples);
/// Null if the samples are not images, or if the file of this one is missing
QImage sampleImage(const Samples& samples, int64_t index);
/// The first few numbers of each Input layer, for a sample that is not an image
QString sampleNumbers(const Samples& samples, int64_t index);
/// One number of a tensor of any data type
double numberAt(const Tensor& tensor, int64_t index);
/// The target of an output: a label or a value
QString targetText(const Dataset& dataset, const Samples& samples, int64_t index, size_t target);
/// The targets of all outputs
QString targetsText(const Dataset& dataset, const Samples& samples, int64_t index);

}  // namespace strata::ui
