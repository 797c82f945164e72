// SPDX-License-Identifier: Apache-2.0
// What a person gives to predict, made into samples the way the training data was: images, rows of
// a table, arrays. Not here: the network.
// Thread: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

struct NamedInput {
  // File; of a table file:row, from 1; of arrays file:place, from 0
  std::string name;
  // For each Input layer, raw, before the transforms
  std::vector<Tensor> arrays;
};

/// An Input layer.
struct WantedInput {
  std::string name;
  // Of a sample
  Shape shape;
};

/// Samples in a file: PNG and JPEG images, .npy and .npz arrays and IDX files, by the suffix or by
/// how they begin; else CSV, a row a sample, with what several Input layers take one after the
/// other. `note` is told what was changed (an image resized, an unknown category of a table).
/// Fails: InvalidFile naming file, row or array and what is wrong; InvalidArgument (an image for a
/// network that takes none).
std::vector<NamedInput> readInputs(const std::string& path, const std::vector<WantedInput>& inputs,
                                   const Preprocessing& preprocessing,
                                   const std::function<void(const std::string&)>& note);

}  // namespace strata
