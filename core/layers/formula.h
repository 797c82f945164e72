// SPDX-License-Identifier: Apache-2.0
// Parses a formula into ops. A formula has numbers, names, + - * / ^, comparisons and element-wise
// functions.
// Not here: a programming language; formulas have no assignments, loops or imports.
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// Describes an error in a formula. `place` is the position of the error in bytes, counted from 1.
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

/// Returns the names of the functions that a formula may call.
const std::vector<std::string>& formulaFunctions();
/// Appends the ops of a formula to the graph and returns the result. `value` returns the value of a
/// name, or an invalid value if the name is unknown. Throws FormulaProblem.
ValueId appendFormula(Graph& graph, const std::string& text,
                      const std::function<ValueId(const std::string&)>& value);

}  // namespace strata
