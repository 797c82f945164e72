// SPDX-License-Identifier: Apache-2.0
// A formula as people write it, read into ops: numbers, names, + - * / ^, comparisons, functions of
// elements. Not a language: nothing is assigned, repeated or loaded. Thread: pure.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// What is wrong with a formula, and where (from 1).
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

/// Names of the functions that a formula knows.
const std::vector<std::string>& formulaFunctions();
/// Appends the ops of a formula. `value` answers what a name stands for, invalid where it is
/// unknown. Fails: FormulaProblem.
ValueId appendFormula(Graph& graph, const std::string& text,
                      const std::function<ValueId(const std::string&)>& value);

}  // namespace strata
