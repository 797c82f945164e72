// SPDX-License-Identifier: Apache-2.0
#include "core/train/plan_edits.h"

#include <nlohmann/json.hpp>

namespace strata {

namespace {

/// Adds operations to `edit` that allow recomputation if the project forbids it.
void allowRecompute(const Json& document, ProjectEdit& edit) {
  const Json::json_pointer recompute("/execution/recompute"),
      disabled("/execution/disabled_passes");
  if (document.contains(recompute) && document.at(recompute) == "none")
    edit.operations.push_back({EditOperation::Kind::Set, recompute.to_string(), "\"auto\"", 0});
  if (!document.contains(disabled) || !document.at(disabled).is_array()) return;
  Json passes = Json::array();
  for (const Json& pass : document.at(disabled))
    if (pass != Json("recompute")) passes.push_back(pass);
  if (passes.size() < document.at(disabled).size())
    edit.operations.push_back({EditOperation::Kind::Set, disabled.to_string(), passes.dump(), 0});
}

}  // namespace

std::string remedyText(const PlanRemedy& remedy) {
  const std::string pass = remedy.enablesPass ? " and the pass recompute enabled" : "";
  if (remedy.what == "recompute") return "recompute auto" + pass;
  return remedy.what + " " + std::to_string(remedy.value) +
         (remedy.recomputes ? " with recompute auto" + pass : "");
}

ProjectEdit useLimitEdit(const Json& document, int64_t bytes) {
  const std::string limit = std::to_string(bytes);
  ProjectEdit edit{STRATA_TEXT("edit", "Set the memory limit"),
                   {},
                   {{EditOperation::Kind::Set, "/execution/memory_limit", limit, 0}},
                   {}};
  allowRecompute(document, edit);
  return edit;
}

ProjectEdit pinAlgorithmEdit(const Json& document, const std::string& layer, const std::string& op,
                             const std::string& algorithm) {
  const std::string path = "/execution/algorithms";
  const Json::json_pointer pointer(path);
  Json all = Json::object();
  if (document.contains(pointer) && document.at(pointer).is_object()) all = document.at(pointer);
  if (!algorithm.empty()) {
    if (!all[layer].is_object()) all[layer] = Json::object();
    all[layer][op] = algorithm;
  }
  else if (const auto ops = all.find(layer); ops != all.end() && ops->is_object()) {
    ops->erase(op);
    if (ops->empty()) all.erase(layer);
  }
  ProjectEdit edit{algorithm.empty()
                       ? STRATA_TEXT("edit", "Choose the algorithm of %1 automatically")
                       : STRATA_TEXT("edit", "Choose %2 for %1"),
                   {op + " (" + layer + ")", algorithm},
                   {},
                   {layer}};
  edit.operations.push_back(all.empty() ? removeOperation(path) : setOperation(path, all));
  return edit;
}

ProjectEdit useRemedyEdit(const Json& document, const PlanRemedy& remedy) {
  const std::string value = std::to_string(remedy.value);
  ProjectEdit edit;
  if (remedy.what == "recompute") {
    edit.name = STRATA_TEXT("edit", "Recompute to fit the memory limit");
  }
  else if (remedy.what == "batch_size") {
    edit = {STRATA_TEXT("edit", "Set the batch size to %1"),
            {value},
            {{EditOperation::Kind::Set, "/training/batch_size", value, 0}},
            {}};
  }
  else {
    edit = {STRATA_TEXT("edit", "Split batches into %1 micro-batches"),
            {value},
            {{EditOperation::Kind::Set, "/training/gradient_accumulation_steps", value, 0}},
            {}};
  }
  if (remedy.setsRecompute) allowRecompute(document, edit);
  return edit;
}

}  // namespace strata
