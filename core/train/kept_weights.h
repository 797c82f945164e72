// SPDX-License-Identifier: Apache-2.0
// Decides which layers of an edited network can start with the weights of a trained network. These
// are the layers whose variables all exist in the trained network with the same names and shapes.
// Also opens weights that a user names.
// Not here: copying the weights (NetworkState::takeWeights). Thread: the functions only access the
// file system.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/interchange/tensor_reader.h"
#include "core/layers/layer.h"
#include "core/model/model.h"
#include "core/project/project.h"
#include "core/runs/given_weights.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// Returns the variables that the layers of a network request, in their order. Fails: LayerProblem.
std::vector<VariableRequest> variablesOf(const Model& model);

/// Names of layers with weights in the order of the network: layers that keep trained weights, and
/// layers that start with new ones.
struct KeptLayers {
  std::vector<std::string> kept, fresh;
};

KeptLayers keptLayers(const std::vector<VariableRequest>& variables,
                      const std::map<std::string, Shape>& trained);
/// Compares two models without compiling them, and returns which layers of `model` keep weights.
/// Requires: both models are valid. Fails: LayerProblem.
KeptLayers keptLayers(const Model& model, const Model& trained);

/// Opens the file that weightsFile() finds, and sets `file`. A checkpoint has no metadata then, and
/// the moving averages of its weights instead of the weights. Fails: InvalidFile, IoFailure.
std::unique_ptr<TensorReader> openWeights(const std::string& fileOrRun, std::string& file);
/// Reads all tensors of the file that openWeights() opens. Fails with the errors of openWeights, or
/// with InvalidFile if the hash differs.
std::map<std::string, Tensor> readWeights(const std::string& fileOrRun, std::string& file);

}  // namespace strata
