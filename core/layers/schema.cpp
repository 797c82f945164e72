// SPDX-License-Identifier: Apache-2.0
#include "core/layers/schema.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/project/text.h"

namespace strata {

std::optional<std::vector<int64_t>> sizesOfLists(const Json& value) {
  if (!value.is_array()) return std::vector<int64_t>{};
  std::vector<int64_t> sizes{static_cast<int64_t>(value.size())};
  for (size_t i = 0; i < value.size(); ++i) {
    const auto inner = sizesOfLists(value[i]);
    if (i == 0 && inner) sizes.insert(sizes.end(), inner->begin(), inner->end());
    if (!inner || !std::equal(inner->begin(), inner->end(), sizes.begin() + 1, sizes.end()))
      return std::nullopt;
  }
  return sizes;
}

std::string escapedKey(const std::string& key) {
  std::string result;
  for (const char c : key) {
    if (c == '~')
      result += "~0";
    else if (c == '/')
      result += "~1";
    else
      result += c;
  }
  return result;
}

std::string_view fieldTypeName(FieldType type) {
  switch (type) {
    case FieldType::Integer: return "integer";
    case FieldType::Number: return "number";
    case FieldType::Boolean: return "boolean";
    case FieldType::String: return "string";
    case FieldType::Choice: return "choice";
    case FieldType::IntegerPair: return "integer_pair";
    case FieldType::Shape: return "shape";
    case FieldType::IntegerList: return "integer_list";
    case FieldType::NumberList: return "number_list";
    case FieldType::StringList: return "string_list";
    case FieldType::IntegerOrList: return "integer_or_list";
    case FieldType::Margins: return "margins";
    case FieldType::Object: return "object";
    case FieldType::Layers: return "layers";
    case FieldType::Objects: return "objects";
  }
  return "";
}

const FieldSchema* Schema::field(std::string_view name) const {
  for (const auto& each : fields)
    if (each.name == name) return &each;
  return nullptr;
}

std::vector<const Schema*> schemasOf(const FieldSchema& field) {
  std::vector<const Schema*> schemas;
  for (const Schema* schema : objectsOf(field))
    if (field.choices.empty() ||
        std::ranges::find(field.choices, schema->type) != field.choices.end())
      schemas.push_back(schema);
  return schemas;
}

Json schemaToJson(const Schema& schema) {
  Json result = {{"type", schema.type},
                 {"group", schema.group},
                 {"help", formatText(schema.help)},
                 {"formula", schema.formula},
                 {"source", schema.source}};
  Json fields = Json::array();
  for (const auto& field : schema.fields) {
    Json entry = {{"name", field.name}, {"type", std::string(fieldTypeName(field.type))}};
    entry["default"] = field.defaultJson.empty() ? Json() : Json::parse(field.defaultJson);
    entry["required"] = field.defaultJson.empty();
    Json range = nullptr;
    if (field.minimum || field.maximum) {
      range = Json::object();
      if (field.minimum)
        range[field.isMinimumExclusive ? "greater_than" : "minimum"] = *field.minimum;
      if (field.maximum) range[field.isMaximumExclusive ? "less_than" : "maximum"] = *field.maximum;
    }
    entry["range"] = std::move(range);
    entry["nullable"] = field.isNullable;
    Json choices = Json::array();
    if (field.type == FieldType::Object || field.type == FieldType::Objects)
      for (const Schema* each : schemasOf(field))
        choices.push_back(each->type);
    else
      for (const auto& choice : field.choices)
        choices.push_back(choice);
    entry["choices"] = std::move(choices);
    if (!field.registry.empty()) entry["registry"] = field.registry;
    if (field.isLive) entry["live"] = true;
    if (field.count > 0) entry["count"] = field.count;
    if (field.path != PathKind::None)
      entry["path"] = field.path == PathKind::File ? "file" : "folder";
    entry["unit"] = field.unit;
    entry["title"] = formatText(field.title);
    entry["help"] = formatText(field.help);
    fields.push_back(std::move(entry));
  }
  result["fields"] = std::move(fields);
  return result;
}

}  // namespace strata
