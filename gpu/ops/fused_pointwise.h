// SPDX-License-Identifier: Apache-2.0
// The programs of the op `fused_pointwise`, which runs several elementwise ops as one. Thread:
// pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/graph/op.h"

namespace strata {

constexpr int kMaxPointwiseInputs = 8, kMaxPointwiseSteps = 16;

/// One step of a program: a unary or binary op (not sin, cos, power), affine, activation or
/// activation_backward.
struct PointwiseStep {
  std::string op;
  // A number k below the number of inputs is that input; otherwise it is the result of the earlier
  // step k - number of inputs
  std::vector<int> operands;
  // affine: scale, offset; activations: alpha
  double first = 0, second = 0;
  // The kind of an activation
  std::string kind;
  bool operator==(const PointwiseStep&) const = default;
};

/// Can a step compute this node? All types must be the same floating type.
bool canBePointwiseStep(const Graph& graph, const Node& node);
/// The step for such a node, without operands.
PointwiseStep pointwiseStepOf(const Node& node);

/// How an operand of n elements is broadcast to an output of `all` elements.
enum class Spread : uint8_t {
  // x[i]
  Same,
  // x[0]
  Single,
  // x[i % n]: repeated as a whole, over leading dimensions
  Repeated,
  // x[i / (all / n)]: each element is repeated, over trailing dimensions
  Stretched,
  Other,
};
/// Requires: broadcasting the operand gives `out`.
Spread spreadOf(const Shape& operand, const Shape& out);

/// "subtract x0 x1; multiply t0 x2; activation relu 0 t1": x is an input, t the result of a step.
/// The last step gives the program's result.
std::string printPointwise(const std::vector<PointwiseStep>& steps, int numInputs);
/// Fails: InvalidArgument.
std::vector<PointwiseStep> parsePointwise(std::string_view program, int numInputs);

}  // namespace strata
