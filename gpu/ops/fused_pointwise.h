// SPDX-License-Identifier: Apache-2.0
// The little programs of op `fused_pointwise`: several elementwise ops run element by element as
// one. Thread: pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/graph/op.h"

namespace strata {

constexpr int kMaxPointwiseInputs = 8, kMaxPointwiseSteps = 16;

/// One op of a program: unary and binary ops (not sin, cos, power), affine, activation,
/// activation_backward.
struct PointwiseStep {
  std::string op;
  // K below the number of inputs: that input; else the result of step k - number of inputs, an
  // earlier one
  std::vector<int> operands;
  // affine: scale, offset; activations: alpha
  double first = 0, second = 0;
  // Of activations
  std::string kind;
  bool operator==(const PointwiseStep&) const = default;
};

/// Could a step compute this node? One floating type throughout.
bool canBePointwiseStep(const Graph& graph, const Node& node);
/// The step of such a node, without operands.
PointwiseStep pointwiseStepOf(const Node& node);

/// How an operand of n elements lies in an output of `all`.
enum class Spread : uint8_t {
  // x[i]
  Same,
  // x[0]
  Single,
  // x[i % n]: as a whole, over leading dimensions
  Repeated,
  // x[i / (all / n)]: element by element, over trailing dimensions
  Stretched,
  Other,
};
/// Requires: broadcasting gives `out`.
Spread spreadOf(const Shape& operand, const Shape& out);

/// "subtract x0 x1; multiply t0 x2; activation relu 0 t1": x an input, t the result of a step; the
/// last one is the program's.
std::string printPointwise(const std::vector<PointwiseStep>& steps, int numInputs);
/// Fails: InvalidArgument.
std::vector<PointwiseStep> parsePointwise(std::string_view program, int numInputs);

}  // namespace strata
