// SPDX-License-Identifier: Apache-2.0
// Which tensor of a file is which variable of a network. By name first; then as Keras's names may
// differ: a model's name in front ("model/conv1/kernel"), ":0" behind, a model inside of a model
// for a Block ("left/dense/kernel" for "left/0/dense/kernel"), numbers that Keras gives layers
// without a name inside a wrapper ("td/dense_3/kernel"), other marks between the parts. What
// training alone needs (optimizer state, seeds of random layers, counts) is passed over. Not here:
// reading files. Thread: pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/interchange/tensor_reader.h"

namespace strata {

struct WantedTensor {
  std::string name;
  Shape shape;
  // Stays as it is where the file has none that fits: what a batch leaves to the next one
  bool isOptional = false;
};

struct NamedTensors {
  // By the names wanted, of the shapes wanted, in f32
  std::map<std::string, Tensor> tensors;
  // For people: what was called otherwise, what was passed over
  std::vector<std::string> notes;
};

/// The state of a recurrent layer that goes on in the next batch: of a batch's size, and no weight.
bool isCarriedState(const std::string& name);

struct MatchedNames {
  // By the names wanted
  std::map<std::string, std::string> found;
  // As NamedTensors'
  std::vector<std::string> notes;
};

/// By names and types alone, so that nothing is read of a file that does not fit.
/// Fails: InvalidFile naming `file`, tensor, expected, got and the nearest name: one missing, of
/// another shape, no floating numbers, or of no layer.
MatchedNames matchNames(const std::map<std::string, TensorType>& found,
                        const std::vector<WantedTensor>& wanted, const std::string& file);
/// The same, with the tensors wanted, which alone are read. Fails: also as requireHash() and
/// TensorReader::read().
NamedTensors matchWeights(TensorReader& found, const std::vector<WantedTensor>& wanted,
                          const std::string& file);
NamedTensors matchWeights(const std::map<std::string, Tensor>& found,
                          const std::vector<WantedTensor>& wanted, const std::string& file);

}  // namespace strata
