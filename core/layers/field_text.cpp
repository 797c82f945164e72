// SPDX-License-Identifier: Apache-2.0
#include "core/layers/field_text.h"

#include <cmath>

#include <nlohmann/json.hpp>

namespace strata {

std::string compactText(const Json& json) {
  std::string text = printJson(json);
  text.pop_back();
  if (text.find('\n') != std::string::npos) text = json.dump();
  return excerpt(text, 60);
}

std::string plainNumber(double value) {
  return value == std::floor(value) && std::abs(value) <= 9.2e18
             ? std::to_string(static_cast<int64_t>(value))
             : compactText(Json(value));
}

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

}  // namespace strata
