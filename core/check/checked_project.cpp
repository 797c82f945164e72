// SPDX-License-Identifier: Apache-2.0
#include "core/check/checked_project.h"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>

#include <nlohmann/json.hpp>

#include "core/recipe/losses.h"

namespace strata {

namespace {

std::optional<Shape> shapeOfInput(const Model& model, const std::string& name) {
  const Layer* layer = model.find(name);
  if (!layer || !layer->fields || !memberOf(*layer->fields, "shape").is_array())
    return std::nullopt;
  Shape shape;
  for (const Json& size : layer->fields->at("shape"))
    shape.append(size.get<int64_t>());
  return shape;
}

/// The numbers of values per sample of the layers of a network, which are computed when they are
/// first needed. Copies of the needs of the data share them.
class OutputSizes {
 public:
  OutputSizes(Project layers, Model model)
      : m_layers(std::move(layers)), m_model(std::move(model)) {}

  /// Returns the size of the output `name`, or INT64_MAX if it is not known.
  int64_t of(const std::string& name) const {
    std::call_once(m_isComputed, [this] { compute(); });
    const bool isOnly = name.empty() && m_model.outputs.size() == 1;
    const auto found = m_sizes.find(isOnly ? m_model.outputs[0] : name);
    return found == m_sizes.end() ? INT64_MAX : found->second;
  }

 private:
  void compute() const {
    // CheckedProject reports the same problems elsewhere, so they are ignored here.
    Diagnostics ofShapes;
    for (const LayerSummary& layer : summarizeModel(m_model, m_layers, 1, ofShapes).layers)
      if (layer.outputShape) m_sizes.emplace(layer.name, layer.outputShape->numElements());
  }

  const Project m_layers;
  const Model m_model;
  mutable std::once_flag m_isComputed;
  mutable std::map<std::string, int64_t> m_sizes;
};

/// Returns a project that contains only the layers of `project`.
Project layersOf(const Project& project) {
  const Json& layers = memberOf(memberOf(project.document(), "model"), "layers");
  return Project(Json{{"model", {{"layers", layers}}}});
}

}  // namespace

DataNeeds dataNeedsOf(const Project& project, const Model& model, const TrainingOptions& recipe,
                      const ExecutionOptions& execution) {
  DataNeeds needs;
  // The names of several inputs are unreliable if the network has an error.
  const bool isKnown =
      model.isConnected && std::all_of(model.drafts.begin(), model.drafts.end(),
                                       [](const Layer& each) { return each.definition; });
  // Names of the Input layers by their position in the network
  std::map<int, std::string> inputs;
  for (const Layer& layer : model.drafts)
    if (layer.definition && layer.definition->schema.type == "Input")
      inputs.emplace(layer.index, layer.name);
  needs.areNamesKnown = isKnown || inputs.size() < 2;
  if (!isKnown) inputs.clear();
  needs.inputs.clear();
  for (const auto& [place, name] : inputs) {
    needs.inputs.push_back(name);
    needs.inputShapes.push_back(shapeOfInput(model, name));
  }
  if (needs.inputs.empty()) needs.inputs.emplace_back();
  needs.outputSize = [sizes = std::make_shared<const OutputSizes>(layersOf(project), model)](
                         const std::string& name) {
    return sizes->of(name);
  };
  for (const OutputOptions& output : recipe.outputs) {
    const LossDef* known = findLoss(output.loss.type);
    WantedTarget target{output.name, known && known->target != TargetKind::Values,
                        output.loss.type};
    if (output.loss.fields)
      if (const Json& number = memberOf(*output.loss.fields, "ignore_class");
          number.is_number_integer())
        target.ignored = number.get<int32_t>();
    needs.targets.push_back(std::move(target));
  }
  needs.untrained = recipe.untrained;
  needs.memoryLimitBytes = execution.limitOf("cpu").value_or(SIZE_MAX);
  return needs;
}

CheckedProject::CheckedProject(Project project) : m_project(std::move(project)) {
  m_model = parseModel(m_project, m_problemsOfModel);
  m_recipe = parseTraining(m_project, m_model, m_problemsOfTraining);
  m_execution = parseExecution(m_project, m_problemsOfTraining);
  m_needs = dataNeedsOf(m_project, m_model, m_recipe, m_execution);
}

void CheckedProject::requireSound() const {
  for (const Diagnostics* problems : {&m_problemsOfModel, &m_problemsOfTraining})
    for (const Diagnostic& each : *problems)
      if (each.severity == Severity::Error)
        throw Error(ErrorCode::InvalidProject, each.layer.empty() ? each.field : each.layer,
                    each.sentence());
}

const CheckedProject::DescribedData& CheckedProject::described() const {
  if (m_data) return *m_data;
  auto data = std::make_shared<DescribedData>();
  data->info = describeDataset(m_project, m_needs, data->problems);
  m_data = data;
  return *m_data;
}

const DatasetInfo& CheckedProject::data() const { return described().info; }

const Diagnostics& CheckedProject::problemsOfData() const { return described().problems; }

DatasetInfo describeDataset(const CheckedProject& project, Diagnostics& diagnostics) {
  return describeDataset(project.project(), project.needs(), diagnostics);
}

std::shared_ptr<const Dataset> loadDataset(const CheckedProject& project) {
  return loadDataset(project.project(), project.needs());
}

Preprocessing preprocessingOf(const CheckedProject& project, const std::string& weights) {
  return preprocessingOf(project.project(), project.needs(), weights);
}

}  // namespace strata
