// SPDX-License-Identifier: Apache-2.0
// The map stage: what is done to each sample on its way into a batch. Numbers that come from the
// data come from its training part alone.
// Not here: augmentation (layers), order and splits (selection.h). Thread: values; a fitted
// transform is immutable.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/layers/schema.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Samples;

/// One step after the first scale and offset. Per element of a sample: x' = (x - shift[i]) *
/// scale[i], then kept to low..high.
struct MapStep {
  enum class Kind : uint8_t { Affine, Clip, Log1p } kind = Kind::Affine;
  // Of Affine: one for each element of a sample
  std::vector<float> shift, scale;
  // Of Clip
  float low = 0, high = 0;
};

/// x' = x * scale + offset in f32, then `more`; applied while a batch is gathered.
struct InputTransform {
  double scale = 1, offset = 0;
  std::shared_ptr<const std::vector<MapStep>> more = {};
};

// One for each Input layer
using InputTransforms = std::vector<InputTransform>;
// Likewise, of what a person gives to predict; null: plain numbers or images
using Encodings = std::vector<std::shared_ptr<const Json>>;
// For each output that is trained
using ClassNames = std::vector<std::vector<std::string>>;

/// What the project's `transforms` list says of one Input layer, checked.
struct TransformList {
  struct Entry {
    std::string type;
    // Its fields
    std::map<std::string, double> numbers;
    // Numbers from the data: one for each place along the last axis, or one for all
    bool isPerChannel = true;
    // The Input layer it is for; "": all
    std::string input = {};
  };
  // In order
  std::vector<Entry> ofInputs;
  // By output (""  : all): numbers a target becomes; 0: as many as there are classes
  std::map<std::string, int64_t> oneHot;
  // Some take numbers from the training part
  bool needsData() const;
  /// Numbers that a label of this output becomes; 0: as many as there are classes; -1: targets stay
  /// as they are.
  int64_t oneHotTargets(const std::string& output) const;
};
/// inputs, outputs: names that the fields of these names may give.
TransformList parseTransforms(const Json& transforms, const std::vector<std::string>& inputs,
                              const std::vector<std::string>& outputs, Diagnostics& diagnostics);
/// place: of the Input layer `input` among the arrays of `train`, whose first `trainCount` samples
/// are looked at where needsData().
/// Fails: InvalidProject naming the transform; as Samples::decode.
InputTransform fitTransforms(const TransformList& list, const std::string& input,
                             const Samples* train, size_t place, int64_t trainCount,
                             const Shape& sampleShape);
/// A copy whose labels are `classes` numbers each. Fails: OutOfMemory; InvalidFile for a label
/// below 0.
std::shared_ptr<const Samples> withOneHotTargets(const Samples& samples, size_t target,
                                                 int64_t classes);
std::span<const Schema* const> transformSchemas();

/// Applies `more` to one sample in place.
void applySteps(const std::vector<MapStep>& steps, float* sample, int64_t elements);

/// What predict needs to make a sample of what a person gives, as it was when the weights were
/// trained; kept beside them as JSON.
struct Preprocessing {
  InputTransforms transforms;
  // Columns and categories of a table, size and colours of images
  Encodings encodings;
  ClassNames classNames;
};
/// With a hash of what it says (seal.h).
std::string printPreprocessing(const Preprocessing& preprocessing);
/// Fails: InvalidFile naming `file`, also where its hash is wrong; files of versions 1 and 2 have
/// none.
Preprocessing parsePreprocessing(const Json& json, const std::string& file);

}  // namespace strata
