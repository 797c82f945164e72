// SPDX-License-Identifier: Apache-2.0
#include "core/layers/objects.h"

#include "core/layers/layer.h"

namespace strata {

std::span<const Schema* const> wrappableSchemas() {
  static const std::vector<const Schema*> schemas = [] {
    std::vector<const Schema*> result;
    for (const LayerDef* definition : allLayers())
      if (definition->minInputs > 0 && definition->schema.type != "Block")
        result.push_back(&definition->schema);
    return result;
  }();
  return schemas;
}

std::string wholeObjectName(std::string_view registry, const std::string& name) {
  using Names = std::map<std::string, std::string, std::less<>>;
  static const Names initializers{{"uniform", "random_uniform"},
                                  {"normal", "random_normal"},
                                  {"zero", "zeros"},
                                  {"one", "ones"}},
      regularizers{{"l1l2", "l1_l2"}}, none;
  const Names* names = &none;
  if (registry == "initializer") names = &initializers;
  if (registry == "regularizer") names = &regularizers;
  const auto found = names->find(name);
  return found == names->end() ? name : found->second;
}

}  // namespace strata
