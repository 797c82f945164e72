// SPDX-License-Identifier: Apache-2.0
// The map stage: what is done to each sample on its way into a batch. Numbers that come from the data come from its training part alone.
// Not here: augmentation (layers), order and splits (selection.h). Thread: values; a fitted transform is immutable.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/layers/schema.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct Samples;

/// One step after the first scale and offset. Per element of a sample: x' = (x - shift[i]) * scale[i], then kept to low..high.
struct MapStep {
  enum class Kind : uint8_t { Affine, Clip, Log1p } kind = Kind::Affine;
  std::vector<float> shift, scale;  // of Affine: one for each element of a sample
  float low = 0, high = 0;          // of Clip
};

/// x' = x * scale + offset in f32, then `more`; applied while a batch is gathered.
struct InputTransform {
  double scale = 1, offset = 0;
  std::shared_ptr<const std::vector<MapStep>> more = {};
};

/// What the project's `transforms` list says, checked.
struct TransformList {
  struct Entry {
    std::string type;
    std::map<std::string, double> numbers;  // its fields
    bool isPerChannel = true;               // numbers from the data: one for each place along the last axis, or one for all
  };
  std::vector<Entry> ofInputs;  // in order
  int64_t oneHotTargets = -1;   // numbers a target becomes; 0: as many as there are classes; -1: targets stay as they are
  bool needsData() const;       // some take numbers from the training part
};
TransformList parseTransforms(const Json& transforms, Diagnostics& diagnostics);
/// train: the first `trainCount` samples are looked at where needsData(). Fails: InvalidProject naming the transform.
InputTransform fitTransforms(const TransformList& list, const Samples* train, int64_t trainCount, const Shape& sampleShape);
std::vector<Schema> transformSchemas();

/// Applies `more` to one sample in place.
void applySteps(const std::vector<MapStep>& steps, float* sample, int64_t elements);

/// What predict needs to make a sample of what a person gives, as it was when the weights were trained; kept beside them as JSON.
struct Preprocessing {
  InputTransform transform;
  std::shared_ptr<const Json> encoding;  // columns and categories of a table, size and colours of images; null: plain
  std::vector<std::string> classNames;
};
Json toJson(const Preprocessing& preprocessing);
/// Fails: InvalidFile naming `file`.
Preprocessing parsePreprocessing(const Json& json, const std::string& file);

}  // namespace strata
