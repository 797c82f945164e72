// SPDX-License-Identifier: Apache-2.0
// Reads the inputs of a prediction (images, rows of a table, arrays), and encodes them like the
// training data. Not here: the network.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

struct NamedInput {
  // Name of the sample: the file for images, "file:row" for tables (the first row is 1), and
  // "file:index" for arrays (the first index is 0)
  std::string name;
  // Raw arrays for each Input layer, before the transforms
  std::vector<Tensor> arrays;
};

/// Name and shape of an Input layer.
struct WantedInput {
  std::string name;
  // Shape of a sample
  Shape shape;
};

/// Reads the samples of a file. PNG and JPEG images, .npy and .npz arrays and IDX files are
/// recognized by suffix or content. Other files are CSV with one sample per row, which contains the
/// values of all Input layers one after the other. `note` receives notes about changes, such as a
/// resized image or an unknown category. Fails: InvalidFile naming file, row or array and the
/// problem; InvalidArgument (an image for a network without image input).
std::vector<NamedInput> readInputs(const std::string& path, const std::vector<WantedInput>& inputs,
                                   const Preprocessing& preprocessing,
                                   const std::function<void(const std::string&)>& note);

}  // namespace strata
