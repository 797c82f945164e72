// SPDX-License-Identifier: Apache-2.0
// Which layers of an edited network can start from weights that another network was trained to: those whose variables are all there under the same names
// and of the same shapes. Not the copying of them (Network::takeWeights). Thread: pure functions.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/layers/layer.h"
#include "core/project/project.h"

namespace strata {

/// What the layers of a project ask for, in their order. Fails: LayerProblem.
std::vector<VariableRequest> variablesOf(const Project& project);

/// Names of layers with weights, in the order of the network.
struct KeptLayers {
  std::vector<std::string> kept, anew;
};

KeptLayers keptLayers(const std::vector<VariableRequest>& variables, const std::map<std::string, Shape>& trained);
/// The same before anything is compiled, from the network that was trained. Requires: both are valid. Fails: LayerProblem.
KeptLayers keptLayers(const Project& project, const Project& trained);

}  // namespace strata
