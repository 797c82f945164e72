// SPDX-License-Identifier: Apache-2.0
// Checks the value of one field and returns it in the form that readers expect.
#include <algorithm>
#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/layers/field_text.h"
#include "core/layers/objects.h"
#include "core/layers/schema.h"
#include "gpu/base/nearest_name.h"
#include "gpu/tensor/shape.h"

namespace strata {

namespace {

// Networks compute in float32, so larger values would become infinite.
constexpr double kMaxNumber = std::numeric_limits<float>::max();

class FieldChecker {
 public:
  FieldChecker(const FieldSchema& field, const std::string& where, const std::string& layer,
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
           {m_field.name, expectedType(m_field), compactText(value)}, defaultFix());
    return {};
  }

  /// Returns whether the value is an integer, and reports any other value. If the field is an
  /// Integer, the fix for a whole float such as 3.0 is 3.
  bool isInteger(const Json& value) {
    if (value.is_number_integer()) return true;
    if (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
        !inRange(value))
      return false;
    if (value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
        std::abs(value.get<double>()) < 1e15) {
      const std::string whole = plainNumber(value.get<double>());
      report("wrong_type",
             STRATA_TEXT("problem", "%1 has the wrong type (expected %2, got %3). Correct it."),
             {m_field.name, expectedType(m_field), compactText(value)},
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
      const std::string limit = plainNumber(*m_field.minimum);
      if (m_field.isMinimumExclusive) {
        report("out_of_range",
               STRATA_TEXT("problem",
                           "%1 is out of range (expected more than %2, got %3). Set it above %2."),
               {m_field.name, limit, compactText(value)},
               fixable ? defaultFix() : std::vector<Fix>{});
      }
      else {
        report(
            "out_of_range",
            STRATA_TEXT("problem",
                        "%1 is out of range (expected at least %2, got %3). Set it to %2 or more."),
            {m_field.name, limit, compactText(value)},
            fixable ? std::vector<Fix>{setFix(m_where, Json::parse(limit))} : std::vector<Fix>{});
      }
      return false;
    }
    if (!m_field.minimum && !isWhole && number < -kMaxNumber) {
      report(
          "out_of_range",
          STRATA_TEXT("problem",
                      "%1 is out of range (expected at least %2, got %3). Set it to %2 or more."),
          {m_field.name, plainNumber(-kMaxNumber), compactText(value)}, {});
      return false;
    }
    const double most = m_field.maximum.value_or(isWhole ? 9.2e18 : kMaxNumber);
    if (number > most || (m_field.isMaximumExclusive && number == most)) {
      const std::string limit = plainNumber(most);
      if (m_field.isMaximumExclusive) {
        report("out_of_range",
               STRATA_TEXT("problem",
                           "%1 is out of range (expected less than %2, got %3). Set it below %2."),
               {m_field.name, limit, compactText(value)},
               fixable ? defaultFix() : std::vector<Fix>{});
      }
      else {
        report(
            "out_of_range",
            STRATA_TEXT("problem",
                        "%1 is out of range (expected at most %2, got %3). Set it to %2 or less."),
            {m_field.name, limit, compactText(value)},
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
      // A "type" with another value is reported as an unknown field.
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
            {m_field.name, compactText(value["name"])}, {});
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
    Json result = value;
    for (Json& item : result)
      if (item.is_null())
        item = -1;
      else if (!isInteger(item) || !inRange(item))
        return {};
    return result;
  }

  /// Returns one pair [before, after] for each axis.
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
    // For a single axis, a list of two numbers has the margins before and after it.
    if (count == 1 && value.size() == 2 && value[0].is_number()) {
      for (const Json& item : value)
        if (!isWhole(item)) return {};
      result.push_back(value);
      return result;
    }
    if (value.size() != count) return wrongType(value);
    for (const Json& item : value) {
      if (item.is_array() ? item.size() != 2 : !item.is_number()) return wrongType(value);
      const Json margin = item.is_array() ? item : Json::array({item, item});
      for (const Json& elements : margin)
        if (!isWhole(elements)) return {};
      result.push_back(margin);
    }
    return result;
  }

  Json list(const Json& value, bool isWhole) {
    // Accepts a single number instead of a list with one element.
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

}  // namespace

Json checkField(const FieldSchema& field, const Json& value, const std::string& where,
                const std::string& layer, Diagnostics& diagnostics) {
  return FieldChecker(field, where, layer, diagnostics).check(value);
}

}  // namespace strata
