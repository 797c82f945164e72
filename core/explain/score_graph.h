// SPDX-License-Identifier: Apache-2.0
// The graph of a network whose output is the score of a class, and its gradients. Not here: running
// the graph (explainer.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/compile/layer_values.h"
#include "core/model/model.h"
#include "gpu/graph/graph.h"

namespace strata {

/// The forward graph of a network in inference. The graph has an input for each Input layer, in
/// float32 or as whole numbers.
struct ScoreGraph {
  Graph graph;
  std::vector<LayerValue> inputs;
  // All layers with an output in the order of the network, except Input layers. A layer in a Block
  // that does nothing in inference, such as a Dropout, has none.
  std::vector<LayerValue> layers;
  // The values that the scores come from, f32 [batch, ..., classes]: the logits if the output is a
  // softmax over its last axis or a sigmoid, otherwise the output itself
  ValueId scores;
  // Name of the layer that an explanation has chosen; "" if it needs none
  std::string chosen = {};
};

/// Builds the forward graph for `batch` samples. Requires: `output` is a layer of the model.
/// Fails: LayerProblem, UnsupportedOp naming the layer.
ScoreGraph buildScoreGraph(const Model& model, const std::string& output, int64_t batch);

/// Names of the inputs and outputs that a gradient graph adds.
constexpr const char* kSeedInput = "explain:seed";
constexpr const char* kScoresOutput = "explain:scores";
constexpr const char* kValueOutput = "explain:value";
constexpr const char* kGradientOutput = "explain:gradient";

/// Appends the gradient of sum(scores * seed) with respect to a value as the output
/// kGradientOutput. The seed is an input with the type of the scores. Returns false, and adds no
/// output, if the scores do not depend on the value. Fails: UnsupportedOp naming the layer whose op
/// has no gradient.
bool appendScoreGradient(ScoreGraph& score, ValueId value);

/// Returns whether the scores are computed from this value.
bool dependsOn(const ScoreGraph& score, ValueId value);

/// Returns the spatial axes of a value with the shape [batch, axes..., channels]: 1 for a sequence,
/// 2 for an image; 0 if it has none, or only axes of size 1.
int spatialAxesOf(const Shape& shape);

}  // namespace strata
