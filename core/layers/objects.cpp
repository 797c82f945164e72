// SPDX-License-Identifier: Apache-2.0
#include "core/layers/objects.h"

#include <algorithm>

#include "core/data/dataset.h"
#include "core/data/transforms.h"
#include "core/layers/layer.h"
#include "core/train/callbacks.h"
#include "core/train/losses.h"
#include "core/train/metrics.h"
#include "core/train/optimizers.h"
#include "core/train/run_edits.h"
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

std::vector<const Schema*> pointersTo(const std::vector<Schema>& schemas) {
  std::vector<const Schema*> result;
  for (const Schema& schema : schemas) result.push_back(&schema);
  return result;
}

}  // namespace

std::vector<const Schema*> schemasOf(const FieldSchema& field) {
  std::vector<const Schema*> schemas;
  for (const Schema* schema : objectSchemas(field.registry))
    if (field.choices.empty() || std::ranges::find(field.choices, schema->type) != field.choices.end()) schemas.push_back(schema);
  return schemas;
}

std::span<const Schema* const> objectSchemas(std::string_view registry) {
  if (registry == "activation") return activationSchemas();
  if (registry == "initializer") return initializerSchemas();
  if (registry == "regularizer") return regularizerSchemas();
  if (registry == "constraint") return constraintSchemas();
  if (registry == "schedule") return schedulePointers();
  if (registry == "loss") {
    static const std::vector<const Schema*> losses = schemasOf(allLosses());
    return losses;
  }
  if (registry == "optimizer") {
    static const std::vector<const Schema*> optimizers = schemasOf(allOptimizers());
    return optimizers;
  }
  if (registry == "source") {
    static const std::vector<Schema> schemas = dataSourceSchemas();
    static const std::vector<const Schema*> sources = pointersTo(schemas);
    return sources;
  }
  if (registry == "transform") {
    static const std::vector<Schema> schemas = transformSchemas();
    static const std::vector<const Schema*> transforms = pointersTo(schemas);
    return transforms;
  }
  if (registry == "metric") return metricPointers();
  if (registry == "callback") return callbackPointers();
  if (registry == "stage" || registry == "change") {
    static const Schema *const kStage = &stageSchema(), *const kChange = &changeSchema();
    return {registry == "stage" ? &kStage : &kChange, 1};
  }
  if (registry == "layer") return wrappableSchemas();
  if (registry == "renorm_clipping") {
    static const Schema* const kClipping = &renormClippingSchema();
    return {&kClipping, 1};
  }
  return {};
}

std::string wholeObjectName(std::string_view registry, const std::string& name) {
  using Names = std::map<std::string, std::string, std::less<>>;
  static const Names initializers{{"uniform", "random_uniform"}, {"normal", "random_normal"}, {"zero", "zeros"}, {"one", "ones"}},
      regularizers{{"l1l2", "l1_l2"}}, none;
  const Names& names = registry == "initializer" ? initializers : registry == "regularizer" ? regularizers : none;
  const auto found = names.find(name);
  return found == names.end() ? name : found->second;
}

}  // namespace strata
