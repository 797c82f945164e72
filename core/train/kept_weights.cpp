// SPDX-License-Identifier: Apache-2.0
#include "core/train/kept_weights.h"

#include <algorithm>
#include <set>

#include "core/compile/compile.h"
#include "core/model/model.h"

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

}  // namespace strata
