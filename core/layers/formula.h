// SPDX-License-Identifier: Apache-2.0
// Parses a formula into ops: numbers, names, + - * / ^, comparisons and element-wise functions. It
// is not a language: it has no assignments, loops or imports. Thread: pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// What is wrong with a formula, and at which character (from 1).
struct FormulaProblem {
  enum class Kind : uint8_t {
    Unexpected,
    UnknownName,
    UnknownFunction,
    WrongCount,
    TooLong
  } kind = Kind::Unexpected;
  size_t place = 0;
  std::string found, expected;
};

/// Names of the functions that a formula may call.
const std::vector<std::string>& formulaFunctions();
/// Appends the ops of a formula. `value` returns the value of a name, or an invalid one where the
/// name is unknown. Fails: FormulaProblem.
ValueId appendFormula(Graph& graph, const std::string& text,
                      const std::function<ValueId(const std::string&)>& value);

}  // namespace strata
