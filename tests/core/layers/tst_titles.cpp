// SPDX-License-Identifier: Apache-2.0
// Tests that all fields of layers and of the objects in them have titles, which the window
// translates.
#include <doctest/doctest.h>

#include "core/layers/layer.h"
#include "core/layers/objects.h"

using namespace strata;

TEST_CASE(
    "every field of a layer, activation, initializer, regularizer or constraint has a title") {
  std::vector<const Schema*> schemas;
  for (const LayerDef* definition : allLayers())
    schemas.push_back(&definition->schema);
  for (const auto& registry : {activationSchemas(), initializerSchemas(), regularizerSchemas(),
                               constraintSchemas(), renormClippingSchemas()})
    schemas.insert(schemas.end(), registry.begin(), registry.end());
  for (const Schema* schema : schemas)
    for (const FieldSchema& field : schema->fields) {
      CAPTURE(schema->type);
      CAPTURE(field.name);
      CHECK_FALSE(field.title.isEmpty());
    }
}
