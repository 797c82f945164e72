// SPDX-License-Identifier: Apache-2.0
#include "core/verify/case_fields.h"

#include <nlohmann/json.hpp>

#include "core/recipe/schedules.h"
#include "core/verify/reference_case.h"
#include "gpu/base/error.h"

namespace strata {

std::string typeNameOf(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.value("type", std::string("?"));
}

namespace {

void requireTypes(const Json& layers) {
  for (const Json& layer : layers) {
    if (!findLayer(typeNameOf(layer))) throw MissingType{typeNameOf(layer)};
    if (layer.contains("layer") && !findLayer(typeNameOf(layer["layer"])))
      throw MissingType{typeNameOf(layer["layer"])};
    if (layer.contains("layers")) requireTypes(layer["layers"]);
  }
}

}  // namespace

void requireClean(const Diagnostics& diagnostics) {
  for (const Diagnostic& each : diagnostics)
    if (each.severity == Severity::Error || each.code == "unknown_field")
      throw Error(ErrorCode::InvalidProject, each.subject(), each.sentence());
}

Model modelOf(const Json& layers) {
  requireTypes(layers);
  Diagnostics diagnostics;
  Model model = parseModel(Project(Json{{"model", {{"layers", layers}}}}), diagnostics);
  requireClean(diagnostics);
  return model;
}

TypedFields typedFields(const Schema& schema, const Json& value, const std::string& what) {
  Diagnostics diagnostics;
  const Schema* const schemas[] = {&schema};
  const Json checked = checkTyped(schemas, what, value, "/" + what, "", diagnostics);
  requireClean(diagnostics);
  return {checked.at("type"), std::make_shared<const Json>(checked)};
}

void requireSchedules(const Json& value) {
  if (!value.is_object()) return;
  for (const char* key : {"learning_rate", "schedule"}) {
    const auto rate = value.find(key);
    if (rate == value.end() || rate->is_number()) continue;
    if (!findSchedule(typeNameOf(*rate))) throw MissingType{typeNameOf(*rate)};
    requireSchedules(*rate);
  }
}

}  // namespace strata
