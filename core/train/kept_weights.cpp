// SPDX-License-Identifier: Apache-2.0
#include "core/train/kept_weights.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/compile/compile.h"
#include "core/compile/loss_scale.h"
#include "core/interchange/weights_file.h"
#include "core/model/model.h"
#include "core/project/text.h"
#include "core/recipe/optimizers.h"
#include "core/train/checkpoint.h"
#include "gpu/base/error.h"

namespace strata {

std::vector<VariableRequest> variablesOf(const Model& model) {
  Graph scratch;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  lowerLayers(scratch, model, StepMode::Train, 1, variables, nextValues);
  return variables;
}

KeptLayers keptLayers(const std::vector<VariableRequest>& variables,
                      const std::map<std::string, Shape>& trained) {
  std::set<std::string> differing;
  for (const VariableRequest& variable : variables) {
    const auto found = trained.find(variable.name);
    if (found == trained.end() || !(found->second == variable.shape))
      differing.insert(variable.layer);
  }
  KeptLayers layers;
  for (const VariableRequest& variable : variables) {
    auto& list = differing.contains(variable.layer) ? layers.fresh : layers.kept;
    if (std::find(list.begin(), list.end(), variable.layer) == list.end())
      list.push_back(variable.layer);
  }
  return layers;
}

KeptLayers keptLayers(const Model& model, const Model& trained) {
  std::map<std::string, Shape> shapes;
  for (const VariableRequest& variable : variablesOf(trained))
    shapes.emplace(variable.name, variable.shape);
  return keptLayers(variablesOf(model), shapes);
}

/// Replaces the weights of a checkpoint by their moving averages, if the optimizer has them. The
/// run validates and saves the averages, so they are its weights.
static void useAverages(Checkpoint& checkpoint) {
  const auto skipped = checkpoint.tensors.find(kSkippedSteps);
  const int64_t numSkipped = skipped == checkpoint.tensors.end() || skipped->second.bytes() == 0
                                 ? 0
                                 : static_cast<int64_t>(skipped->second.as<float>()[0]);
  // Averages are set by the first update of the optimizer
  if (checkpoint.step - checkpoint.updateOffset <= numSkipped) return;
  for (auto& [name, tensor] : checkpoint.tensors)
    if (const auto average = checkpoint.tensors.find(averageName(name));
        average != checkpoint.tensors.end() && average->second.type() == tensor.type())
      tensor = average->second;
}

std::unique_ptr<TensorReader> openWeights(const std::string& fileOrRun, std::string& file) {
  file = weightsFile(fileOrRun);
  std::unique_ptr<TensorReader> tensors = openWeightsFile(file);
  const auto format = tensors->metadata().find("format");
  if (format == tensors->metadata().end() || format->second != "strata-checkpoint") return tensors;

  struct CheckpointTensors : TensorsInMemory {
    explicit CheckpointTensors(std::map<std::string, Tensor> all)
        : TensorsInMemory(viewsOf(all)), owned(std::move(all)) {}
    std::map<std::string, Tensor> owned;
  };
  Checkpoint checkpoint = readCheckpoint(file);
  useAverages(checkpoint);
  return std::make_unique<CheckpointTensors>(std::move(checkpoint.tensors));
}

std::map<std::string, Tensor> readWeights(const std::string& fileOrRun, std::string& file) {
  const std::unique_ptr<TensorReader> tensors = openWeights(fileOrRun, file);
  requireHash(*tensors, file);
  return readAll(*tensors).tensors;
}

}  // namespace strata
