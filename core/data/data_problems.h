// SPDX-License-Identifier: Apache-2.0
// Problems of a source's samples, as diagnostics: splits, one-hot targets, damaged samples and
// unseen classes. A description that reads no samples reports the same problems as a loaded data
// set. Not here: problems of fields (parsed_data.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/data/dataset.h"
#include "core/data/selection.h"
#include "core/project/diagnostic.h"

namespace strata {

/// The project sets test_split, but its source has a test set of `samples` samples.
Diagnostic ownTestSet(int64_t samples);
/// The selection leaves no training samples. `samples` is the number of samples in the source.
Diagnostic noSampleToTrainOn(int64_t samples, const Selection& selection);
/// The transform one_hot has too few classes, or the targets are not class numbers. `classes` is
/// the number that the data needs, and `wanted` the number in the project.
Diagnostic wrongOneHot(int64_t classes, int64_t wanted);

/// Appends the first damaged samples and the number of all. They are errors if damaged samples stop
/// a run, and warnings otherwise.
void reportDamaged(const Dataset& dataset, Diagnostics& diagnostics);
/// Appends a warning if classes of an output occur only in the validation or test set.
void reportUnseenClasses(const Dataset& dataset, size_t target, Diagnostics& diagnostics);

}  // namespace strata
