// SPDX-License-Identifier: Apache-2.0
// Finds the tensor of a file for each variable of a network. First, names must match exactly. For
// the remaining variables, these differences are allowed, which occur in names of Keras:
// - the name of a model at the beginning ("model/conv1/kernel"), or ":0" at the end;
// - a nested model instead of a Block ("left/dense/kernel" for "left/0/dense/kernel");
// - a number that Keras appends to the name of a layer inside a wrapper ("td/dense_3/kernel");
// - other separators between the parts.
// Tensors that are only needed for training (optimizer state, seeds, counters) are ignored. Not
// here: reading files.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/interchange/tensor_reader.h"

namespace strata {

struct WantedTensor {
  std::string name;
  Shape shape;
  // Whether the variable keeps its value if the file has no matching tensor. This is set for the
  // state that a recurrent layer passes on to the next batch.
  bool isOptional = false;
};

struct NamedTensors {
  // Tensors by their wanted names, with the wanted shapes, in f32
  std::map<std::string, Tensor> tensors;
  // Notes for the user about renamed and ignored tensors
  std::vector<std::string> notes;
};

/// Whether a variable is the state that a recurrent layer passes on to the next batch. Such state
/// is not a weight.
bool isCarriedState(const std::string& name);

struct MatchedNames {
  // The name in the file for each wanted name
  std::map<std::string, std::string> found;
  // Notes for the user, as in NamedTensors
  std::vector<std::string> notes;
};

/// Finds the tensor of a file for each wanted variable. Compares only names and types, so that no
/// data is read from a file that does not fit. Fails: InvalidFile if a tensor is missing, has the
/// wrong shape, has no floating-point elements or belongs to no layer. The error names `file`, the
/// tensor, both shapes and the most similar name.
MatchedNames matchNames(const std::map<std::string, TensorType>& found,
                        const std::vector<WantedTensor>& wanted, const std::string& file);
/// Matches the names, then reads the wanted tensors. Fails with the errors of matchNames(),
/// requireHash() and TensorReader::read().
NamedTensors matchWeights(TensorReader& found, const std::vector<WantedTensor>& wanted,
                          const std::string& file);
NamedTensors matchWeights(const std::map<std::string, Tensor>& found,
                          const std::vector<WantedTensor>& wanted, const std::string& file);

}  // namespace strata
