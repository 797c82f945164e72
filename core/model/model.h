// SPDX-License-Identifier: Apache-2.0
// The network a person edits: layers and connections, checked as a whole. Thread: values, pure functions.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/layers/layer.h"
#include "core/model/diagnostic.h"
#include "core/project/project.h"

namespace strata {

struct Layer {
  const LayerDef* definition = nullptr;
  std::string name;
  std::vector<std::string> inputs;     // resolved: "the layer before" written out
  std::shared_ptr<const Json> fields;  // defaults filled in
  int index = 0;                       // position in /model/layers
};

struct Model {
  std::vector<Layer> layers;         // valid ones, in topological order of use
  std::vector<std::string> inputs;   // valid Inputs
  std::vector<std::string> outputs;  // layers, valid or not, that no other one uses, in the order of /model/layers
  /// All of /model/layers in an order of use, with what is valid: no definition (unknown type), no fields (a wrong one among them), inputs "" (none such).
  std::vector<Layer> drafts;
  bool isConnected = true;  // every layer has a name of its own and its inputs
  const Layer* find(std::string_view name) const;
};

/// Every problem of /model at once: unknown types and fields, wrong values, duplicate names, missing inputs, cycles. The model holds what is valid.
Model parseModel(const Project& project, Diagnostics& diagnostics);

/// What each row of the network list shows. Unknown (-1, no shape) below a layer with a problem, as far as its inputs decide it.
struct LayerSummary {
  std::string name, type;
  std::vector<std::string> inputs;
  bool isKnown = false;              // all figures below
  std::optional<Shape> outputShape;  // without the batch; may be known where the rest is not: a Dense has its units whatever it reads
  int64_t parameters = 0, trainableParameters = 0;
  double multiplyAdds = 0;  // forward, for the batch
};
struct ModelSummary {
  std::vector<LayerSummary> layers;  // in the order of /model/layers, broken ones included
  int64_t parameters = 0, trainableParameters = 0;
  double multiplyAdds = 0;
};
/// Lowers layer by layer on a scratch graph; shape problems become diagnostics of their layer. Below one with a problem, what can be told of the rest.
ModelSummary summarizeModel(const Model& model, const Project& project, int64_t batchSize, Diagnostics& diagnostics);

/// Everything `strata check` prints: model, shapes, data, loss against output, optimizer, metrics, execution; each tied to its layer.
Diagnostics validate(const Project& project);
/// validate() and summarizeModel() in one go, for the window.
struct Inspection {
  Diagnostics diagnostics;
  ModelSummary summary;
};
Inspection inspectProject(const Project& project);

}  // namespace strata
