// SPDX-License-Identifier: Apache-2.0
#include "core/train/kept_weights.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "core/compile/compile.h"
#include "core/interchange/weights_file.h"
#include "core/model/model.h"
#include "core/project/text.h"
#include "core/train/checkpoint.h"
#include "gpu/base/error.h"

namespace strata {

std::vector<VariableRequest> variablesOf(const Project& project) {
  Diagnostics ignored;
  const Model model = parseModel(project, ignored);
  Graph scratch;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  lowerLayers(scratch, model, StepMode::Train, 1, variables, nextValues);
  return variables;
}

KeptLayers keptLayers(const std::vector<VariableRequest>& variables, const std::map<std::string, Shape>& trained) {
  std::set<std::string> differing;
  for (const VariableRequest& variable : variables) {
    const auto found = trained.find(variable.name);
    if (found == trained.end() || !(found->second == variable.shape)) differing.insert(variable.layer);
  }
  KeptLayers layers;
  for (const VariableRequest& variable : variables) {
    auto& list = differing.contains(variable.layer) ? layers.anew : layers.kept;
    if (std::find(list.begin(), list.end(), variable.layer) == list.end()) list.push_back(variable.layer);
  }
  return layers;
}

KeptLayers keptLayers(const Project& project, const Project& trained) {
  std::map<std::string, Shape> shapes;
  for (const VariableRequest& variable : variablesOf(trained)) shapes.emplace(variable.name, variable.shape);
  return keptLayers(variablesOf(project), shapes);
}

std::string pathInProject(const Project& project, const std::string& path) {
  namespace fs = std::filesystem;
  if (fs::path(path).is_absolute() || project.path().empty()) return path;
  const fs::path beside = fs::path(project.path()).parent_path() / path;
  std::error_code error;
  return fs::exists(beside, error) || !fs::exists(path, error) ? beside.lexically_normal().string() : path;
}

std::string weightsFile(const std::string& fileOrRun) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (fs::is_directory(fileOrRun, error)) {
    std::string file = (fs::path(fileOrRun) / "weights.safetensors").string();
    const bool isRun = fs::exists(file, error) || fs::exists(fs::path(fileOrRun) / "project.json", error);
    if (error)
      throw Error(ErrorCode::InvalidFile, fileOrRun, "cannot be read (" + error.message() + "). Check that you may read the folder.");
    if (!isRun)
      throw Error(
          ErrorCode::InvalidFile, fileOrRun,
          "is no run directory (expected a project.json in it). Name a folder such as mnist-cnn.runs/001, or a .safetensors or .npz file.");
    if (!fs::exists(file, error))
      throw Error(ErrorCode::InvalidFile, fileOrRun,
                  "has no weights.safetensors (expected a run that ended or was stopped). Continue it with train --resume.");
    return file;
  }
  if (!fs::exists(fileOrRun, error))
    throw Error(ErrorCode::InvalidFile, fileOrRun,
                "is not there (expected a .safetensors or .npz file or a run directory). Check the name.");
  return fileOrRun;
}

std::unique_ptr<TensorReader> openWeights(const std::string& fileOrRun, std::string& file) {
  file = weightsFile(fileOrRun);
  std::unique_ptr<TensorReader> tensors = openWeightsFile(file);
  const auto format = tensors->metadata().find("format");
  if (format == tensors->metadata().end() || format->second != "strata-checkpoint") return tensors;

  struct CheckpointTensors : TensorsInMemory {
    explicit CheckpointTensors(std::map<std::string, Tensor> all) : TensorsInMemory(viewsOf(all)), owned(std::move(all)) {}
    std::map<std::string, Tensor> owned;
  };
  return std::make_unique<CheckpointTensors>(readCheckpoint(file).tensors);
}

std::map<std::string, Tensor> readWeights(const std::string& fileOrRun, std::string& file) {
  const std::unique_ptr<TensorReader> tensors = openWeights(fileOrRun, file);
  requireHash(*tensors, file);
  return readAll(*tensors).tensors;
}

}  // namespace strata
