// SPDX-License-Identifier: Apache-2.0
#include "core/layers/schema.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "core/project/text.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

// Values are computed in float32
constexpr double kMaxNumber = std::numeric_limits<float>::max();

std::string compact(const Json& json) {
  std::string text = printJson(json);
  text.pop_back();
  if (text.find('\n') != std::string::npos) text = json.dump();
  return excerpt(text, 60);
}

std::string numberText(double value) {
  return value == std::floor(value) && std::abs(value) <= 9.2e18
             ? std::to_string(static_cast<int64_t>(value))
             : compact(Json(value));
}

/// The schema of a field whose objects have only one type, and so need no "type".
const Schema* onlySchema(const FieldSchema& field) {
  const auto schemas = objectsOf(field);
  return field.type == FieldType::Object && schemas.size() == 1 ? schemas[0] : nullptr;
}

Text expectedType(const FieldSchema& field) {
  switch (field.type) {
    case FieldType::Integer:
      return field.choices.empty()
                 ? STRATA_TEXT("argument", "an integer")
                 : STRATA_TEXT("argument", "an integer or one of the allowed values");
    case FieldType::Number:
      return !field.objects ? STRATA_TEXT("argument", "a number")
                            : STRATA_TEXT("argument", "a number or an object with \"type\"");
    case FieldType::Boolean: return STRATA_TEXT("argument", "true or false");
    case FieldType::String: return STRATA_TEXT("argument", "a string");
    case FieldType::Choice: return STRATA_TEXT("argument", "one of the allowed values");
    case FieldType::IntegerPair:
      return STRATA_TEXT("argument", "an integer or a list of two integers");
    case FieldType::Shape:
    case FieldType::IntegerList: return STRATA_TEXT("argument", "a list of integers");
    case FieldType::NumberList:
      return field.isNested
                 ? STRATA_TEXT("argument", "numbers, or lists of numbers of equal length")
                 : STRATA_TEXT("argument", "a list of numbers");
    case FieldType::StringList: return STRATA_TEXT("argument", "a list of strings");
    case FieldType::IntegerOrList:
      switch (field.count) {
        case 1: return STRATA_TEXT("argument", "an integer");
        case 3: return STRATA_TEXT("argument", "an integer or a list of three integers");
        default: return STRATA_TEXT("argument", "an integer or a list of integers");
      }
    case FieldType::Margins:
      switch (field.count) {
        case 1: return STRATA_TEXT("argument", "an integer or a list of two integers");
        case 2:
          return STRATA_TEXT("argument",
                             "an integer, a list of two integers or a list of two pairs");
        default:
          return STRATA_TEXT("argument",
                             "an integer, a list of three integers or a list of three pairs");
      }
    case FieldType::Object:
      return onlySchema(field) ? STRATA_TEXT("argument", "an object")
                               : STRATA_TEXT("argument", "a name or an object with \"type\"");
    case FieldType::Layers: return STRATA_TEXT("argument", "a list of layers");
    case FieldType::Objects: return STRATA_TEXT("argument", "a list of objects");
  }
  return {};
}

class Checker {
 public:
  Checker(const FieldSchema& field, const std::string& where, const std::string& layer,
          Diagnostics& diagnostics)
      : m_field(field), m_where(where), m_layer(layer), m_diagnostics(diagnostics) {}

  Json check(const Json& value) {
    if (value.is_null() && m_field.isNullable) return value;
    switch (m_field.type) {
      case FieldType::Integer:
        if (value.is_string() &&
            std::find(m_field.choices.begin(), m_field.choices.end(),
                      value.get_ref<const std::string&>()) != m_field.choices.end())
          return value;
        return isInteger(value) && inRange(value) ? value : Json();
      case FieldType::Number:
        if (!m_field.registry.empty() && (value.is_object() || value.is_string()))
          return typed(value);
        return isNumber(value) && inRange(value) ? value : Json();
      case FieldType::Boolean: return value.is_boolean() ? value : wrongType(value);
      case FieldType::String: return value.is_string() ? value : wrongType(value);
      case FieldType::Choice: return choice(value);
      case FieldType::IntegerPair: return pair(value);
      case FieldType::Shape:
      case FieldType::IntegerList: return list(value, true);
      case FieldType::NumberList: return list(value, false);
      case FieldType::StringList: return strings(value);
      case FieldType::IntegerOrList: return integerOrList(value);
      case FieldType::Margins: return margins(value);
      case FieldType::Layers: return value.is_array() ? value : wrongType(value);
      case FieldType::Objects: return value;
      case FieldType::Object: return typed(value);
    }
    return {};
  }

 private:
  void report(const char* code, Text message, Arguments arguments, std::vector<Fix> fixes) {
    m_diagnostics.push_back({Severity::Error, code, m_layer,
                             m_layer.empty() ? m_where : m_field.name, message,
                             std::move(arguments), std::move(fixes)});
  }

  std::vector<Fix> defaultFix() const {
    const std::string& json =
        m_field.defaultJson.empty() ? m_field.exampleJson : m_field.defaultJson;
    if (json.empty()) return {};
    return {setFix(m_where, Json::parse(json))};
  }

  Json wrongType(const Json& value) {
    report("wrong_type",
           STRATA_TEXT("problem", "%1 has the wrong type (expected %2, got %3). Correct it."),
           {m_field.name, expectedType(m_field), compact(value)}, defaultFix());
    return {};
  }

  bool isInteger(const Json& value) {
    if (value.is_number_integer()) return true;
    if (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
        !inRange(value))
      return false;
    if (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
        std::abs(value.get<double>()) < 1e15) {
      const std::string whole = numberText(value.get<double>());
      report("wrong_type",
             STRATA_TEXT("problem", "%1 has the wrong type (expected %2, got %3). Correct it."),
             {m_field.name, expectedType(m_field), compact(value)},
             m_field.type == FieldType::Integer
                 ? std::vector<Fix>{setFix(m_where, Json::parse(whole))}
                 : std::vector<Fix>{});
      return false;
    }
    wrongType(value);
    return false;
  }

  bool isNumber(const Json& value) {
    if (value.is_number()) return true;
    wrongType(value);
    return false;
  }

  bool inRange(const Json& value) {
    const double number = value.get<double>();
    const bool isWhole = m_field.type != FieldType::Number && m_field.type != FieldType::NumberList;
    const bool fixable = m_field.type == FieldType::Integer || m_field.type == FieldType::Number;
    if (m_field.minimum &&
        (number < *m_field.minimum || (m_field.isMinimumExclusive && number == *m_field.minimum))) {
      const std::string limit = numberText(*m_field.minimum);
      if (m_field.isMinimumExclusive) {
        report("out_of_range",
               STRATA_TEXT("problem",
                           "%1 is out of range (expected more than %2, got %3). Set it above %2."),
               {m_field.name, limit, compact(value)}, fixable ? defaultFix() : std::vector<Fix>{});
      }
      else {
        report(
            "out_of_range",
            STRATA_TEXT("problem",
                        "%1 is out of range (expected at least %2, got %3). Set it to %2 or more."),
            {m_field.name, limit, compact(value)},
            fixable ? std::vector<Fix>{setFix(m_where, Json::parse(limit))} : std::vector<Fix>{});
      }
      return false;
    }
    if (!m_field.minimum && !isWhole && number < -kMaxNumber) {
      report(
          "out_of_range",
          STRATA_TEXT("problem",
                      "%1 is out of range (expected at least %2, got %3). Set it to %2 or more."),
          {m_field.name, numberText(-kMaxNumber), compact(value)}, {});
      return false;
    }
    const double most = m_field.maximum.value_or(isWhole ? 9.2e18 : kMaxNumber);
    if (number > most || (m_field.isMaximumExclusive && number == most)) {
      const std::string limit = numberText(most);
      if (m_field.isMaximumExclusive) {
        report("out_of_range",
               STRATA_TEXT("problem",
                           "%1 is out of range (expected less than %2, got %3). Set it below %2."),
               {m_field.name, limit, compact(value)}, fixable ? defaultFix() : std::vector<Fix>{});
      }
      else {
        report(
            "out_of_range",
            STRATA_TEXT("problem",
                        "%1 is out of range (expected at most %2, got %3). Set it to %2 or less."),
            {m_field.name, limit, compact(value)},
            fixable ? std::vector<Fix>{setFix(m_where, Json::parse(limit))} : std::vector<Fix>{});
      }
      return false;
    }
    return true;
  }

  Json choice(const Json& value) {
    if (!value.is_string()) return wrongType(value);
    const std::string& name = value.get_ref<const std::string&>();
    if (std::find(m_field.choices.begin(), m_field.choices.end(), name) != m_field.choices.end())
      return value;
    std::string expected;
    for (const auto& each : m_field.choices)
      expected += (expected.empty() ? "" : ", ") + each;
    std::vector<Fix> fixes;
    if (const std::string nearest = nearestName(name, m_field.choices); !nearest.empty())
      fixes.push_back(setFix(m_where, nearest));
    report("unknown_choice",
           STRATA_TEXT(
               "problem",
               "%1 has an unknown value (expected one of: %3, got \"%2\"). Choose one of them."),
           {m_field.name, name, expected}, std::move(fixes));
    return {};
  }

  Json pair(const Json& value) {
    if (value.is_number()) return isInteger(value) && inRange(value) ? value : Json();
    if (!value.is_array() || value.size() != 2) return wrongType(value);
    for (const Json& item : value)
      if (!isInteger(item) || !inRange(item)) return {};
    return value;
  }

  Json typed(const Json& value) {
    const bool isLayer = m_field.registry == "layer";
    Json named = value;
    std::vector<std::string> alsoKnown{"type"};
    if (isLayer) alsoKnown.emplace_back("name");
    if (const Schema* only = onlySchema(m_field)) {
      if (!value.is_object()) return wrongType(value);
      // A different "type" is reported as an unknown field
      if (value.contains("type") && value["type"] != only->type) alsoKnown.clear();
      named["type"] = only->type;
    }
    Json* type = nullptr;
    if (value.is_string())
      type = &named;
    else if (value.is_object() && value.contains("type"))
      type = &named["type"];
    if (type && type->is_string())
      *type = fullObjectName(m_field.registry, type->get<std::string>());
    Json result = checkTyped(objectsOf(m_field), m_field.registry, named, m_where, m_layer,
                             m_diagnostics, alsoKnown);
    if (isLayer && result.is_object() && value.is_object() && value.contains("name")) {
      if (!isLayerName(value["name"])) {
        report(
            "invalid_name",
            STRATA_TEXT(
                "problem",
                "%1 has an invalid name (expected text without '/' or ':', got %2). Correct it."),
            {m_field.name, compact(value["name"])}, {});
        return {};
      }
      result["name"] = value["name"];
    }
    return result;
  }

  static bool isLayerName(const Json& name) {
    if (!name.is_string() || name.get_ref<const std::string&>().empty()) return false;
    const std::string& text = name.get_ref<const std::string&>();
    return std::none_of(text.begin(), text.end(), [](char c) {
      return c == '/' || c == ':' || (c >= 0 && c < ' ') || c == 0x7F;
    });
  }

  Json strings(const Json& value) {
    if (value.is_string() && m_field.count == 1) return Json::array({value});
    if (!value.is_array() ||
        !std::all_of(value.begin(), value.end(), [](const Json& item) { return item.is_string(); }))
      return wrongType(value);
    return value;
  }

  Json integerOrList(const Json& value) {
    if (value.is_number()) return isInteger(value) && inRange(value) ? value : Json();
    if (!value.is_array() || value.empty() ||
        (m_field.count > 0 && value.size() != static_cast<size_t>(m_field.count)))
      return wrongType(value);
    if (!m_field.hasNullItems) return list(value, true);
    Json known = value;
    for (Json& item : known)
      if (item.is_null())
        item = -1;
      else if (!isInteger(item) || !inRange(item))
        return {};
    return known;
  }

  /// Returns one pair per axis, whichever form was given.
  Json margins(const Json& value) {
    const auto count = static_cast<size_t>(m_field.count);
    const auto isWhole = [&](const Json& item) {
      return isInteger(item) && inRange(item);
    };
    Json result = Json::array();
    if (value.is_number()) {
      if (!isWhole(value)) return {};
      for (size_t i = 0; i < count; ++i)
        result.push_back({value, value});
      return result;
    }
    if (!value.is_array()) return wrongType(value);
    // Before and after
    if (count == 1 && value.size() == 2 && value[0].is_number()) {
      for (const Json& item : value)
        if (!isWhole(item)) return {};
      result.push_back(value);
      return result;
    }
    if (value.size() != count) return wrongType(value);
    for (const Json& item : value) {
      if (item.is_array() ? item.size() != 2 : !item.is_number()) return wrongType(value);
      const Json pairOf = item.is_array() ? item : Json::array({item, item});
      for (const Json& cells : pairOf)
        if (!isWhole(cells)) return {};
      result.push_back(pairOf);
    }
    return result;
  }

  Json list(const Json& value, bool isWhole) {
    // One number counts as a list of one
    if (!isWhole && value.is_number()) return list(Json::array({value}), false);
    if (!value.is_array()) return wrongType(value);
    if (m_field.type == FieldType::Shape && value.size() > kMaxRank - 1) {
      report("out_of_range",
             STRATA_TEXT("problem",
                         "%1 has %2 dimensions (expected at most %3). Use fewer dimensions."),
             {m_field.name, std::to_string(value.size()), std::to_string(kMaxRank - 1)}, {});
      return {};
    }
    if (const auto sizes = sizesOfLists(value);
        m_field.isNested && (!sizes || sizes->size() > kMaxRank))
      return wrongType(value);
    for (const Json& item : value) {
      if (m_field.isNested && item.is_array()) {
        if (list(item, isWhole).is_null()) return {};
      }
      else if (!(isWhole ? isInteger(item) : isNumber(item)) || !inRange(item)) {
        return {};
      }
    }
    return value;
  }

  const FieldSchema& m_field;
  const std::string& m_where;
  const std::string& m_layer;
  Diagnostics& m_diagnostics;
};

std::vector<std::string> fieldNames(const Schema& schema) {
  std::vector<std::string> names;
  for (const auto& field : schema.fields)
    names.push_back(field.name);
  return names;
}

}  // namespace

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

Json checkField(const FieldSchema& field, const Json& value, const std::string& where,
                const std::string& layer, Diagnostics& diagnostics) {
  return Checker(field, where, layer, diagnostics).check(value);
}

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
  if (!object.is_object()) return result;
  std::vector<std::string> known = fieldNames(schema);
  known.insert(known.end(), alsoKnown.begin(), alsoKnown.end());
  for (const auto& [key, value] : object.items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string pointer = where + "/" + escapedKey(key);
    const Fix remove{STRATA_TEXT("problem", "Remove %1"),
                     {key},
                     {STRATA_TEXT("edit", "Remove %1"),
                      {key},
                      {{EditOperation::Kind::Remove, pointer, {}, 0}},
                      {}}};
    const std::string nearest = nearestName(key, known);
    if (nearest.empty()) {
      diagnostics.push_back(
          {Severity::Warning,
           "unknown_field",
           layer,
           layer.empty() ? pointer : key,
           STRATA_TEXT("problem", "%1 is not a field of %2 and has no effect. Remove it."),
           {key, schema.type},
           {remove}});
    }
    else {
      const Fix rename{STRATA_TEXT("problem", "Rename %1 to %2"),
                       {key, nearest},
                       {STRATA_TEXT("edit", "Rename %1 to %2"),
                        {key, nearest},
                        {{EditOperation::Kind::Remove, pointer, {}, 0},
                         {EditOperation::Kind::Set, where + "/" + nearest, value.dump(), 0}},
                        {}}};
      diagnostics.push_back(
          {Severity::Warning,
           "unknown_field",
           layer,
           layer.empty() ? pointer : key,
           STRATA_TEXT("problem", "%1 is not a field of %2 and has no effect. Did you mean %3?"),
           {key, schema.type, nearest},
           object.contains(nearest) ? std::vector<Fix>{remove} : std::vector<Fix>{rename, remove}});
    }
  }
  return result;
}

Json checkTyped(std::span<const Schema* const> schemas, const std::string& what, const Json& value,
                const std::string& where, const std::string& layer, Diagnostics& diagnostics,
                const std::vector<std::string>& alsoKnown) {
  const size_t slash = where.rfind('/');
  const std::string field = layer.empty() ? where : where.substr(slash + 1);
  // Whether the value is an element of a list
  const bool isPlace = where.find_first_not_of("0123456789", slash + 1) == std::string::npos;
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
                  {isPlace ? "a " + what : where.substr(slash + 1), compact(value)});
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
    // A fix cannot point inside a plain name
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

std::vector<const Schema*> schemasOf(const FieldSchema& field) {
  std::vector<const Schema*> schemas;
  for (const Schema* schema : objectsOf(field))
    if (field.choices.empty() ||
        std::ranges::find(field.choices, schema->type) != field.choices.end())
      schemas.push_back(schema);
  return schemas;
}

}  // namespace strata
