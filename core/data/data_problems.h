// SPDX-License-Identifier: Apache-2.0
// Problems of a source's samples, as diagnostics: splits, one-hot targets, damaged samples and
// unseen classes. A description that reads no samples reports the same problems as a loaded data
// set. Not here: problems of fields (parsed_data.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/selection.h"
#include "core/project/diagnostic.h"
#include "gpu/base/error.h"

namespace strata {

/// An error about samples that the project can solve.
class FixableError : public Error {
 public:
  FixableError(ErrorCode code, const std::string& subject, const std::string& message,
               std::vector<Fix> fixes)
      : Error(code, subject, message), m_fixes(std::move(fixes)) {}
  const std::vector<Fix>& fixes() const { return m_fixes; }

 private:
  std::vector<Fix> m_fixes;
};

/// Returns the problem that the project sets test_split, although its source has a test set of
/// `samples` samples.
Diagnostic ownTestSet(int64_t samples);
/// Returns the warning that validation_split of the project is not used, because the source has a
/// validation set of `samples` samples.
Diagnostic ownValidationSet(int64_t samples);
/// Reports a rescale of the Input layer `input` with a scale for values of another range. `largest`
/// is the largest value of the data, or 0 if it is not known.
void reportScale(const TransformList& transforms, const std::string& input, double largest,
                 Diagnostics& diagnostics);
/// Returns the problem that the selection leaves no training samples. `samples` is the number of
/// samples in the source.
Diagnostic noSampleToTrainOn(int64_t samples, const Selection& selection);
/// Returns the problem that the transform one_hot has too few classes, or that the targets are not
/// class numbers. `classes` is the number of classes in the data, and `wanted` the number in the
/// project.
Diagnostic wrongOneHot(int64_t classes, int64_t wanted);

/// Returns the problem that a split is stratified, although the targets are not classes.
Diagnostic noClassesToSplit();

/// Appends a problem for each of the first damaged samples, and one with their total number if
/// there are more. The problems are errors if damaged samples stop a run, and warnings otherwise.
void reportDamaged(const Dataset& dataset, Diagnostics& diagnostics);
/// Appends a warning if classes of an output occur only in the validation or test set, or if one of
/// these sets lacks classes of which its share has at least one sample. For a stratified split,
/// also warns of a class with fewer samples than parts.
void reportUnseenClasses(const Dataset& dataset, size_t target, Diagnostics& diagnostics);
/// Appends a warning if all sample weights of an output are 0 in the training set.
void reportZeroWeights(const Dataset& dataset, size_t target, Diagnostics& diagnostics);
/// Appends a warning if numbers of an input differ so little that they become equal in float32,
/// although transforms are applied with double precision. `name` is the Input layer, and
/// `hasTransforms` whether the project has a list of transforms.
void reportLostDigits(const Dataset& dataset, size_t input, const std::string& name,
                      bool hasTransforms, Diagnostics& diagnostics);

/// Appends a warning if the last transform of an input is standardize, and does not scale columns
/// whose values differ, because their standard deviation is not above epsilon.
void reportTinySpread(const Dataset& dataset, const TransformList& transforms, size_t input,
                      const std::string& name, Diagnostics& diagnostics);

}  // namespace strata
