// SPDX-License-Identifier: Apache-2.0
// A layer of a network as a graph of its own, with its gradients. Not here: running it
// (layer_check.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/model/model.h"

namespace strata {

/// The forward graph of a whole network.
struct NetworkGraph {
  Graph graph;
  std::vector<VariableRequest> variables;
  std::vector<ValueId> values;
};
/// Lowers a network for training. Fails: LayerProblem.
NetworkGraph networkGraphOf(const Model& model, int64_t samples);

struct LayerPart {
  // Name of the layer in the graph
  std::string layer;
  // The graph of the layer. It has the inputs "input/0", ..., the output kPartOutput, the input
  // kPartSeed for the gradient of the output, and an output for each gradient.
  Graph graph;
  // In the whole graph, the values that the layer takes as "input/0", ...
  std::vector<ValueId> inputs;
  // Names of the outputs of `graph` that are gradients: "gradient of input 1", "gradient of
  // conv/kernel"
  std::vector<std::string> gradients;
};
constexpr const char* kPartOutput = "output";
constexpr const char* kPartSeed = "output_gradient";

/// Takes a layer out of the graph of its network. `name` may lack the number of a repeat. Fails:
/// InvalidArgument if there is no such layer, or the layer computes nothing; UnsupportedOp.
LayerPart layerPartOf(const NetworkGraph& network, const Model& model, const std::string& name);

}  // namespace strata
