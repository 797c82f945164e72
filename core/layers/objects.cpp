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

void addTitles(Schema& schema) {
  static const std::map<std::string, Text, std::less<>> titles{
      {"alpha", STRATA_TEXT("layers", "Alpha")},
      {"approximate", STRATA_TEXT("layers", "Approximate with tanh")},
      {"axis", STRATA_TEXT("layers", "Axis")},
      {"b", STRATA_TEXT("layers", "Smoothness")},
      {"default_value", STRATA_TEXT("layers", "Default value")},
      {"distribution", STRATA_TEXT("layers", "Distribution")},
      {"factor", STRATA_TEXT("layers", "Factor")},
      {"gain", STRATA_TEXT("layers", "Gain")},
      {"l1", STRATA_TEXT("layers", "L1 factor")},
      {"l2", STRATA_TEXT("layers", "L2 factor")},
      {"max_value", STRATA_TEXT("layers", "Maximum value")},
      {"maxval", STRATA_TEXT("layers", "Upper bound")},
      {"mean", STRATA_TEXT("layers", "Mean")},
      {"min_value", STRATA_TEXT("layers", "Minimum value")},
      {"minval", STRATA_TEXT("layers", "Lower bound")},
      {"mode", STRATA_TEXT("layers", "Mode")},
      {"negative_slope", STRATA_TEXT("layers", "Negative slope")},
      {"periodic", STRATA_TEXT("layers", "Periodic window")},
      {"rate", STRATA_TEXT("layers", "Rate")},
      {"scale", STRATA_TEXT("layers", "Scale")},
      {"scaling", STRATA_TEXT("layers", "Scaling")},
      {"seed", STRATA_TEXT("layers", "Seed")},
      {"side", STRATA_TEXT("layers", "Part")},
      {"stddev", STRATA_TEXT("layers", "Standard deviation")},
      {"threshold", STRATA_TEXT("layers", "Threshold")},
      {"value", STRATA_TEXT("layers", "Value")},
      {"window", STRATA_TEXT("layers", "Window")},
  };
  for (FieldSchema& field : schema.fields)
    if (const auto found = titles.find(field.name); found != titles.end())
      field.title = found->second;
}

std::vector<Schema> withTitles(std::vector<Schema> schemas) {
  for (Schema& schema : schemas)
    addTitles(schema);
  return schemas;
}

std::string fullObjectName(std::string_view registry, const std::string& name) {
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
