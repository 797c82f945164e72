// SPDX-License-Identifier: Apache-2.0
// The network that a user edits: its layers and connections, checked as a whole. Not here: what a
// layer requires of its input (core/layers). Thread: value types and pure functions, so any thread
// may use them.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/layers/layer.h"
#include "core/project/diagnostic.h"
#include "core/project/project.h"

namespace strata {

struct Model;

struct Layer {
  const LayerDef* definition = nullptr;
  // Name, which is unique within the network or the Block
  std::string name;
  // Names of the inputs, including inputs that the document omits. Empty for the first layer of a
  // Block.
  std::vector<std::string> inputs;
  // All fields, including default values. The values of trainable and learning_rate_factor take the
  // enclosing Blocks into account.
  std::shared_ptr<const Json> fields;
  // Position in /model/layers, or in the layers of the Block
  int index = 0;
  // Name in problems, such as "block/layer"
  std::string path;
  // JSON pointer, such as "/model/layers/3/layers/1"
  std::string pointer;
  // The layers of a Block; null for other layers
  std::shared_ptr<const Model> inner;
};

/// A scope of names: the network or the contents of a Block.
struct Model {
  // Valid layers in topological order
  std::vector<Layer> layers;
  // Names of valid Input layers
  std::vector<std::string> inputs;
  // The layers in /model/outputs. If it does not exist, these are all layers (valid or not) that no
  // other layer uses, in the order of /model/layers.
  std::vector<std::string> outputs;
  // Whether the project has /model/outputs
  bool namesOutputs = false;
  /// All layers in topological order, including invalid ones. A layer of unknown type has no
  /// definition, a layer with a wrong field has no fields, and an unknown input is "".
  std::vector<Layer> drafts;
  // Whether all layers have unique names and valid inputs, and there is no cycle
  bool isConnected = true;
  // Number of layers after all Blocks are expanded
  int64_t expandedLayers = 0;
  const Layer* find(std::string_view name) const;
  // Returns the valid layer at a position in the list, or null.
  const Layer* at(int index) const;
};

/// Maximum number of layers after all Blocks are expanded, and maximum nesting depth of Blocks.
constexpr int64_t kMaxExpandedLayers = 100000;
constexpr int kMaxBlockDepth = 16;

/// Converts the name of a layer in the graph to its path in the document: "block/3/layer" ->
/// "block/layer".
std::string pathOfLayer(const std::string& graphLayer);
/// Returns the name of the row of the network's list that contains a layer of the graph:
/// "block/3/layer" -> "block".
std::string rowOfLayer(const std::string& graphLayer);
/// Returns the layer that computes the output of `layer`: the last layer in a Block, also in a
/// nested one, or `layer` itself.
const Layer& endOf(const Layer& layer);

/// Reads /model and reports all problems at once: unknown types and fields, wrong values, duplicate
/// names, missing inputs, cycles. The returned model contains the valid layers.
Model parseModel(const Project& project, Diagnostics& diagnostics);

/// The values that a row of the network list shows. If they depend on a layer with a problem, they
/// are unknown (-1, or no shape).
struct LayerSummary {
  std::string name, type;
  std::vector<std::string> inputs;
  // Whether all values below are known
  bool isKnown = false;
  // Shape without the batch. It may be known if other values are not: the size of a Dense does not
  // depend on its input.
  std::optional<Shape> outputShape;
  int64_t parameters = 0, trainableParameters = 0;
  // Number of multiply-adds in the forward pass of the batch
  double multiplyAdds = 0;
  // The layers of a Block in its first repeat. The values above include all repeats.
  std::vector<LayerSummary> inner;
};
/// The rows of the network list, and the totals of the network.
struct ModelSummary {
  // Rows in the order of /model/layers, including layers with problems
  std::vector<LayerSummary> layers;
  // Outputs of the model; empty if the model is not connected
  std::vector<std::string> outputs;
  int64_t parameters = 0, trainableParameters = 0;
  double multiplyAdds = 0;
};
/// Returns the summary of a network. Lowers layer by layer on a temporary graph. Shape problems
/// become diagnostics of their layer. For later layers, reports only problems that do not depend on
/// an unknown shape.
ModelSummary summarizeModel(const Model& model, const Project& project, int64_t batchSize,
                            Diagnostics& diagnostics);

}  // namespace strata
