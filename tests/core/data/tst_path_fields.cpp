// SPDX-License-Identifier: Apache-2.0
// Tests that schemas mark the fields that contain the path of a file or folder. Forms offer a file
// dialog for these fields.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/layers/schema.h"
#include "core/recipe/options.h"

using namespace strata;

TEST_CASE("path fields: schemas mark strings that are paths of files or folders") {
  const auto kindOf = [](const char* type, const char* field) {
    for (const Schema* schema : sourceSchemas())
      if (schema->type == type && schema->field(field)) return schema->field(field)->path;
    return PathKind::None;
  };
  for (const Schema* schema : sourceSchemas()) {
    CAPTURE(schema->type);
    for (const char* name : {"path", "test_path"}) {
      const FieldSchema* field = schema->field(name);
      if (field) CHECK(field->path != PathKind::None);
    }
  }
  CHECK(kindOf("csv", "path") == PathKind::File);
  CHECK(kindOf("idx", "images") == PathKind::File);
  CHECK(kindOf("image_folder", "path") == PathKind::Folder);
  CHECK(kindOf("csv", "label") == PathKind::None);
  CHECK(trainingSchema().field("initial_weights")->path == PathKind::File);
  const Json json = schemaToJson(*sourceSchemas()[0]);
  CHECK(json.contains("fields"));
}
