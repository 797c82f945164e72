// SPDX-License-Identifier: Apache-2.0
// Finds layers of a model by name, position and path.
#include <algorithm>

#include "core/model/model.h"

namespace strata {

namespace {

/// Returns the names of the layers in a path such as "block/3/layer/0/inner", without the numbers
/// of the repeats.
std::vector<std::string> namesIn(const std::string& graphLayer) {
  std::vector<std::string> names;
  size_t start = 0;
  for (bool isName = true; start <= graphLayer.size(); isName = !isName) {
    const size_t end = std::min(graphLayer.find('/', start), graphLayer.size());
    if (isName) names.push_back(graphLayer.substr(start, end - start));
    start = end + 1;
  }
  return names;
}

}  // namespace

const Layer* Model::find(std::string_view name) const {
  for (const auto& layer : layers)
    if (layer.name == name) return &layer;
  return nullptr;
}

const Layer* Model::at(int index) const {
  for (const auto& layer : layers)
    if (layer.index == index) return &layer;
  return nullptr;
}

std::string pathOfLayer(const std::string& graphLayer) {
  std::string path;
  for (const std::string& name : namesIn(graphLayer))
    path += (path.empty() ? "" : "/") + name;
  return path;
}

std::string rowOfLayer(const std::string& graphLayer) {
  return graphLayer.substr(0, graphLayer.find('/'));
}

const Layer& endOf(const Layer& layer) {
  const Layer* end = &layer;
  while (end->inner) {
    const auto& drafts = end->inner->drafts;
    const auto last =
        std::max_element(drafts.begin(), drafts.end(),
                         [](const Layer& a, const Layer& b) { return a.index < b.index; });
    if (last == drafts.end()) break;
    end = &*last;
  }
  return *end;
}

}  // namespace strata
