// SPDX-License-Identifier: Apache-2.0
// Reads the inputs of a prediction (images, rows of a table, arrays) and encodes them like the
// training data. Not here: the network.
// Thread: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

struct NamedInput {
  // File; for tables file:row, from 1; for arrays file:index, from 0
  std::string name;
  // For each Input layer, raw, before the transforms
  std::vector<Tensor> arrays;
};

/// Name and shape of an Input layer.
struct WantedInput {
  std::string name;
  // Shape of a sample
  Shape shape;
};

/// Reads the samples of a file: PNG and JPEG images, .npy and .npz arrays and IDX files, recognized
/// by suffix or content; otherwise CSV with one sample per row, with the values of several Input
/// layers one after the other. `note` receives changes (a resized image, an unknown category of a
/// table). Fails: InvalidFile naming file, row or array and what is wrong; InvalidArgument (an
/// image for a network without image input).
std::vector<NamedInput> readInputs(const std::string& path, const std::vector<WantedInput>& inputs,
                                   const Preprocessing& preprocessing,
                                   const std::function<void(const std::string&)>& note);

}  // namespace strata
