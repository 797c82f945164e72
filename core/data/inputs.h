// SPDX-License-Identifier: Apache-2.0
// What a person gives to predict, made into samples the way the training data was: images, rows of a table. Not here: the network. Thread: pure functions.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/data/dataset.h"

namespace strata {

struct NamedInput {
  std::string name;            // file, or file:row
  std::vector<Tensor> arrays;  // for each Input layer, raw, before the transforms
};

/// Samples in a file, by its suffix: PNG and JPEG images; else CSV, a row a sample, with what several Input layers take one after the other.
/// shapes: of the Input layers. `note` is told what was changed (an image resized).
/// Fails: InvalidFile naming file, row and what is wrong; InvalidArgument (an image for a network that takes none).
std::vector<NamedInput> readInputs(const std::string& path, const std::vector<Shape>& shapes, const Preprocessing& preprocessing,
                                   const std::function<void(const std::string&)>& note);

}  // namespace strata
