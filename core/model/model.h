// SPDX-License-Identifier: Apache-2.0
// The network that a user edits: its layers and connections, checked as a whole. Not here: what a
// layer requires of its input (core/layers). Thread: values, pure functions.
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
  // Unique within the network or Block
  std::string name;
  // Explicit, also where the document omits them; empty for the first layer of a Block
  std::vector<std::string> inputs;
  // With defaults filled in; trainable and learning_rate_factor include those of the Blocks around
  // it
  std::shared_ptr<const Json> fields;
  // Position in /model/layers, or in the layers of its Block
  int index = 0;
  // "block/layer", the name in problems
  std::string path;
  // "/model/layers/3/layers/1"
  std::string pointer;
  // The layers of a Block, null for other layers
  std::shared_ptr<const Model> inner;
};

/// A scope of names: the network, or the contents of a Block.
struct Model {
  // Valid layers in topological order
  std::vector<Layer> layers;
  // Names of valid Input layers
  std::vector<std::string> inputs;
  // The layers in /model/outputs. Without it all layers, valid or not, that no other layer uses, in
  // the order of /model/layers
  std::vector<std::string> outputs;
  // Whether the project has /model/outputs
  bool namesOutputs = false;
  /// All of /model/layers in topological order, as far as they are valid: no definition for an
  /// unknown type, no fields where one is wrong, "" for an unknown input.
  std::vector<Layer> drafts;
  // Every layer has a unique name and valid inputs, and there is no cycle
  bool isConnected = true;
  // Number of layers with every Block expanded
  int64_t expandedLayers = 0;
  const Layer* find(std::string_view name) const;
  // A valid layer by its position in the list, else null
  const Layer* at(int index) const;
};

/// Limits of the expanded network and of nested Blocks.
constexpr int64_t kMaxExpandedLayers = 100000;
constexpr int kMaxBlockDepth = 16;

/// "block/3/layer" -> "block/layer": the path in the document of a layer of the graph.
std::string pathOfLayer(const std::string& graphLayer);
/// "block/3/layer" -> "block": the row of the network list that contains it.
std::string rowOfLayer(const std::string& graphLayer);
/// The layer that computes the output: the last layer of a Block, else the layer itself.
const Layer& endOf(const Layer& layer);

/// Reads /model and reports every problem at once: unknown types and fields, wrong values,
/// duplicate names, missing inputs, cycles. The model contains the valid layers.
Model parseModel(const Project& project, Diagnostics& diagnostics);

/// What each row of the network list shows. After a layer with a problem, values are unknown (-1,
/// no shape) where they depend on it.
struct LayerSummary {
  std::string name, type;
  std::vector<std::string> inputs;
  // Whether all numbers below are known
  bool isKnown = false;
  // Without the batch. May be known where the rest is not: a Dense outputs its units for any input
  std::optional<Shape> outputShape;
  int64_t parameters = 0, trainableParameters = 0;
  // Of the forward pass, for the batch
  double multiplyAdds = 0;
  // The layers of a Block in its first repeat; the numbers above include every repeat
  std::vector<LayerSummary> inner;
};
struct ModelSummary {
  // In the order of /model/layers, including layers with problems
  std::vector<LayerSummary> layers;
  // Those of Model; empty where it is not connected
  std::vector<std::string> outputs;
  int64_t parameters = 0, trainableParameters = 0;
  double multiplyAdds = 0;
};
/// Lowers layer by layer on a scratch graph; shape problems become diagnostics of their layer.
/// After a layer with a problem, reports what is still certain.
ModelSummary summarizeModel(const Model& model, const Project& project, int64_t batchSize,
                            Diagnostics& diagnostics);

}  // namespace strata
