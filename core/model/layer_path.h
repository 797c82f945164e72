// SPDX-License-Identifier: Apache-2.0
// The location of a layer: its position and name in the network's list, or in the list of each
// enclosing Block. A path also finds layers without a unique name. Thread: value types without
// shared state.
#pragma once

#include <string>
#include <vector>

#include "core/model/layer_edits.h"

namespace strata {

struct LayerPath {
  struct Step {
    int place = -1;
    std::string name;
    bool operator==(const Step&) const = default;
  };
  std::vector<Step> steps;

  /// Whether the path contains positions in addition to names.
  bool hasPlaces() const { return !steps.empty() && steps.back().place >= 0; }
  int place() const { return steps.empty() ? -1 : steps.back().place; }
  /// Returns the name that problems and edits use, such as "block/layer".
  std::string text() const {
    std::string result;
    for (size_t i = 0; i < steps.size(); ++i)
      result += (i == 0 ? "" : "/") + steps[i].name;
    return result;
  }
  /// Returns the list that contains the layer, as edits require it.
  LayerList list() const {
    LayerList result;
    for (size_t i = 0; i + 1 < steps.size(); ++i) {
      result.pointer += "/" + std::to_string(steps[i].place) + "/layers";
      result.prefix += steps[i].name + "/";
    }
    return result;
  }
  /// Returns a JSON pointer such as "/model/layers/3/layers/1".
  std::string pointer() const { return list().pointer + "/" + std::to_string(place()); }
  LayerPath inside(int place, std::string name) const {
    LayerPath result = *this;
    result.steps.push_back({place, std::move(name)});
    return result;
  }
  bool operator==(const LayerPath&) const = default;
};

}  // namespace strata
