// SPDX-License-Identifier: Apache-2.0
#include "core/model/shape_fixes.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/model/layer_edits.h"
#include "core/project/input_ref.h"

namespace strata {

namespace {

// Each trial reads and lowers the whole network, so the number of trials is limited.
constexpr int kMaxTrials = 12, kMaxTrialsOfProblem = 5;
constexpr int64_t kMaxLayersTried = 2000;

/// Returns the list that contains the layer: "/model/layers/3" -> "/model/layers".
LayerList listOf(const Layer& layer) {
  LayerList list;
  list.pointer = layer.pointer.substr(0, layer.pointer.rfind('/'));
  list.prefix = layer.path.substr(0, layer.path.size() - layer.name.size());
  return list;
}

/// Joins two edits. `second` applies to the document after `first`.
ProjectEdit joined(ProjectEdit first, const ProjectEdit& second) {
  first.operations.insert(first.operations.end(), second.operations.begin(),
                          second.operations.end());
  return first;
}

ProjectEdit after(const Json& document, const ProjectEdit& first,
                  const std::function<ProjectEdit(const Json&)>& makeSecond) {
  Json changed = document;
  applyEdit(changed, first);
  return joined(first, makeSecond(changed));
}

/// Inserts a layer of `type` before `layer`. The new layer takes over the inputs of `layer`. The
/// first argument of the edit is the new name.
ProjectEdit insertBeforeEdit(const Json& document, const std::string& type, const Layer& layer) {
  const LayerList list = listOf(layer);
  const Json& json = document.at(Json::json_pointer(layer.pointer));
  ProjectEdit edit = addLayerEdit(document, type, layer.index, list);
  const std::string name = edit.arguments[0].text();
  const std::vector<std::string> selected = edit.layers;
  if (json.contains("inputs")) {
    edit = after(document, edit, [&](const Json& changed) {
      return connectEdit(changed, LayerRef(layer.index), layer.inputs, list);
    });
    edit = after(document, edit, [&](const Json& changed) {
      return connectEdit(changed, LayerRef(layer.index + 1), {name}, list);
    });
  }
  edit.layers = selected;
  return edit;
}

class FixProposer {
 public:
  FixProposer(const Project& project, const Model& model, const ModelSummary& summary,
              int64_t batchSize)
      : m_project(project), m_model(model), m_summary(summary), m_batchSize(batchSize) {}

  void propose(Diagnostic& problem) {
    if (m_trials >= kMaxTrials || !find(problem.layer)) return;
    m_problem = &problem;
    m_trialsBefore = m_trials;
    try {
      if (problem.code == "missing_input") {
        proposeInput();
      }
      else if (m_layer->inputs.size() == 1) {
        proposeReshaping();
      }
      else if (m_layer->inputs.size() > 1) {
        proposeEqualShapes();
      }
    }
    catch (const Error&) {
      // Edits fail if they cannot find a layer. Another problem reports the reason, such as a
      // missing name.
    }
  }

 private:
  /// Finds the layer with this path, the list that contains it, and the summaries of that list.
  /// Returns false if there is no layer of a known type.
  bool find(const std::string& path) {
    m_scope = &m_model;
    m_rows = &m_summary.layers;
    for (size_t begin = 0;;) {
      const size_t end = path.find('/', begin);
      const std::string name = path.substr(begin, end - begin);
      const auto found = std::find_if(m_scope->drafts.begin(), m_scope->drafts.end(),
                                      [&](const Layer& layer) { return layer.name == name; });
      if (found == m_scope->drafts.end() || !found->definition) return false;
      m_layer = &*found;
      if (end == std::string::npos) return true;
      const auto row = static_cast<size_t>(m_layer->index);
      if (!m_layer->inner || row >= m_rows->size()) return false;
      m_scope = m_layer->inner.get();
      m_rows = &(*m_rows)[row].inner;
      begin = end + 1;
    }
  }

  const Layer* siblingOf(const std::string& input) const {
    const std::string name = inputRefOf(input).layer;
    const auto found = std::find_if(m_scope->drafts.begin(), m_scope->drafts.end(),
                                    [&](const Layer& layer) { return layer.name == name; });
    return found == m_scope->drafts.end() ? nullptr : &*found;
  }

  std::optional<Shape> shapeOf(const std::string& input) const {
    const Layer* layer = siblingOf(input);
    if (!layer || inputRefOf(input).output != 0) return {};
    const auto row = static_cast<size_t>(layer->index);
    return row < m_rows->size() ? (*m_rows)[row].outputShape : std::nullopt;
  }

  bool mayTry() const {
    return m_trials < kMaxTrials && m_trials - m_trialsBefore < kMaxTrialsOfProblem;
  }

  bool solves(const ProjectEdit& edit) {
    ++m_trials;
    Json document = m_project.document();
    applyEdit(document, edit);
    const Project changed(std::move(document), m_project.path());
    Diagnostics problems;
    const Model model = parseModel(changed, problems);
    (void)summarizeModel(model, changed, m_batchSize, problems);
    return std::none_of(problems.begin(), problems.end(), [&](const Diagnostic& each) {
      const auto& touched = edit.layers;
      return each.severity == Severity::Error &&
             (each.layer == m_problem->layer ||
              std::find(touched.begin(), touched.end(), each.layer) != touched.end());
    });
  }

  /// Adds a fix if it solves the problem. Returns whether it was added.
  bool offer(Text label, Arguments arguments, ProjectEdit edit) {
    if (!mayTry() || !solves(edit)) return false;
    m_problem->fixes.push_back({label, std::move(arguments), std::move(edit)});
    return true;
  }

  /// Proposes a Flatten or Reshape before a layer with one input.
  void proposeReshaping() {
    const auto shape = shapeOf(m_layer->inputs[0]);
    if (!shape) return;
    const Json& document = m_project.document();
    const Text insert = STRATA_TEXT("problem", "Insert %1 before %2");
    if (shape->rank() >= 2 &&
        offer(insert, {"Flatten", m_layer->name}, insertBeforeEdit(document, "Flatten", *m_layer)))
      return;
    std::vector<Json> targets;
    if (shape->rank() == 0) targets.push_back(Json::array({1}));
    if (shape->rank() == 1) targets.push_back(Json::array({shape->dim(0), 1}));
    if (shape->rank() == 2) targets.push_back(Json::array({shape->dim(0), shape->dim(1), 1}));
    if (shape->rank() == 3) targets.push_back(Json::array({-1, shape->dim(2)}));
    for (const Json& target : targets) {
      const ProjectEdit inserted = insertBeforeEdit(document, "Reshape", *m_layer);
      const LayerList list = listOf(*m_layer);
      const ProjectEdit edit = after(document, inserted, [&](const Json& changed) {
        return setFieldEdit(changed, inserted.arguments[0].text(), "target_shape", target, list);
      });
      if (offer(STRATA_TEXT("problem", "Insert Reshape to %1 before %2"),
                {target.dump(), m_layer->name}, edit))
        return;
    }
  }

  /// Returns the chain of layers that computes an input, last layer first. The chain ends at a
  /// layer that does not have exactly one input.
  std::vector<const Layer*> chainOf(const std::string& input) const {
    std::vector<const Layer*> chain;
    const Layer* layer = siblingOf(input);
    while (layer && layer->definition && layer->fields && chain.size() < m_scope->drafts.size()) {
      chain.push_back(layer);
      if (layer->inputs.size() != 1) break;
      layer = siblingOf(layer->inputs[0]);
    }
    return chain;
  }

  /// Proposes changes that give all inputs of a merging layer the same shape.
  void proposeEqualShapes() {
    if (!haveOneRank()) return proposeFlatInputs();
    std::vector<std::vector<const Layer*>> chains;
    std::map<const Layer*, size_t> uses;
    for (const std::string& input : m_layer->inputs) {
      chains.push_back(chainOf(input));
      for (const Layer* layer : chains.back())
        ++uses[layer];
    }
    // Layers that all inputs share cannot cause a difference.
    for (auto& chain : chains)
      std::erase_if(chain, [&](const Layer* layer) { return uses[layer] == chains.size(); });
    const Edits padding = samePadding(chains);
    if (padding.isSet &&
        offer(STRATA_TEXT("problem", "Set padding of %1 to same"), {padding.names}, padding.edit))
      return;
    for (size_t from = 0; from < chains.size(); ++from) {
      for (size_t to = 0; to < chains.size(); ++to) {
        if (from == to) continue;
        const Edits size = sameSize(chains[to], m_layer->inputs[to], m_layer->inputs[from]);
        if (!size.isSet) continue;
        const Arguments arguments{size.field, size.names, size.value};
        if (offer(STRATA_TEXT("problem", "Set %1 of %2 to %3"), arguments, size.edit)) return;
        if (padding.isSet &&
            offer(STRATA_TEXT("problem", "Set %1 of %2 to %3 and padding of %4 to same"),
                  {size.field, size.names, size.value, padding.names},
                  joined(size.edit, padding.edit)))
          return;
      }
    }
  }

  bool haveOneRank() const {
    const auto rankOf = [&](const std::string& input) {
      const auto shape = shapeOf(input);
      return shape ? shape->rank() : -1;
    };
    const std::vector<std::string>& inputs = m_layer->inputs;
    return std::all_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
      return rankOf(input) == rankOf(inputs[0]);
    });
  }

  struct Edits {
    bool isSet = false;
    std::string names, field, value;
    ProjectEdit edit;
  };

  Edits samePadding(const std::vector<std::vector<const Layer*>>& chains) const {
    Edits result;
    std::set<const Layer*> done;
    for (const auto& chain : chains) {
      for (const Layer* layer : chain) {
        const auto padding = layer->fields->find("padding");
        if (padding == layer->fields->end() || *padding != "valid") continue;
        if (!done.insert(layer).second) continue;
        const ProjectEdit edit = setFieldEdit(m_project.document(), LayerRef(layer->index),
                                              "padding", Json("same"), listOf(*layer));
        result.edit = result.isSet ? joined(result.edit, edit) : edit;
        result.names += (result.isSet ? ", " : "") + layer->name;
        result.isSet = true;
      }
    }
    result.edit.layers = {m_problem->layer};
    return result;
  }

  /// Returns an edit of the layer that determines the last dimension of `input`. The edit makes
  /// this dimension equal to the last dimension of `wanted`.
  Edits sameSize(const std::vector<const Layer*>& chain, const std::string& input,
                 const std::string& wanted) const {
    const auto own = shapeOf(input), other = shapeOf(wanted);
    if (!own || !other || own->rank() == 0 || other->rank() == 0) return {};
    const int64_t size = other->dim(-1);
    if (own->dim(-1) == size) return {};
    for (const Layer* layer : chain) {
      for (const char* field : {"units", "filters"}) {
        if (!layer->definition->schema.field(field)) continue;
        Edits result;
        result.isSet = true;
        result.names = layer->name;
        result.field = field;
        result.value = std::to_string(size);
        result.edit = setFieldEdit(m_project.document(), LayerRef(layer->index), field, Json(size),
                                   listOf(*layer));
        result.edit.layers = {m_problem->layer};
        return result;
      }
    }
    return {};
  }

  /// Proposes a Flatten after each input with more than one dimension.
  void proposeFlatInputs() {
    const Json& document = m_project.document();
    const LayerList list = listOf(*m_layer);
    ProjectEdit edit;
    Json changed = document;
    std::vector<std::string> inputs = m_layer->inputs, names;
    int place = m_layer->index;
    for (std::string& input : inputs) {
      const auto shape = shapeOf(input);
      if (!shape) return;
      if (shape->rank() < 2) continue;
      const ProjectEdit add = addLayerEdit(changed, "Flatten", place++, list);
      applyEdit(changed, add);
      const ProjectEdit connect = connectEdit(changed, add.arguments[0].text(), {input}, list);
      applyEdit(changed, connect);
      edit = joined(names.empty() ? add : joined(std::move(edit), add), connect);
      names.push_back(add.arguments[0].text());
      input = names.back();
    }
    if (names.empty() || names.size() == inputs.size()) return;
    edit = joined(std::move(edit), connectEdit(changed, LayerRef(place), inputs, list));
    edit.layers = {m_problem->layer};
    offer(STRATA_TEXT("problem", "Insert %1 before %2"), {"Flatten", m_layer->name}, edit);
  }

  /// Proposes an earlier layer as an additional input. Tries layers with the shape of the first
  /// input before others, and nearer layers before distant ones.
  void proposeInput() {
    const LayerDef& definition = *m_layer->definition;
    std::vector<std::string> inputs = m_layer->inputs;
    if (definition.takes(inputs.size()) || inputs.empty()) return;
    const auto own = shapeOf(inputs[0]);
    std::vector<const Layer*> above;
    for (const Layer& layer : m_scope->drafts) {
      const bool isTaken = std::find(inputs.begin(), inputs.end(), layer.name) != inputs.end();
      if (layer.index < m_layer->index && !isTaken && !layer.name.empty()) above.push_back(&layer);
    }
    std::sort(above.begin(), above.end(),
              [](const Layer* a, const Layer* b) { return a->index > b->index; });
    // Layers with the same shape come first.
    std::stable_partition(above.begin(), above.end(),
                          [&](const Layer* layer) { return own && shapeOf(layer->name) == own; });
    for (const Layer* layer : above) {
      if (!mayTry()) return;
      std::vector<std::string> more = inputs;
      more.push_back(layer->name);
      ProjectEdit edit =
          connectEdit(m_project.document(), LayerRef(m_layer->index), more, listOf(*m_layer));
      if (offer(STRATA_TEXT("problem", "Add %1 as input"), {layer->name}, std::move(edit))) return;
    }
  }

  const Project& m_project;
  const Model& m_model;
  const ModelSummary& m_summary;
  const int64_t m_batchSize;
  int m_trials = 0, m_trialsBefore = 0;
  // State of the current problem
  Diagnostic* m_problem = nullptr;
  const Model* m_scope = nullptr;
  const std::vector<LayerSummary>* m_rows = nullptr;
  const Layer* m_layer = nullptr;
};

}  // namespace

std::vector<Fix> flattenFixes(const Json& document, const Model& model, const ModelSummary& summary,
                              const Layer& output, const Layer* dense, int64_t units,
                              const char* activation) {
  const auto rankOf = [&](const Layer* layer) {
    const auto row = layer ? static_cast<size_t>(layer->index) : summary.layers.size();
    if (row >= summary.layers.size() || !summary.layers[row].outputShape) return 0;
    return summary.layers[row].outputShape->rank();
  };
  try {
    if (dense && dense->inputs.size() == 1 && rankOf(model.find(dense->inputs[0])) > 1) {
      ProjectEdit edit = insertBeforeEdit(document, "Flatten", *dense);
      if (dense->fields->at("units") != units) {
        edit = after(document, edit, [&](const Json& changed) {
          return setFieldEdit(changed, LayerRef(dense->index + 1), "units", Json(units));
        });
      }
      return {{STRATA_TEXT("problem", "Insert %1 before %2"), {"Flatten", dense->name}, edit}};
    }
    const int end = output.index + 1;
    if (dense || static_cast<size_t>(end) != model.drafts.size()) return {};
    const LayerRef last(end + 1);
    ProjectEdit edit = addLayerEdit(document, "Flatten", end);
    const auto add = [&](const std::function<ProjectEdit(const Json&)>& make) {
      edit = after(document, edit, make);
    };
    add([&](const Json& changed) { return addLayerEdit(changed, "Dense", end + 1); });
    add([&](const Json& changed) { return setFieldEdit(changed, last, "units", Json(units)); });
    if (*activation != 0)
      add([&](const Json& changed) {
        return setFieldEdit(changed, last, "activation", Json(activation));
      });
    return {{STRATA_TEXT("problem", "Add Flatten and Dense with %1 units"),
             {std::to_string(units)},
             std::move(edit)}};
  }
  catch (const Error&) {
    return {};
  }
}

void proposeShapeFixes(const Project& project, const Model& model, const ModelSummary& summary,
                       int64_t batchSize, Diagnostics& diagnostics) {
  if (model.expandedLayers > kMaxLayersTried) return;
  FixProposer proposer(project, model, summary, batchSize);
  for (Diagnostic& each : diagnostics) {
    const bool isOfInputs =
        each.field == "inputs" && (each.code == "shape_mismatch" || each.code == "missing_input");
    if (each.fixes.empty() && isOfInputs) proposer.propose(each);
  }
}

}  // namespace strata
