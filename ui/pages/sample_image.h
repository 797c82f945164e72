// SPDX-License-Identifier: GPL-3.0-or-later
// A sample of a data set as a picture or as numbers, for lists of samples. Thread: pure.
#pragma once

#include <QImage>
#include <QString>

#include "core/data/dataset.h"

namespace strata::ui {

/// [height, width, 1 or 3], bytes or floats.
bool areImages(const Samples& samples);
/// Null where the samples are no images, or the file of this one is gone.
QImage sampleImage(const Samples& samples, int64_t index);
/// The numbers of a sample that is no image, the first few of each Input layer.
QString sampleNumbers(const Samples& samples, int64_t index);
/// A number of a tensor, whatever it is kept as.
double numberAt(const Tensor& tensor, int64_t index);
/// What an output is compared with: a label or a value.
QString targetText(const Dataset& dataset, const Samples& samples, int64_t index, size_t target);
/// The same of all outputs.
QString targetsText(const Dataset& dataset, const Samples& samples, int64_t index);

}  // namespace strata::ui
