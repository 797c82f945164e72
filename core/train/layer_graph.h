// SPDX-License-Identifier: Apache-2.0
// The graph of a step whose outputs are those of all layers and the gradients of all weights, but
// which updates nothing. Not here: running it (layer_sampler.h).
// Thread: the functions only read the network.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/layer_statistics/layer_sample.h"
#include "core/train/step_builder.h"

namespace strata {

/// The outputs of the graph for one watched layer.
struct LayerOutputs {
  // Name of the graph's output; "" if the layer has no output of real numbers
  std::string activation;
  // One for each weight of the layer; "" if the weight has no gradient, because it is frozen or
  // does not affect the loss
  std::vector<std::string> gradients;
};

struct LayerGraph {
  Graph graph;
  // One for each watched layer
  std::vector<LayerOutputs> outputs;
};

/// The input of a LayerGraph in float16 that has the scale of the loss (f32[]).
constexpr const char* kScaleInput = "layer_statistics:scale";

/// Returns the layers of the network whose statistics can be sampled, with all weights that some
/// stage of the run may train. Layers in Blocks are included, but Blocks and Input layers are not.
WatchedLayers watchedLayersOf(const StepBuilder& steps);

/// Builds the graph for a micro-batch of this many samples, in the precision of the network. Its
/// random numbers are those of the training step for the same scalars (setStep()). Fails: as
/// buildStep().
LayerGraph buildLayerGraph(const StepBuilder& steps, const WatchedLayers& layers, int64_t samples);

}  // namespace strata
