// SPDX-License-Identifier: Apache-2.0
// The map stage: transforms of each sample on its way into a batch. Numbers from the data are
// computed on the training part alone. Not here: augmentation (layers), order and splits
// (selection.h).
// Thread: values; a fitted transform is immutable.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/layers/schema.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Samples;

/// One step after the first scale and offset. Affine: x' = (x - shift[i]) * scale[i] for element i
/// of a sample; Clip: limits to low..high.
struct MapStep {
  enum class Kind : uint8_t { Affine, Clip, Log1p } kind = Kind::Affine;
  // For Affine: one for each element of a sample
  std::vector<float> shift, scale;
  // For Clip
  float low = 0, high = 0;
};

/// x' = x * scale + offset in f32, followed by `more`; applied while a batch is gathered.
struct InputTransform {
  double scale = 1, offset = 0;
  std::shared_ptr<const std::vector<MapStep>> more = {};
};

// One for each Input layer
using InputTransforms = std::vector<InputTransform>;
// Encodings of the inputs of a prediction, one for each Input layer; null: plain numbers or images
using Encodings = std::vector<std::shared_ptr<const Json>>;
// For each trained output
using ClassNames = std::vector<std::vector<std::string>>;

/// The checked `transforms` list of a project.
struct TransformList {
  struct Entry {
    std::string type;
    // Values of its fields
    std::map<std::string, double> numbers;
    // Numbers from the data are computed for each index of the last axis, or for all together
    bool isPerChannel = true;
    // The Input layer to transform; "": all
    std::string input = {};
  };
  // In order
  std::vector<Entry> ofInputs;
  // By output ("": all): number of classes of one_hot; 0: as many as the data has
  std::map<std::string, int64_t> oneHot;
  // Whether a transform needs numbers from the training part
  bool needsData() const;
  /// Number of classes of one_hot for this output; 0: as many as the data has; -1: targets are not
  /// changed.
  int64_t oneHotTargets(const std::string& output) const;
};
/// inputs, outputs: allowed names of Input layers and outputs.
TransformList parseTransforms(const Json& transforms, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs, Diagnostics& diagnostics);
/// place: index of the Input layer `input` in the arrays of `train`, whose first `trainCount`
/// samples are used if needsData(). Fails: InvalidProject naming the transform; as Samples::decode.
InputTransform fitTransforms(const TransformList& list, const std::string& input,
                             const Samples* train, size_t place, int64_t trainCount,
                             const Shape& sampleShape);
/// A copy with one-hot labels of `classes` values each. Fails: OutOfMemory; InvalidFile for a label
/// below 0.
std::shared_ptr<const Samples> withOneHotTargets(const Samples& samples, size_t target,
                                                 int64_t classes);
std::span<const Schema* const> transformSchemas();

/// Applies `more` to one sample in place.
void applySteps(const std::vector<MapStep>& steps, float* sample, int64_t elements);

/// What prediction needs to encode inputs as in training; saved next to the weights as JSON.
struct Preprocessing {
  InputTransforms transforms;
  // Columns and categories of a table, size and colors of images
  Encodings encodings;
  ClassNames classNames;
};
/// Includes a hash of the contents (core/project/seal.h).
std::string printPreprocessing(const Preprocessing& preprocessing);
/// Fails: InvalidFile naming `file`, also if the hash is wrong; files of versions 1 and 2 have no
/// hash.
Preprocessing parsePreprocessing(const Json& json, const std::string& file);

}  // namespace strata
