// SPDX-License-Identifier: Apache-2.0
// A table with one row per use of an op. A row describes the operands and how to build the op.
// Tests run the rows on every device, in both float types, forward and backward, and differentiate
// them numerically. Each new op needs a row, or tst_registry_walk fails. The table is constant, so
// any thread may read it.
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
  // The type of the operand. If it is not set, the operand has the float type of the run.
  std::optional<DType> dtype;
  // The range of random values. For integers, the range includes `high`.
  double low = -1, high = 1;
  // The smallest magnitude of random values.
  double margin = 0;
  // The values of the operand. If the list is empty, the values are random.
  std::vector<double> values = {};
  // If set, the values are evenly spaced from low to high and shuffled, so that no two values are
  // nearly equal.
  bool isDistinct = false;
  // If set, the operand is a variable, as updates need.
  bool isState = false;
  // Whether gradients of the operand are tested. This has no effect for integers.
  bool isDifferentiated = true;
};

struct OpRow {
  // The name, for example "conv2d/stride 2".
  std::string name;
  std::vector<OperandSpec> operands;
  std::function<std::vector<ValueId>(Graph&, const std::vector<ValueId>&)> build;
  // If false, the op has no gradient rule and must state a reason.
  bool hasGradient = true;
  // The number of outputs with an upstream gradient, or -1 for all float outputs.
  int seededOutputs = -1;
  // The step of the central differences.
  double step = 1e-5;
  // The tolerance of gradients, relative to max(1, largest magnitude).
  double gradientTolerance = 1e-6;
  // The tolerance of f32 compared with f64, relative to max(1, largest magnitude).
  double floatTolerance = 2e-5;
};

const std::vector<OpRow>& opRows();
/// The rows of classification_loss, which opRows() contains.
std::vector<OpRow> classificationLossRows();
/// Adds the rows of recurrent cells and attention (op_rows_sequences.cpp).
void addSequenceRows(std::vector<OpRow>& rows);
/// Adds the rows of ops that passes of cards create (op_rows_joined.cpp).
void addJoinedRows(std::vector<OpRow>& rows);
/// Adds the rows of images [N,C,H,W] (op_rows_layouts.cpp).
void addLayoutRows(std::vector<OpRow>& rows);

/// The graph of a row, with values for its inputs and variables. Inputs are named x0, x1 and so on,
/// upstream gradients dy0, variables s0, outputs y0 and gradients dx0. Both float types have the
/// same values, which are exact in f32.
struct RowRun {
  Graph graph;
  NamedTensors inputs, variables;
  // The names of inputs whose gradients are outputs d<name>.
  std::vector<std::string> differentiated;
};
RowRun makeRowRun(const OpRow& row, DType floating, bool withGradients, uint64_t seed = 1);

}  // namespace strata::test
