// SPDX-License-Identifier: Apache-2.0
#include "core/model/diagnostic.h"

#include <algorithm>

namespace strata {

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
  return std::any_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& each) { return each.severity == Severity::Error; });
}

}  // namespace strata
