// SPDX-License-Identifier: Apache-2.0
// Which layers of an edited network can start from weights that another network was trained to:
// those whose variables are all there under the same names and of the same shapes; and where a
// person's weights lie. Not the copying of them (Network::takeWeights). Thread: pure functions.
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

/// What the layers of a network ask for, in their order. Fails: LayerProblem.
std::vector<VariableRequest> variablesOf(const Model& model);

/// Names of layers with weights, in the order of the network.
struct KeptLayers {
  std::vector<std::string> kept, anew;
};

KeptLayers keptLayers(const std::vector<VariableRequest>& variables,
                      const std::map<std::string, Shape>& trained);
/// The same before anything is compiled, from the network that was trained. Requires: both are
/// valid. Fails: LayerProblem.
KeptLayers keptLayers(const Model& model, const Model& trained);

/// What weightsFile() names, opened; of a checkpoint its tensors, without its metadata. Fails:
/// InvalidFile, IoFailure.
std::unique_ptr<TensorReader> openWeights(const std::string& fileOrRun, std::string& file);
/// All that it holds. Fails: as openWeights; InvalidFile where its hash is another.
std::map<std::string, Tensor> readWeights(const std::string& fileOrRun, std::string& file);

}  // namespace strata
