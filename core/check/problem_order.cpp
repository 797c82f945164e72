// SPDX-License-Identifier: Apache-2.0
#include "core/check/problem_order.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/model/model.h"

namespace strata {

namespace {

/// The JSON pointer of a layer, and its position among all layers, including those in Blocks.
struct Place {
  size_t number = 0;
  std::string pointer;
};

void addPlaces(const Json& layers, const std::string& pointer, const std::string& prefix, int depth,
               std::map<std::string, Place, std::less<>>& places) {
  if (!layers.is_array() || depth > kMaxBlockDepth) return;
  for (size_t i = 0; i < layers.size(); ++i) {
    const Json& layer = layers[i];
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) continue;
    const std::string path = prefix + layer["name"].get<std::string>(),
                      own = pointer + "/" + std::to_string(i);
    places.emplace(path, Place{places.size(), own});
    if (layer.contains("type") && layer["type"] == "Block" && layer.contains("layers"))
      addPlaces(layer["layers"], own + "/layers", path + "/", depth + 1, places);
  }
}

}  // namespace

void orderByLayers(const Project& project, Diagnostics& diagnostics) {
  const Json& layers =
      project.document().contains("model") && project.document()["model"].contains("layers")
          ? project.document()["model"]["layers"]
          : Json::array();
  std::map<std::string, Place, std::less<>> places;
  addPlaces(layers, "/model/layers", "", 0, places);
  const auto placeOf = [&](const Diagnostic& each) {
    const auto found = places.find(each.layer);
    return found != places.end() ? found->second.number : places.size();
  };
  for (Diagnostic& each : diagnostics) {
    if (!each.pointer.empty()) continue;
    const auto found = places.find(each.layer);
    if (found == places.end())
      each.pointer = each.field;
    else
      each.pointer = each.field.empty() ? found->second.pointer
                                        : found->second.pointer + "/" + escapedKey(each.field);
  }
  std::stable_sort(
      diagnostics.begin(), diagnostics.end(),
      [&](const Diagnostic& a, const Diagnostic& b) { return placeOf(a) < placeOf(b); });
}

}  // namespace strata
