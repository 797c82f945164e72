// SPDX-License-Identifier: Apache-2.0
// Checks all fields of an object against its schema. Finds the schema of an object with a "type".
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/field_text.h"
#include "core/layers/schema.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

std::vector<std::string> fieldNames(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields)
    names.push_back(field.name);
  return names;
}

/// Returns the problem of a field that the schema does not have. `nearest` is the known name that
/// it may be a misspelling of, or "".
Diagnostic unknownField(const Schema& schema, const Json& object, const std::string& key,
                        const std::string& nearest, const std::string& where,
                        const std::string& layer) {
  const std::string pointer = where + "/" + escapedKey(key);
  Diagnostic problem{
      Severity::Warning,
      "unknown_field",
      layer,
      layer.empty() ? pointer : key,
      STRATA_TEXT("problem", "%1 is not a field of %2 and has no effect. Remove it."),
      {key, schema.type},
      {}};
  if (!nearest.empty()) {
    problem.message =
        STRATA_TEXT("problem", "%1 is not a field of %2 and has no effect. Did you mean %3?");
    problem.arguments.push_back(nearest);
    if (!object.contains(nearest))
      problem.fixes.push_back(
          {STRATA_TEXT("problem", "Rename %1 to %2"),
           {key, nearest},
           {STRATA_TEXT("edit", "Rename %1 to %2"),
            {key, nearest},
            {{EditOperation::Kind::Remove, pointer, {}, 0},
             {EditOperation::Kind::Set, where + "/" + nearest, object[key].dump(), 0}},
            {}}});
  }
  problem.fixes.push_back({STRATA_TEXT("problem", "Remove %1"),
                           {key},
                           {STRATA_TEXT("edit", "Remove %1"),
                            {key},
                            {{EditOperation::Kind::Remove, pointer, {}, 0}},
                            {}}});
  return problem;
}

/// Reports the fields of an object that its schema does not have. After kMaxUnknown of them, the
/// rest is one problem, so that a file with a million takes little memory.
void reportUnknown(const Schema& schema, const Json& object, const std::string& where,
                   const std::string& layer, Diagnostics& diagnostics,
                   const std::vector<std::string>& alsoKnown) {
  constexpr int kMaxUnknown = 100;
  std::vector<std::string> known = fieldNames(schema);
  known.insert(known.end(), alsoKnown.begin(), alsoKnown.end());
  int64_t unknown = 0;
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    if (++unknown <= kMaxUnknown)
      diagnostics.push_back(
          unknownField(schema, object, key, nearestName(key, known), where, layer));
  }
  if (unknown > kMaxUnknown)
    diagnostics.push_back(
        {Severity::Warning,
         "unknown_field",
         layer,
         layer.empty() ? where : std::string(),
         STRATA_TEXT(
             "problem",
             "Unknown fields of %2 that are not listed: %1. They have no effect. Remove them."),
         {std::to_string(unknown - kMaxUnknown), schema.type},
         {}});
}

}  // namespace

Json checkFields(const Schema& schema, const Json& object, const std::string& where,
                 const std::string& layer, Diagnostics& diagnostics,
                 const std::vector<std::string>& alsoKnown) {
  Json result = Json::object();
  for (const auto& field : schema.fields) {
    const auto given = object.find(field.name);
    const std::string pointer = where + "/" + field.name;
    if (given != object.end()) {
      const size_t before = diagnostics.size();
      Json value = checkField(field, *given, pointer, layer, diagnostics);
      const bool isWrong =
          std::any_of(diagnostics.begin() + static_cast<std::ptrdiff_t>(before), diagnostics.end(),
                      [](const Diagnostic& each) { return each.severity == Severity::Error; });
      if (!isWrong) {
        result[field.name] = std::move(value);
        continue;
      }
    }
    else if (field.defaultJson.empty()) {
      std::vector<Fix> fixes;
      if (!field.exampleJson.empty())
        fixes.push_back(setFix(pointer, Json::parse(field.exampleJson)));
      diagnostics.push_back({Severity::Error,
                             "missing_field",
                             layer,
                             layer.empty() ? pointer : field.name,
                             STRATA_TEXT("problem", "%1 is missing (expected %2). Add it."),
                             {field.name, expectedType(field)},
                             std::move(fixes)});
      continue;
    }
    if (!field.defaultJson.empty()) {
      Diagnostics none;
      result[field.name] = checkField(field, Json::parse(field.defaultJson), pointer, layer, none);
    }
  }
  if (object.is_object()) reportUnknown(schema, object, where, layer, diagnostics, alsoKnown);
  return result;
}

Json checkTyped(std::span<const Schema* const> schemas, const std::string& what, const Json& value,
                const std::string& where, const std::string& layer, Diagnostics& diagnostics,
                const std::vector<std::string>& alsoKnown) {
  const size_t slash = where.rfind('/');
  const std::string field = layer.empty() ? where : where.substr(slash + 1);
  // In a list, the last part of the pointer is an index, so messages use `what` instead.
  const bool isInList = where.find_first_not_of("0123456789", slash + 1) == std::string::npos;
  const auto report = [&](const char* code, Text message, Arguments arguments,
                          std::vector<Fix> fixes = {}) {
    diagnostics.push_back(
        {Severity::Error, code, layer, field, message, std::move(arguments), std::move(fixes)});
    return Json();
  };
  Json object = Json::object();
  const bool isNamed = value.is_string();
  if (isNamed) {
    object["type"] = value;
  }
  else if (value.is_object() && value.contains("type") && value["type"].is_string()) {
    object = value;
  }
  else {
    return report("wrong_type",
                  STRATA_TEXT("problem",
                              "%1 has the wrong type (expected a name or an object with \"type\", "
                              "got %2). Correct it."),
                  {isInList ? "a " + what : where.substr(slash + 1), compactText(value)});
  }
  const std::string type = object["type"];
  std::vector<std::string> names;
  for (const Schema* schema : schemas) {
    if (schema->type != type) {
      names.push_back(schema->type);
      continue;
    }
    const size_t before = diagnostics.size();
    Json fields = checkFields(*schema, object, where, layer, diagnostics, alsoKnown);
    Json result = Json::object();
    result["type"] = type;
    for (auto& [key, member] : fields.items())
      result[key] = member;
    // A fix cannot point into a string.
    if (isNamed) {
      for (size_t i = before; i < diagnostics.size(); ++i)
        diagnostics[i].fixes.clear();
    }
    return result;
  }
  std::vector<Fix> fixes;
  const std::string nearest = nearestName(type, names);
  std::string expected;
  for (const auto& name : names)
    expected += (expected.empty() ? "" : ", ") + name;
  if (nearest.empty())
    return report(
        "unknown_type",
        STRATA_TEXT("problem", "there is no %1 \"%2\" (expected one of: %3). Choose one of them."),
        {what, type, expected});
  const std::string pointer = isNamed ? where : where + "/type";
  fixes.push_back(changeFix(pointer, type, nearest));
  return report(
      "unknown_type",
      STRATA_TEXT("problem",
                  "there is no %1 \"%2\" (expected a name such as \"%3\"). Did you mean \"%3\"?"),
      {what, type, nearest}, std::move(fixes));
}

}  // namespace strata
