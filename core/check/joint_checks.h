// SPDX-License-Identifier: Apache-2.0
// Checks that need several parts of a project: model, data and training. Not here: checks of a
// single part, which the reader of that part makes.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/recipe/options.h"

namespace strata {

/// The parts of one project. The caller keeps them alive during a check.
struct ProjectParts {
  const Json& document;
  const Model& model;
  const ModelSummary& summary;
  const TrainingOptions& training;
  const DatasetInfo& data;
  /// Returns the summary of a layer of the network.
  const LayerSummary& row(const Layer& layer) const {
    return summary.layers[static_cast<size_t>(layer.index)];
  }
};

/// Returns the fix "Set FIELD to VALUE" for a layer of the network.
Fix layerFieldFix(const Layer& layer, const std::string& field, const Json& value);

/// Returns the fix "Use LOSS" for an output. Keeps the fields that the new loss has, too.
Fix useLossFix(const Json& document, const OutputOptions& output, const std::string& loss);

/// Reports all problems between the parts. Checks every trained output with checkOutput().
void checkTogether(const ProjectParts& parts, Diagnostics& diagnostics);

/// Checks training.outputs[index] against its loss, its metrics and the targets of the data.
void checkOutput(const ProjectParts& parts, size_t index, Diagnostics& diagnostics);
/// Checks the scale of the values of each Input layer, and the order of the dimensions of images.
void checkImages(const ProjectParts& parts, Diagnostics& diagnostics);
/// Checks the metrics of training.outputs[index], whose output has this shape without the batch
/// dimension, against its loss and the targets of the data.
void checkMetrics(const ProjectParts& parts, size_t index, const Shape& shape,
                  Diagnostics& diagnostics);

}  // namespace strata
