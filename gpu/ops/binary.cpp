// SPDX-License-Identifier: Apache-2.0
// Elementwise ops with two operands and NumPy broadcasting, as a table, and the op select.
//   y = f(a, b) after broadcasting
//   select (condition, a, b): condition != 0 ? a : b, all broadcast; condition has the dtype of a
// Comparisons give 1 or 0 in the operands' dtype.
//
// Inputs: a and b have one dtype. Sizes are equal or 1, compared from the last axis.
// Output: the broadcast shape, the operands' dtype.
// Gradient: the formulas in the table, summed over broadcast axes. Comparisons have gradient zero.
// Errors: ShapeMismatch, InvalidArgument (different dtypes, power of integers).
// Numerics: IEEE arithmetic in the dtype. Integer division truncates, and division by zero gives 0.
// maximum and minimum give NaN if an operand is NaN. not_equal(x, x) is 1 for NaN.
// Source: NumPy.
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

using Gradients = std::vector<ValueId>;

std::vector<TensorType> inferRealBroadcast(const ShapeContext& c) {
  requireFloating(c, 0);
  return inferBroadcast(c);
}

/// Computes the gradients that are needed and sums them to the operands' shapes.
template <class First, class Second>
Gradients both(const GradientContext& c, First first, Second second) {
  Gradients result(2);
  // Copies the shapes, because adding nodes moves the graph's values. g++ may read an argument
  // after it evaluates the others.
  const Shape shapes[] = {c.graph.shape(c.input(0)), c.graph.shape(c.input(1))};
  if (c.inputNeedsGradient[0]) result[0] = reduceTo(c.graph, first(), shapes[0]);
  if (c.inputNeedsGradient[1]) result[1] = reduceTo(c.graph, second(), shapes[1]);
  return result;
}

#define STRATA_GRADIENT(first, second)                                              \
  [](const GradientContext& c) -> Gradients {                                       \
    [[maybe_unused]] Graph& g = c.graph;                                            \
    [[maybe_unused]] const ValueId a = c.input(0), b = c.input(1), y = c.output(0), \
                                   dy = c.outputGradients[0];                       \
    return both(                                                                    \
        c, [&] { return first; }, [&] { return second; });                          \
  }

/// Returns an operand's share of the gradient: 1 if it is chosen, 1/2 if both operands are equal.
ValueId share(Graph& g, ValueId isChosen, ValueId isTie) {
  return add(g, isChosen, multiplyScalar(g, isTie, 0.5));
}

struct Row {
  const char* name;
  bool takesIntegers;
  bool isCommutative;
  Gradients (*gradient)(const GradientContext&);
  OpRole role;
  bool canBeStep = true;
};

const Row kRows[] = {
    {"add", true, true, STRATA_GRADIENT(dy, dy), OpRole::Add},
    {"subtract", true, false, STRATA_GRADIENT(dy, negate(g, dy)), OpRole::Subtract},
    {"multiply", true, true, STRATA_GRADIENT(multiply(g, dy, b), multiply(g, dy, a)),
     OpRole::Multiply},
    {"divide", true, false,
     STRATA_GRADIENT(divide(g, dy, b), negate(g, divide(g, multiply(g, dy, y), b))),
     OpRole::Divide},
    {"maximum", true, true,
     STRATA_GRADIENT(multiply(g, dy, share(g, greater(g, a, b), equal(g, a, b))),
                     multiply(g, dy, share(g, less(g, a, b), equal(g, a, b)))),
     OpRole::Maximum},
    {"minimum", true, true,
     STRATA_GRADIENT(multiply(g, dy, share(g, less(g, a, b), equal(g, a, b))),
                     multiply(g, dy, share(g, greater(g, a, b), equal(g, a, b)))),
     OpRole::Minimum},
    // log(a) is used only for a > 0. Otherwise the derivative with respect to the exponent does not
    // exist and counts as 0.
    {"power", false, false,
     STRATA_GRADIENT(multiply(g, multiply(g, dy, b), power(g, a, addScalar(g, b, -1))),
                     multiply(g, multiply(g, dy, y),
                              log(g, select(g, greater(g, a, constantScalar(g, g.type(a).dtype, 0)),
                                            a, constantScalar(g, g.type(a).dtype, 1))))),
     OpRole::Power, false},
    {"less", true, false, zeroGradient, OpRole::Less},
    {"less_equal", true, false, zeroGradient, OpRole::LessEqual},
    {"greater", true, false, zeroGradient, OpRole::Greater},
    {"greater_equal", true, false, zeroGradient, OpRole::GreaterEqual},
    {"equal", true, true, zeroGradient, OpRole::Equal},
    {"not_equal", true, true, zeroGradient, OpRole::NotEqual},
};

Gradients selectGradient(const GradientContext& c) {
  Graph& g = c.graph;
  const ValueId condition = c.input(0), dy = c.outputGradients[0];
  Gradients result(3);
  const ValueId zero = constantScalar(g, g.type(dy).dtype, 0);
  const Shape shapes[] = {g.shape(c.input(1)), g.shape(c.input(2))};
  if (c.inputNeedsGradient[1]) result[1] = reduceTo(g, select(g, condition, dy, zero), shapes[0]);
  if (c.inputNeedsGradient[2]) result[2] = reduceTo(g, select(g, condition, zero, dy), shapes[1]);
  return result;
}

}  // namespace

std::vector<OpDef> defineBinary() {
  std::vector<OpDef> ops;
  for (const Row& row : kRows) {
    OpDef op;
    op.name = row.name;
    op.kind = OpKind::Elementwise;
    op.minInputs = op.maxInputs = 2;
    op.infer = row.takesIntegers ? inferBroadcast : inferRealBroadcast;
    op.gradient = row.gradient;
    op.isCommutative = row.isCommutative;
    op.mayAlias = {{0, 0}, {0, 1}};
    op.role = row.role;
    op.work = WorkKind::Step;
    op.canBeStep = row.canBeStep;
    if (row.role != OpRole::Power) op.precision = OpPrecision::Follows;
    ops.push_back(std::move(op));
  }
  OpDef selectOp;
  selectOp.name = "select";
  selectOp.kind = OpKind::Elementwise;
  selectOp.minInputs = selectOp.maxInputs = 3;
  selectOp.infer = inferBroadcast;
  selectOp.gradient = selectGradient;
  selectOp.mayAlias = {{0, 1}, {0, 2}, {0, 0}};
  selectOp.role = OpRole::Select;
  selectOp.work = WorkKind::Step;
  selectOp.precision = OpPrecision::Follows;
  ops.push_back(std::move(selectOp));
  return ops;
}

#define STRATA_BUILD(function, name) \
  ValueId function(Graph& g, ValueId a, ValueId b) { return g.add(opNamed(name), {a, b}); }
STRATA_BUILD(add, "add")
STRATA_BUILD(subtract, "subtract")
STRATA_BUILD(multiply, "multiply")
STRATA_BUILD(divide, "divide")
STRATA_BUILD(maximum, "maximum")
STRATA_BUILD(minimum, "minimum")
STRATA_BUILD(power, "power")
STRATA_BUILD(less, "less")
STRATA_BUILD(lessEqual, "less_equal")
STRATA_BUILD(greater, "greater")
STRATA_BUILD(greaterEqual, "greater_equal")
STRATA_BUILD(equal, "equal")
STRATA_BUILD(notEqual, "not_equal")

ValueId select(Graph& g, ValueId condition, ValueId a, ValueId b) {
  return g.add(opNamed("select"), {condition, a, b});
}

}  // namespace strata
