// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/algorithms_option.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "gpu/base/nearest_name.h"

namespace strata {

void readAlgorithms(OptionReader& reader, const Project& project, ExecutionOptions& options) {
  const Json::json_pointer pointer("/execution/algorithms");
  if (!project.document().contains(pointer)) return;
  const Json& all = project.document().at(pointer);
  if (all.is_null()) return;
  const auto reportType = [&](const std::string& place, const std::string& name,
                              const Json& value) {
    reader.report("wrong_type", place,
                  STRATA_TEXT("problem",
                              "%1 has the wrong type (expected an algorithm by op and layer, such "
                              "as {\"conv1\": {\"conv2d\": \"eng5\"}}, got %2). Correct it, or "
                              "remove it."),
                  {name, excerpt(value.dump(), 60)},
                  {makeFix(STRATA_TEXT("problem", "Remove %1"), {name}, removeOperation(place))});
  };
  if (!all.is_object()) return reportType(pointer.to_string(), "algorithms", all);
  const std::vector<std::string> layers = projectNames(project, "layer_name");
  for (const auto& [layer, ops] : all.items()) {
    const std::string place = pointer.to_string() + "/" + escapedKey(layer);
    if (std::find(layers.begin(), layers.end(), layer) == layers.end()) {
      const std::string nearest = nearestName(layer, layers);
      reader.report(
          "unknown_layer", place,
          nearest.empty()
              ? STRATA_TEXT("problem",
                            "there is no layer \"%1\" (expected the name of a layer, such as "
                            "conv1 or block/conv1). Correct it.")
              : STRATA_TEXT("problem", "there is no layer \"%1\". Did you mean \"%2\"?"),
          {layer, nearest},
          {makeFix(STRATA_TEXT("problem", "Remove %1"), {layer}, removeOperation(place))});
      continue;
    }
    if (!ops.is_object()) {
      reportType(place, layer, ops);
      continue;
    }
    for (const auto& [op, algorithm] : ops.items())
      if (algorithm.is_string())
        options.algorithms[layer][op] = algorithm.get<std::string>();
      else
        reportType(place + "/" + escapedKey(op), op, algorithm);
  }
}

}  // namespace strata
