// SPDX-License-Identifier: Apache-2.0
#include "core/layers/objects.h"

#include "core/layers/layer.h"
#include "core/train/schedules.h"

namespace strata {

namespace {

/// Layers that another one may hold: not Input and Block, which are read as networks are.
std::span<const Schema* const> wrappableSchemas() {
  static const std::vector<const Schema*> schemas = [] {
    std::vector<const Schema*> result;
    for (const LayerDef* definition : allLayers())
      if (definition->minInputs > 0 && definition->schema.type != "Block") result.push_back(&definition->schema);
    return result;
  }();
  return schemas;
}

}  // namespace

std::span<const Schema* const> objectSchemas(std::string_view registry) {
  if (registry == "activation") return activationSchemas();
  if (registry == "initializer") return initializerSchemas();
  if (registry == "regularizer") return regularizerSchemas();
  if (registry == "constraint") return constraintSchemas();
  if (registry == "schedule") return schedulePointers();
  if (registry == "layer") return wrappableSchemas();
  return {};
}

}  // namespace strata
