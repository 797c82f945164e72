// SPDX-License-Identifier: Apache-2.0
// Builds op rows and their operands.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "tests/gpu/ops/op_rows.h"

namespace strata::test {

using Values = std::vector<ValueId>;
using Ints = std::vector<int64_t>;
using Rows = std::vector<OpRow>;

/// Returns a row that builds one op with these attributes.
inline OpRow plain(std::string name, std::string op, std::vector<OperandSpec> operands,
                   Attributes attributes = {}) {
  return {std::move(name), std::move(operands), [op, attributes](Graph& g, const Values& x) {
            return g.node(g.addNode(opNamed(op), x, attributes)).outputs;
          }};
}

inline OpRow withoutGradient(OpRow row) {
  row.hasGradient = false;
  return row;
}

inline OperandSpec f(Shape shape, double low = -1, double high = 1, double margin = 0) {
  return {.shape = shape, .dtype = {}, .low = low, .high = high, .margin = margin};
}
inline OperandSpec distinct(Shape shape, double low = -2, double high = 2) {
  return {.shape = shape, .dtype = {}, .low = low, .high = high, .isDistinct = true};
}
inline OperandSpec integers(Shape shape, DType dtype, double low, double high) {
  return {.shape = shape, .dtype = dtype, .low = low, .high = high};
}
inline OperandSpec fixed(Shape shape, std::vector<double> values, bool isDifferentiated = true) {
  return {.shape = shape,
          .dtype = {},
          .values = std::move(values),
          .isDifferentiated = isDifferentiated};
}
inline OperandSpec scalarI64(double value) {
  return {.shape = {}, .dtype = DType::I64, .values = {value}};
}
inline OperandSpec state(Shape shape, double low = -1, double high = 1) {
  return {.shape = shape, .dtype = {}, .low = low, .high = high, .isState = true};
}

}  // namespace strata::test
