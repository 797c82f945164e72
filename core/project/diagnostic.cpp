// SPDX-License-Identifier: Apache-2.0
#include "core/project/diagnostic.h"

#include <algorithm>

#include <nlohmann/json.hpp>

namespace strata {

namespace {

/// Returns the value as a user would write it.
std::string shown(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

Fix setFix(const std::string& pointer, const Json& value) {
  const std::string name = pointer.substr(pointer.rfind('/') + 1);
  return {STRATA_TEXT("problem", "Set %1 to %2"),
          {name, shown(value)},
          {STRATA_TEXT("edit", "Set %1"), {name}, {setOperation(pointer, value)}, {}}};
}

Fix setFieldFix(const std::string& layer, const std::string& field, const Json& value,
                const std::string& pointer) {
  return {STRATA_TEXT("problem", "Set %1 to %2"),
          {field, shown(value)},
          {STRATA_TEXT("edit", "Set %1 of %2"),
           {field, layer},
           {setOperation(pointer, value)},
           {layer}}};
}

Fix changeFix(const std::string& pointer, const std::string& name, const std::string& nearest) {
  return {STRATA_TEXT("problem", "Change %1 to %2"),
          {name, nearest},
          {STRATA_TEXT("edit", "Set %1"), {name}, {setOperation(pointer, nearest)}, {}}};
}

std::string Diagnostic::subject() const {
  if (!layer.empty()) return layer;
  if (field.size() > 1 && field[0] == '/') {
    const size_t last = field.rfind('/');
    return last > 0 ? field.substr(1, last - 1) : field.substr(1);
  }
  return "project";
}

std::string Diagnostic::sentence() const {
  std::string result = formatText(message, arguments);
  for (Phrase outer : around) {
    outer.arguments.push_back(std::move(result));
    result = formatText(outer.text, outer.arguments);
  }
  return result;
}

std::string Diagnostic::line() const { return subject() + ": " + sentence(); }

bool hasErrors(const Diagnostics& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& each) { return each.severity == Severity::Error; });
}

}  // namespace strata
