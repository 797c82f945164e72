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

/// Returns the problem that the project sets test_split, although its source has a test set of
/// `samples` samples.
Diagnostic ownTestSet(int64_t samples);
/// Returns the problem that the selection leaves no training samples. `samples` is the number of
/// samples in the source.
Diagnostic noSampleToTrainOn(int64_t samples, const Selection& selection);
/// Returns the problem that the transform one_hot has too few classes, or that the targets are not
/// class numbers. `classes` is the number of classes in the data, and `wanted` the number in the
/// project.
Diagnostic wrongOneHot(int64_t classes, int64_t wanted);

/// Appends a problem for each of the first damaged samples, and one with their total number if
/// there are more. The problems are errors if damaged samples stop a run, and warnings otherwise.
void reportDamaged(const Dataset& dataset, Diagnostics& diagnostics);
/// Appends a warning if classes of an output occur only in the validation or test set.
void reportUnseenClasses(const Dataset& dataset, size_t target, Diagnostics& diagnostics);

}  // namespace strata
