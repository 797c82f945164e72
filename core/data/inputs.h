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
  // Name of the sample: the path for an image, "path:line" for a row of a text table (its line in
  // the file, from 1), and "path:index" for arrays (from 0)
  std::string name;
  // One array for each Input layer, before the transforms
  std::vector<Tensor> arrays;
};

/// Name and shape of an Input layer.
struct WantedInput {
  std::string name;
  // Shape without the batch dimension
  Shape shape;
};

/// Reads the samples of a file. PNG and JPEG images, .npy and .npz arrays and IDX files are
/// recognized by suffix or content. Other files are text tables with one sample per row. If the
/// network was trained on a table, rows have its columns. Otherwise a row has the numbers for all
/// Input layers one after the other, separated by commas. `note` is called with each message about
/// a change, such as a resized image or an unknown category. Fails: InvalidFile naming file, row or
/// array and the problem; InvalidArgument (an image for a network without image input).
std::vector<NamedInput> readInputs(const std::string& path, const std::vector<WantedInput>& inputs,
                                   const Preprocessing& preprocessing,
                                   const std::function<void(const std::string&)>& note);

}  // namespace strata
