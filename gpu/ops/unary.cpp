// SPDX-License-Identifier: Apache-2.0
// Elementwise ops with one operand, as a table, and the ops cast and affine.
//   y[i] = f(x[i])
//   cast {dtype}: conversion to integers truncates toward zero, conversion to floating-point types
//                 rounds to the nearest number
//   affine {scale, offset, dtype}: y = T(x) * T(scale) + T(offset), with the output's dtype T;
//                                  the product is rounded, then the sum.
//                                  With is_constant its gradient is zero.
//
// Inputs: x of any shape, f32 or f64. negate, abs, sign and square also take i32 and i64.
// Output: the type of x.
// Gradient: the ops in the table.
// Errors: InvalidArgument if a function of real numbers gets integers.
// Numerics: results have the operand's dtype. log of a negative number is NaN, and log of zero is
// -inf. reciprocal of zero is inf.
// Source: IEEE 754, C++ <cmath>.
#include "gpu/base/error.h"
#include "gpu/ops/build.h"
#include "gpu/ops/registry.h"
#include "gpu/ops/shape_rules.h"

namespace strata {
namespace {

std::vector<TensorType> inferReal(const ShapeContext& c) {
  requireFloating(c, 0);
  return inferSame(c);
}

using Gradients = std::vector<ValueId>;
#define STRATA_GRADIENT(expression)                                                            \
  [](const GradientContext& c) -> Gradients {                                                  \
    Graph& g = c.graph;                                                                        \
    [[maybe_unused]] const ValueId x = c.input(0), y = c.output(0), dy = c.outputGradients[0]; \
    return {expression};                                                                       \
  }

struct Row {
  const char* name;
  bool takesIntegers;
  std::vector<ValueId> (*gradient)(const GradientContext&);
  OpRole role = OpRole::Other;
  bool canBeStep = true;
  OpPrecision precision = OpPrecision::Full;
};

constexpr double kTwoOverRootPi = 1.12837916709551257390;

const Row kRows[] = {
    {"negate", true, STRATA_GRADIENT(negate(g, dy)), OpRole::Negate, true, OpPrecision::Follows},
    {"abs", true, STRATA_GRADIENT(multiply(g, dy, sign(g, x))), OpRole::Abs, true,
     OpPrecision::Follows},
    {"sign", true, zeroGradient, OpRole::Other, true, OpPrecision::Follows},
    {"exp", false, STRATA_GRADIENT(multiply(g, dy, y))},
    {"expm1", false, STRATA_GRADIENT(multiply(g, dy, addScalar(g, y, 1)))},
    {"log", false, STRATA_GRADIENT(divide(g, dy, x)), OpRole::Log},
    {"log1p", false, STRATA_GRADIENT(divide(g, dy, addScalar(g, x, 1)))},
    {"sqrt", false, STRATA_GRADIENT(divide(g, multiplyScalar(g, dy, 0.5), y))},
    {"rsqrt", false,
     STRATA_GRADIENT(multiply(g, multiplyScalar(g, dy, -0.5), multiply(g, y, square(g, y))))},
    {"square", true, STRATA_GRADIENT(multiply(g, dy, multiplyScalar(g, x, 2))), OpRole::Square},
    {"reciprocal", false, STRATA_GRADIENT(negate(g, multiply(g, dy, square(g, y))))},
    {"sin", false, STRATA_GRADIENT(multiply(g, dy, g.add(opNamed("cos"), {x}))), OpRole::Other,
     false},
    {"cos", false, STRATA_GRADIENT(negate(g, multiply(g, dy, g.add(opNamed("sin"), {x})))),
     OpRole::Other, false},
    {"erf", false,
     STRATA_GRADIENT(
         multiply(g, dy, multiplyScalar(g, exp(g, negate(g, square(g, x))), kTwoOverRootPi)))},
    {"floor", false, zeroGradient},
    {"is_finite", false, zeroGradient},
};

DType dtypeAttribute(const ShapeContext& c) {
  const std::string& name = c.attributes.get<std::string>("dtype");
  const std::optional<DType> dtype = dtypeFromName(name);
  if (!dtype)
    throw Error(ErrorCode::InvalidArgument, c.op.name,
                "unknown dtype \"" + name +
                    "\" (expected f32, f64, i32, i64, u8, bf16 or "
                    "f16).");
  return *dtype;
}

std::vector<TensorType> inferCast(const ShapeContext& c) {
  return {{dtypeAttribute(c), c.inputs[0].shape}};
}

std::vector<TensorType> inferAffine(const ShapeContext& c) {
  const DType dtype = dtypeAttribute(c);
  if (!isFloating(dtype))
    throw Error(
        ErrorCode::InvalidArgument, c.op.name,
        "the output must be a floating-point type (got " + std::string(dtypeName(dtype)) + ").");
  return {{dtype, c.inputs[0].shape}};
}

Gradients castGradient(const GradientContext& c) {
  const DType from = c.graph.type(c.input(0)).dtype;
  if (!isFloating(from) || !isFloating(c.graph.type(c.output(0)).dtype)) return {ValueId{}};
  return {cast(c.graph, c.outputGradients[0], from)};
}

Gradients affineGradient(const GradientContext& c) {
  const DType from = c.graph.type(c.input(0)).dtype;
  if (!isFloating(from) || c.node().attributes.get<bool>("is_constant")) return {ValueId{}};
  return {affine(c.graph, c.outputGradients[0], c.node().attributes.get<double>("scale"), 0, from)};
}

}  // namespace

std::vector<OpDef> defineUnary() {
  std::vector<OpDef> ops;
  for (const Row& row : kRows) {
    OpDef op;
    op.name = row.name;
    op.kind = OpKind::Elementwise;
    op.minInputs = op.maxInputs = 1;
    op.infer = row.takesIntegers ? inferSame : inferReal;
    op.gradient = row.gradient;
    op.mayAlias = {{0, 0}};
    op.role = row.role;
    op.work = WorkKind::Step;
    op.canBeStep = row.canBeStep;
    op.precision = row.precision;
    ops.push_back(std::move(op));
  }
  OpDef castOp;
  castOp.name = "cast";
  castOp.kind = OpKind::Elementwise;
  castOp.minInputs = castOp.maxInputs = 1;
  castOp.attributes = {{"dtype", std::string("f32"), true}};
  castOp.infer = inferCast;
  castOp.gradient = castGradient;
  castOp.mayAlias = {{0, 0}};
  castOp.role = OpRole::Cast;
  castOp.work = WorkKind::Step;
  castOp.precision = OpPrecision::Follows;
  ops.push_back(castOp);
  castOp.name = "affine";
  castOp.role = OpRole::Affine;
  castOp.canBeStep = true;
  castOp.attributes = {{"scale", 1.0, false},
                       {"offset", 0.0, false},
                       {"dtype", std::string("f32"), false},
                       {"is_constant", false, false}};
  castOp.infer = inferAffine;
  castOp.gradient = affineGradient;
  ops.push_back(castOp);
  return ops;
}

#define STRATA_BUILD(function, name) \
  ValueId function(Graph& g, ValueId x) { return g.add(opNamed(name), {x}); }
STRATA_BUILD(negate, "negate")
STRATA_BUILD(abs, "abs")
STRATA_BUILD(sign, "sign")
STRATA_BUILD(exp, "exp")
STRATA_BUILD(expm1, "expm1")
STRATA_BUILD(log, "log")
STRATA_BUILD(log1p, "log1p")
STRATA_BUILD(sqrt, "sqrt")
STRATA_BUILD(rsqrt, "rsqrt")
STRATA_BUILD(square, "square")
STRATA_BUILD(reciprocal, "reciprocal")
STRATA_BUILD(sin, "sin")
STRATA_BUILD(cos, "cos")
STRATA_BUILD(floor, "floor")
STRATA_BUILD(erf, "erf")
STRATA_BUILD(isFinite, "is_finite")

ValueId cast(Graph& g, ValueId x, DType dtype) {
  return g.type(x).dtype == dtype
             ? x
             : g.add(opNamed("cast"), {x}, {{"dtype", std::string(dtypeName(dtype))}});
}

ValueId affine(Graph& g, ValueId x, double scale, double offset, DType dtype) {
  return g.add(opNamed("affine"), {x},
               {{"scale", scale}, {"offset", offset}, {"dtype", std::string(dtypeName(dtype))}});
}

ValueId stopGradient(Graph& g, ValueId x) {
  return g.add(opNamed("affine"), {x},
               {{"dtype", std::string(dtypeName(g.type(x).dtype))}, {"is_constant", true}});
}

ValueId addScalar(Graph& g, ValueId x, double value) {
  const DType dtype = g.type(x).dtype;
  return isFloating(dtype) ? affine(g, x, 1, value, dtype)
                           : add(g, x, constantScalar(g, dtype, value));
}

ValueId multiplyScalar(Graph& g, ValueId x, double value) {
  const DType dtype = g.type(x).dtype;
  return isFloating(dtype) ? affine(g, x, value, 0, dtype)
                           : multiply(g, x, constantScalar(g, dtype, value));
}

}  // namespace strata
