// SPDX-License-Identifier: Apache-2.0
#include "core/train/import_weights.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/interchange/weight_names.h"
#include "core/interchange/weights_file.h"
#include "core/model/model.h"
#include "core/project/project.h"
#include "core/runs/output_file.h"
#include "core/train/kept_weights.h"
#include "core/train/network.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

ImportReport importIntoProject(const std::string& file, const std::string& target) {
  std::error_code error;
  if (!fs::exists(target, error))
    throw Error(ErrorCode::InvalidFile, target,
                "does not exist, and weights alone do not make a project (expected the project "
                "file of their network). Name that file, or a .safetensors or .npz file.");
  Project project = loadProject(target).value();
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.severity == Severity::Error)
      throw Error(ErrorCode::InvalidProject, target, diagnostic.line());
  std::vector<WantedTensor> wanted;
  for (const VariableRequest& request : variablesOf(model))
    wanted.push_back({request.name, request.shape});
  std::string source;
  const std::unique_ptr<TensorReader> tensors = openWeights(file, source);
  NamedTensors named = matchWeights(*tensors, wanted, source);

  ImportReport report;
  report.isProject = true;
  report.notes = std::move(named.notes);
  report.tensors = static_cast<int64_t>(named.tensors.size());
  const fs::path beside = fs::path(project.path()).replace_extension(".weights.safetensors");
  report.weights = beside.string();
  report.isReplaced = fs::exists(beside, error);
  writeWeightsFile(report.weights, viewsOf(named.tensors),
                   {{"format", "strata-weights"},
                    {"project", project.name()},
                    {"step", ""},
                    {"hash", weightsHash(named.tensors)}});
  project.document()["training"]["initial_weights"] = beside.filename().string();
  if (const auto saved = saveProject(project, target); !saved) throw saved.error();
  return report;
}

}  // namespace

ImportReport importWeights(const std::string& file, const std::string& target) {
  if (const std::string suffix = fs::path(file).extension().string(); suffix == ".onnx")
    throw Error(ErrorCode::UnsupportedOp, file,
                "the format \".onnx\" is not in this version (expected weights: .safetensors or "
                ".npz). Export the weights to one of these formats.");
  requireOutsideRuns(target);
  if (fs::path(target).extension() == ".json") return importIntoProject(file, target);
  if (const std::string problem = problemOfWeightsSuffix(target); !problem.empty())
    throw Error(ErrorCode::UnsupportedOp, target,
                problem + " Or name the project that starts from the weights.");
  std::string source;
  const std::unique_ptr<TensorReader> tensors = openWeights(file, source);
  if (tensors->types().empty())
    throw Error(
        ErrorCode::InvalidFile, source,
        "contains no tensors (expected weights in a .safetensors or .npz file). Name another "
        "file.");
  requireHash(*tensors, source);
  ImportReport report;
  report.tensors = static_cast<int64_t>(tensors->types().size());
  report.weights = target;
  std::error_code error;
  report.isReplaced = fs::exists(target, error);
  writeWeightsFile(target, *tensors, tensors->metadata());
  return report;
}

}  // namespace strata
