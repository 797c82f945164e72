// SPDX-License-Identifier: Apache-2.0
// The map stage transforms each sample before it enters a batch. Transforms that need numbers from
// the data compute them from the training part alone. Not here: augmentation (layers), order and
// splits (selection.h).
// Thread: value types without shared state. A fitted transform is immutable.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/layers/schema.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Samples;
struct DataInput;

/// One step after the first scale and offset. Affine computes x' = (x - shift[i]) * scale[i] for
/// element i of a sample. Clip limits values to low..high. Log1p computes sign(x) * ln(1 + |x|).
struct MapStep {
  enum class Kind : uint8_t { Affine, Clip, Log1p } kind = Kind::Affine;
  // Values for Affine, one for each element of a sample
  std::vector<float> shift, scale;
  // The same values before rounding, if InputTransform::isExact is true; otherwise empty
  std::vector<double> exactShift, exactScale;
  // Limits for Clip
  double low = 0, high = 0;
};

/// Computes x' = x * scale + offset, followed by the steps in `more`, while a batch is gathered.
struct InputTransform {
  double scale = 1, offset = 0;
  std::shared_ptr<const std::vector<MapStep>> more = {};
  // Whether values are computed with double precision, and rounded only after the last step.
  // Otherwise they are computed in f32.
  bool isExact = false;
};

// Transforms, with one entry for each Input layer
using InputTransforms = std::vector<InputTransform>;
// How raw inputs are encoded (columns of a table, or size and colors of images), with one entry for
// each Input layer. Null means that inputs are arrays, which need no encoding.
using Encodings = std::vector<std::shared_ptr<const Json>>;
// Names of the classes, with one list for each trained output
using ClassNames = std::vector<std::vector<std::string>>;

/// The checked `transforms` list of a project.
struct TransformList {
  struct Entry {
    std::string type;
    // Values of the fields by name
    std::map<std::string, double> numbers;
    // Whether numbers from the data are computed for each index of the last axis, or for all
    // elements together
    bool isPerChannel = true;
    // The Input layer to transform; "" for all Input layers
    std::string input = {};
    // JSON pointer of the transform
    std::string pointer = {};
  };
  // Transforms in the order of the list
  std::vector<Entry> ofInputs;
  // Number of classes of one_hot by output ("" for all outputs); 0 for as many as the data has
  std::map<std::string, int64_t> oneHot;
  // Returns whether a transform needs numbers from the training part.
  bool needsData() const;
  /// Returns the number of one_hot's classes for this output: 0 for as many as the data has, -1 if
  /// targets are not changed.
  int64_t oneHotTargets(const std::string& output) const;
};
/// Parses a `transforms` list. `inputs` and `outputs` contain the allowed names of Input layers and
/// outputs.
TransformList parseTransforms(const Json& transforms, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs, Diagnostics& diagnostics);
/// Computes the transform of the Input layer `input`, whose index in the arrays of `train` is
/// `place`. If needsData(), it uses the first `trainCount` samples. The transform is exact if the
/// samples of the input have double precision. Without a scale, rescale divides by the largest
/// value of the samples. Fails: InvalidProject naming the transform; the errors of Samples::decode.
InputTransform fitTransforms(const TransformList& list, const std::string& input,
                             const Samples* train, size_t place, int64_t trainCount,
                             const DataInput& samples);
/// Returns a copy in which the labels of target `target` are one-hot vectors of size `classes`.
/// Fails: OutOfMemory; InvalidFile for a label below 0.
std::shared_ptr<const Samples> withOneHotTargets(const Samples& samples, size_t target,
                                                 int64_t classes);
std::span<const Schema* const> transformSchemas();

/// Applies the steps to one sample in place.
void applySteps(const std::vector<MapStep>& steps, float* sample, int64_t elements);
/// Applies the steps of an exact transform.
void applySteps(const std::vector<MapStep>& steps, double* sample, int64_t elements);

/// Everything that prediction needs to encode inputs as in training. It is saved next to the
/// weights as JSON.
struct Preprocessing {
  InputTransforms transforms;
  // Columns and categories of a table, or size and reading of images
  Encodings encodings;
  ClassNames classNames;
};
/// Prints the preprocessing with a hash of its contents (core/project/seal.h).
std::string printPreprocessing(const Preprocessing& preprocessing);
/// Parses saved preprocessing. Files of versions 1 and 2 have no hash. Fails: InvalidFile naming
/// `file`, also if the hash is wrong.
Preprocessing parsePreprocessing(const Json& json, const std::string& file);
/// Reads a file with saved preprocessing. Fails: IoFailure; the errors of parsePreprocessing().
Preprocessing readPreprocessing(const std::string& file);

}  // namespace strata
