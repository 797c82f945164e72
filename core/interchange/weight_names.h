// SPDX-License-Identifier: Apache-2.0
// Finds the tensor of a file for each variable of a network: first by name, then with the
// differences of Keras's names: a model's name in front ("model/conv1/kernel"), ":0" behind, a
// model inside of a model for a Block ("left/dense/kernel" for "left/0/dense/kernel"), numbers that
// Keras gives layers without a name inside a wrapper ("td/dense_3/kernel"), other separators
// between the parts. Tensors that only training needs (optimizer state, seeds of random layers,
// counts) are ignored. Not here: reading files.
// Thread: pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/interchange/tensor_reader.h"

namespace strata {

struct WantedTensor {
  std::string name;
  Shape shape;
  // Keeps its value if the file has no matching tensor: state carried from batch to batch
  bool isOptional = false;
};

struct NamedTensors {
  // By the wanted names, with the wanted shapes, in f32
  std::map<std::string, Tensor> tensors;
  // Notes for the user: renamed and ignored tensors
  std::vector<std::string> notes;
};

/// Whether this is the state of a recurrent layer that continues in the next batch, which is not a
/// weight.
bool isCarriedState(const std::string& name);

struct MatchedNames {
  // Names in the file by the wanted names
  std::map<std::string, std::string> found;
  // As NamedTensors::notes
  std::vector<std::string> notes;
};

/// Matches names and types only, so that no data is read from a file that does not fit. Fails:
/// InvalidFile naming `file`, tensor, expected, got and the most similar name, if a tensor is
/// missing, has another shape or no floating-point numbers, or belongs to no layer.
MatchedNames matchNames(const std::map<std::string, TensorType>& found,
                        const std::vector<WantedTensor>& wanted, const std::string& file);
/// The same, and reads the wanted tensors. Also fails as requireHash() and TensorReader::read().
NamedTensors matchWeights(TensorReader& found, const std::vector<WantedTensor>& wanted,
                          const std::string& file);
NamedTensors matchWeights(const std::map<std::string, Tensor>& found,
                          const std::vector<WantedTensor>& wanted, const std::string& file);

}  // namespace strata
