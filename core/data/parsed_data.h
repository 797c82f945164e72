// SPDX-License-Identifier: Apache-2.0
// The section `data` of a project, parsed and checked, together with what the network needs of its
// data. Not here: reading samples (read_dataset.h).
// Thread: a value type. The functions are pure.
#pragma once

#include <string>

#include <nlohmann/json.hpp>

#include "core/data/data_needs.h"
#include "core/data/selection.h"
#include "core/data/source.h"
#include "core/data/transforms.h"
#include "core/project/project.h"

namespace strata {

struct ParsedData {
  // Null if the source has an error
  const SourceDef* source = nullptr;
  // The source as an object of the project, and its checked fields with default values
  Json object, fields;
  // Folder of the project file
  std::string folder;
  DataNeeds needs;
  Selection selection;
  // "stop", "skip" or "replace"
  std::string onDamaged = "stop";
  TransformList transforms;

  /// Returns the argument for the functions of the source. It contains references to this object.
  SourceInput sourceInput() const {
    return {fields,
            object,
            folder,
            needs.inputs,
            needs.targets,
            needs.untrained,
            selection,
            onDamaged == "stop",
            onDamaged == "replace",
            needs.memoryLimitBytes,
            needs.inputShapes,
            needs.outputSize};
  }
};

/// Parses the section `data` of a project and adds its problems to `diagnostics`.
ParsedData parseData(const Project& project, const DataNeeds& needs, Diagnostics& diagnostics);

/// Parses the selection and the policy for damaged samples: everything except the source and the
/// transforms.
void parseSelection(const Json& data, ParsedData& result, Diagnostics& diagnostics);

/// Whether the project gives this field of the source as an object with entries by the name of an
/// Input layer or output. `object` is the source in the project.
bool isFieldByName(const SourceDef& source, const std::string& field, const Json& object);

}  // namespace strata
