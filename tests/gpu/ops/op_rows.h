// SPDX-License-Identifier: Apache-2.0
// One row per use of an op: operands and how to build it. The same rows run on every backend, in
// both float types, forward and backward, and through numeric differentiation. Add a row for each
// new op; tst_registry_walk fails without one. Thread: the table is constant.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/reference/evaluate.h"

namespace strata::test {

struct OperandSpec {
  Shape shape;
  // Absent: the float type of the run.
  std::optional<DType> dtype;
  // integers: low..high inclusive
  double low = -1, high = 1;
  // Least distance from 0.
  double margin = 0;
  // Instead of random values.
  std::vector<double> values = {};
  // A shuffled ladder from low to high, without ties or near ties.
  bool isDistinct = false;
  // A variable, for updates
  bool isState = false;
  // Float types only.
  bool isDifferentiated = true;
};

struct OpRow {
  // "conv2d/stride 2"
  std::string name;
  std::vector<OperandSpec> operands;
  std::function<std::vector<ValueId>(Graph&, const std::vector<ValueId>&)> build;
  // false: no gradient rule, for a reason that the op states.
  bool hasGradient = true;
  // Number of outputs with an upstream gradient; -1: all float outputs.
  int seededOutputs = -1;
  // Step of the central difference.
  double step = 1e-5;
  // Relative to max(1, largest)
  double gradientTolerance = 1e-6;
  // f32 against f64, relative to max(1, largest)
  double floatTolerance = 2e-5;
};

const std::vector<OpRow>& opRows();

/// A row as a graph with its tensors: inputs x0.., upstream gradients dy0.., variables s0..,
/// outputs y0.. and gradients dx0... Both float types have the same values, all exact in f32.
struct RowRun {
  Graph graph;
  NamedTensors inputs, variables;
  // Inputs with an output d<name>.
  std::vector<std::string> differentiated;
};
RowRun makeRowRun(const OpRow& row, DType floating, bool withGradients, uint64_t seed = 1);

}  // namespace strata::test
