// SPDX-License-Identifier: Apache-2.0
#include "core/model/named_outputs.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/project/text.h"

namespace strata {

void readNamedOutputs(const Json& part, Model& model, Diagnostics& diagnostics) {
  const auto given = part.find("outputs");
  if (given == part.end() || given->is_null()) return;
  const auto report = [&](const std::string& pointer, Text message, Arguments arguments) {
    diagnostics.push_back(
        {Severity::Error, "wrong_outputs", "", pointer, message, std::move(arguments), {}});
  };
  std::vector<std::string> names;
  const auto isNamed = [&](const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  if (given->is_array())
    for (const Json& each : *given) {
      const std::string pointer = "/model/outputs/" + std::to_string(names.size());
      if (!each.is_string()) break;
      const auto name = each.get<std::string>();
      if (std::none_of(model.drafts.begin(), model.drafts.end(),
                       [&](const Layer& layer) { return layer.name == name; }))
        return report(pointer,
                      STRATA_TEXT("problem",
                                  "outputs contains \"%1\", which does not exist (expected a layer "
                                  "of the network). Correct the name."),
                      {excerpt(name, 60)});
      if (isNamed(name))
        return report(
            pointer,
            STRATA_TEXT("problem", "outputs lists %1 twice (expected once). Remove one of them."),
            {name});
      names.push_back(name);
    }
  if (names.empty() || names.size() != given->size())
    return report(
        "/model/outputs",
        STRATA_TEXT(
            "problem",
            "outputs has the wrong type (expected a list of layer names, got %1). Correct it."),
        {excerpt(given->dump(), 60)});
  if (model.isConnected)
    for (const std::string& loose : model.outputs)
      if (!isNamed(loose))
        diagnostics.push_back({Severity::Error,
                               "several_outputs",
                               loose,
                               "",
                               STRATA_TEXT("problem",
                                           "no layer uses its output, and it is not an output of "
                                           "the network (expected %1). Connect it or remove it."),
                               {joinedNames(names)},
                               {}});
  model.outputs = std::move(names);
  model.namesOutputs = true;
}

}  // namespace strata
