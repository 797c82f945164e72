// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/option_reader.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

namespace strata {

Fix makeFix(Text label, Arguments arguments, EditOperation operation) {
  ProjectEdit edit{label, arguments, {std::move(operation)}, {}};
  return {label, std::move(arguments), std::move(edit)};
}

/// Replaces a short name by the full name, as keras.losses.get() and keras.metrics.get() do: "mse"
/// becomes "mean_squared_error". Returns other names unchanged.
static std::string wholeName(std::string_view what, const std::string& name) {
  if (what != "loss" && what != "metric") return name;
  static const std::map<std::string, std::string, std::less<>> kShort{
      {"mse", "mean_squared_error"},
      {"mae", "mean_absolute_error"},
      {"mape", "mean_absolute_percentage_error"},
      {"msle", "mean_squared_logarithmic_error"},
      {"bce", "binary_crossentropy"},
      {"kld", "kl_divergence"}};
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  // Keras knows mse and MSE, but not Mse
  if (name != lower &&
      std::any_of(name.begin(), name.end(), [](char c) { return c >= 'a' && c <= 'z'; }))
    return name;
  if (what == "metric" && lower == "acc") return "accuracy";
  if (what == "metric" && lower == "kld") return name;
  const auto found = kShort.find(lower);
  return found == kShort.end() ? name : found->second;
}

void OptionReader::report(const char* code, std::string pointer, Text message, Arguments arguments,
                          std::vector<Fix> fixes, Severity severity) {
  m_diagnostics.push_back(
      {severity, code, "", std::move(pointer), message, std::move(arguments), std::move(fixes)});
}

TypedFields OptionReader::typed(std::span<const Schema* const> schemas, const std::string& what,
                                const Json& value, const std::string& pointer) {
  const Json* const type = value.is_object() && value.contains("type") ? &value["type"] : &value;
  const std::string given = type->is_string() ? type->get<std::string>() : std::string(),
                    whole = wholeName(what, given);
  if (whole != given) {
    Json full = value.is_object() ? value : Json(whole);
    if (full.is_object()) full["type"] = whole;
    TypedFields result = typed(schemas, what, full, pointer);
    result.name = given;
    return result;
  }
  const Json checked =
      checkTyped(schemas, what, value, pointer, "", m_diagnostics, {"type", "name"});
  if (!checked.is_object()) return {};
  return {checked.at("type").get<std::string>(), std::make_shared<const Json>(checked)};
}

}  // namespace strata
