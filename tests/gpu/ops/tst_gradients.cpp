// SPDX-License-Identifier: Apache-2.0
// Compares the gradients of every row with central differences in double precision, and f32 with
// f64, on the reference kernels.
#include <doctest/doctest.h>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "tests/gpu/ops/op_rows.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("op_gradients");

namespace strata::test {

namespace {

/// Returns the sum of <dy, y> over all outputs. The tested gradients are its derivatives.
double objective(const RowRun& run, const NamedTensors& inputs) {
  const Evaluation result = evaluateGraph(run.graph, inputs, run.variables);
  double sum = 0;
  for (const auto& [name, tensor] : result.outputs)
    if (name.starts_with("y"))
      if (const auto seed = inputs.find("d" + name); seed != inputs.end())
        sum += dot(Array(tensor), Array(seed->second));
  return sum;
}

}  // namespace

TEST_CASE("gradients of every row agree with central differences") {
  for (const OpRow& row : opRows()) {
    if (!row.hasGradient) continue;
    CAPTURE(row.name);
    const RowRun run = makeRowRun(row, DType::F64, true);
    const Evaluation result = evaluateGraph(run.graph, run.inputs, run.variables);
    for (const std::string& name : run.differentiated) {
      CAPTURE(name);
      NamedTensors inputs = run.inputs;
      Array numeric(inputs.find(name)->second.shape());
      for (size_t i = 0; i < numeric.data.size(); ++i) {
        double& x = inputs.find(name)->second.as<double>()[i];
        const double saved = x;
        x = saved + row.step;
        const double above = objective(run, inputs);
        x = saved - row.step;
        numeric.data[i] = (above - objective(run, inputs)) / (2 * row.step);
        x = saved;
      }
      // If the gradient has no output, the gradient rule says that it is zero.
      const auto found = result.outputs.find("d" + name);
      const Array computed =
          found == result.outputs.end() ? Array(numeric.shape) : Array(found->second);
      CHECK(largestDifference(computed, numeric) <= row.gradientTolerance * scaleOf(numeric));
    }
  }
}

TEST_CASE("f32 agrees with f64 on every row, forward and backward") {
  for (const OpRow& row : opRows()) {
    CAPTURE(row.name);
    const RowRun narrow = makeRowRun(row, DType::F32, true),
                 wide = makeRowRun(row, DType::F64, true);
    const Evaluation a = evaluateGraph(narrow.graph, narrow.inputs, narrow.variables),
                     b = evaluateGraph(wide.graph, wide.inputs, wide.variables);
    const auto compare = [&](const NamedTensors& left, const NamedTensors& right) {
      REQUIRE(left.size() == right.size());
      for (const auto& [name, tensor] : left) {
        CAPTURE(name);
        const Array expected(right.find(name)->second);
        CHECK(largestDifference(Array(tensor), expected) <= row.floatTolerance * scaleOf(expected));
      }
    };
    compare(a.outputs, b.outputs);
    compare(a.variables, b.variables);
  }
}

TEST_CASE("equal operands of maximum share the gradient, and relu has no gradient at zero") {
  const auto gradientAt = [](const char* op, std::vector<double> a, std::vector<double> b,
                             Attributes attributes = {}) {
    OpRow row;
    row.operands = {{.shape = {static_cast<int64_t>(a.size())}, .dtype = {}, .values = a}};
    if (!b.empty())
      row.operands.push_back({.shape = {static_cast<int64_t>(b.size())}, .dtype = {}, .values = b});
    row.build = [&](Graph& g, const std::vector<ValueId>& x) {
      return g.node(g.addNode(opNamed(op), x, attributes)).outputs;
    };
    RowRun run = makeRowRun(row, DType::F64, true);
    for (double& seed : run.inputs.find("dy0")->second.as<double>())
      seed = 1;
    std::vector<std::vector<double>> result;
    for (const std::string& name : run.differentiated) {
      const Evaluation evaluation = evaluateGraph(run.graph, run.inputs, run.variables);
      const auto values = evaluation.outputs.find("d" + name)->second.as<double>();
      result.emplace_back(values.begin(), values.end());
    }
    return result;
  };
  using Rows = std::vector<std::vector<double>>;
  CHECK(gradientAt("maximum", {1, 2, 3}, {1, 5, 0}) == Rows{{0.5, 0, 1}, {0.5, 1, 0}});
  CHECK(gradientAt("minimum", {1, 2, 3}, {1, 5, 0}) == Rows{{0.5, 1, 0}, {0.5, 0, 1}});
  CHECK(gradientAt("activation", {-1, 0, 2}, {}, {{"kind", std::string("relu")}}) ==
        Rows{{0, 0, 1}});
  CHECK(gradientAt("reduce_max", {4, 1, 4}, {}, {{"axes", std::vector<int64_t>{0}}}) ==
        Rows{{0.5, 0, 0.5}});
}

}  // namespace strata::test

TEST_SUITE_END();
