// SPDX-License-Identifier: Apache-2.0
// The programs of the op `fused_pointwise`, which runs several elementwise ops as one.
// Thread: all functions are pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/graph/op.h"

namespace strata {

constexpr int kMaxPointwiseInputs = 8, kMaxPointwiseSteps = 16;

/// One step of a program: a unary or binary op (except sin, cos and power), affine, activation or
/// activation_backward.
struct PointwiseStep {
  std::string op;
  // With n inputs of the program, an operand k refers to input k if k < n, otherwise to the result
  // of step k - n
  std::vector<int> operands;
  // Scale and offset of affine. For activations, `first` is alpha
  double first = 0, second = 0;
  // The kind of an activation
  std::string kind;
  bool operator==(const PointwiseStep&) const = default;
};

/// Returns whether a step of a program can compute this node. Its operands and its result must have
/// the same floating-point type.
bool canBePointwiseStep(const Graph& graph, const Node& node);
/// Returns whether the node converts between f32, bf16 and f16. A program computes in f32, so these
/// conversions need no step inside it.
bool isPointwiseCast(const Graph& graph, const Node& node);
/// Returns the step that computes a node. The caller sets PointwiseStep::operands.
/// Requires: canBePointwiseStep().
PointwiseStep pointwiseStepOf(const Node& node);

/// How an operand x of n elements is broadcast to an output of `all` elements.
enum class Spread : uint8_t {
  // Element i of the output reads x[i]
  Same,
  // Element i of the output reads x[0]
  Single,
  // Element i of the output reads x[i % n]: x is repeated as a whole, over leading dimensions
  Repeated,
  // Element i of the output reads x[i / (all / n)]: each element of x is repeated, over trailing
  // dimensions
  Stretched,
  // Any other pattern
  Other,
};
/// Returns how `operand` is broadcast to `out`. Requires: `operand` can be broadcast to `out`.
Spread spreadOf(const Shape& operand, const Shape& out);

/// Prints a program such as "subtract x0 x1; multiply t0 x2; activation relu 0 t1". x0 is the first
/// input, and t0 is the result of the first step. The last step gives the result of the program.
std::string printPointwise(const std::vector<PointwiseStep>& steps, int numInputs);
/// Parses a program. Fails: InvalidArgument.
std::vector<PointwiseStep> parsePointwise(std::string_view program, int numInputs);

}  // namespace strata
