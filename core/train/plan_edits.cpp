// SPDX-License-Identifier: Apache-2.0
#include "core/train/plan_edits.h"

#include <nlohmann/json.hpp>

namespace strata {

ProjectEdit useLimitEdit(const Json& document, int64_t bytes) {
  const std::string limit = std::to_string(bytes);
  ProjectEdit edit{STRATA_TEXT("edit", "Set the memory limit"), {}, {{EditOperation::Kind::Set, "/execution/memory_limit", limit, 0}}, {}};
  const Json::json_pointer recompute("/execution/recompute");
  if (document.contains(recompute) && document.at(recompute) == "none")
    edit.operations.push_back({EditOperation::Kind::Set, "/execution/recompute", "\"auto\"", 0});
  return edit;
}

ProjectEdit useRemedyEdit(const PlanRemedy& remedy) {
  const std::string value = std::to_string(remedy.value);
  ProjectEdit edit;
  if (remedy.what == "recompute") {
    edit.name = STRATA_TEXT("edit", "Recompute to fit the memory limit");
  } else if (remedy.what == "batch_size") {
    edit = {STRATA_TEXT("edit", "Set the batch size to %1"), {value}, {{EditOperation::Kind::Set, "/training/batch_size", value, 0}}, {}};
  } else {
    edit = {STRATA_TEXT("edit", "Cut batches into %1 pieces"),
            {value},
            {{EditOperation::Kind::Set, "/training/gradient_accumulation_steps", value, 0}},
            {}};
  }
  if (remedy.setsRecompute) edit.operations.push_back({EditOperation::Kind::Set, "/execution/recompute", "\"auto\"", 0});
  return edit;
}

}  // namespace strata
