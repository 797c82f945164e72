// SPDX-License-Identifier: Apache-2.0
// The network a person edits: layers and connections, checked as a whole. Thread: values, pure
// functions.
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
  // In its scope: of the network, or of a Block
  std::string name;
  // resolved: "the layer before" written out; none for the first of a Block, which takes the
  // Block's
  std::vector<std::string> inputs;
  // Defaults filled in; in a Block trainable and learning_rate_factor are what the Block makes of
  // them
  std::shared_ptr<const Json> fields;
  // Position in its list: /model/layers, or the layers of its Block
  int index = 0;
  // "block/layer", as problems name it
  std::string path;
  // "/model/layers/3/layers/1"
  std::string pointer;
  // Of a Block: what it repeats, null for others
  std::shared_ptr<const Model> inner;
};

/// A scope of names: the network, or what is in a Block.
struct Model {
  // Valid ones, in topological order of use
  std::vector<Layer> layers;
  // Valid Inputs
  std::vector<std::string> inputs;
  // As /model/outputs lists them, else layers, valid or not, that no other one uses, in the order
  // of /model/layers
  std::vector<std::string> outputs;
  // The project lists them
  bool namesOutputs = false;
  /// All of /model/layers in an order of use, with what is valid: no definition (unknown type), no
  /// fields (a wrong one among them), inputs "" (none such).
  std::vector<Layer> drafts;
  // Every layer has a name of its own and its inputs, and no circle is there
  bool isConnected = true;
  // With every Block written out
  int64_t expandedLayers = 0;
  const Layer* find(std::string_view name) const;
  // Valid ones, by position in the list
  const Layer* at(int index) const;
};

/// A network written out, and Blocks in Blocks, are bounded.
constexpr int64_t kMaxExpandedLayers = 100000;
constexpr int kMaxBlockDepth = 16;

/// "block/3/layer" -> "block/layer": what a graph's layer is called in the document.
std::string pathOfLayer(const std::string& graphLayer);
/// "block/3/layer" -> "block": the row of the network list it belongs to.
std::string rowOfLayer(const std::string& graphLayer);
/// The layer that makes its output: of a Block the last one in it.
const Layer& endOf(const Layer& layer);

/// Every problem of /model at once: unknown types and fields, wrong values, duplicate names,
/// missing inputs, cycles. The model holds what is valid.
Model parseModel(const Project& project, Diagnostics& diagnostics);

/// What each row of the network list shows. Unknown (-1, no shape) below a layer with a problem, as
/// far as its inputs decide it.
struct LayerSummary {
  std::string name, type;
  std::vector<std::string> inputs;
  // All figures below
  bool isKnown = false;
  // Without the batch; may be known where the rest is not: a Dense has its units whatever it reads
  std::optional<Shape> outputShape;
  int64_t parameters = 0, trainableParameters = 0;
  // Forward, for the batch
  double multiplyAdds = 0;
  // Of a Block: its layers as they are the first time; the figures above count every repeat
  std::vector<LayerSummary> inner;
};
struct ModelSummary {
  // In the order of /model/layers, broken ones included
  std::vector<LayerSummary> layers;
  // As of Model; none where it is not connected
  std::vector<std::string> outputs;
  int64_t parameters = 0, trainableParameters = 0;
  double multiplyAdds = 0;
};
/// Lowers layer by layer on a scratch graph; shape problems become diagnostics of their layer.
/// Below one with a problem, what can be told of the rest.
ModelSummary summarizeModel(const Model& model, const Project& project, int64_t batchSize,
                            Diagnostics& diagnostics);

}  // namespace strata
