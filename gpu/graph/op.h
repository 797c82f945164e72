// SPDX-License-Identifier: Apache-2.0
// The definition of an op contains everything that the engine knows about it, except its kernels.
// Each op is defined by a file in gpu/ops.
// Thread: any. The first access fills the registry; the definitions do not change afterwards.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// The arguments of a shape rule. The rule reports invalid arguments by calling fail().
struct ShapeContext {
  const OpDef& op;
  std::span<const TensorType> inputs;
  const Attributes& attributes;
  const Tensor* payload = nullptr;
  /// Throws a ShapeMismatch error with the text "[op] message".
  [[noreturn]] void fail(const std::string& message) const;
};

/// The arguments of a gradient rule. The rule appends ops to `graph` and returns one gradient per
/// input. An invalid id means that the input has no gradient.
struct GradientContext {
  Graph& graph;
  NodeId nodeId;
  // One id per output; invalid if the output has no gradient
  std::span<const ValueId> outputGradients;
  // One flag per input; the rule may return an invalid id for an input whose flag is 0
  std::span<const char> inputNeedsGradient;
  const Node& node() const { return graph.node(nodeId); }
  ValueId input(int i) const { return node().inputs[static_cast<size_t>(i)]; }
  ValueId output(int i) const { return node().outputs[static_cast<size_t>(i)]; }
};

struct Cost {
  // Multiply-adds of matrix products and convolutions, the number usually reported for networks
  double multiplyAdds = 0;
  // All arithmetic operations
  double flops = 0;
  // Bytes read and written
  double bytes = 0;
};

enum class OpKind : uint8_t {
  // An input, a variable or a constant
  Source,
  // Element i of the output depends only on element i of each operand, after broadcasting. The
  // output may therefore overwrite an operand of the same type, and most of these ops can be fused
  // (canBePointwiseStep()).
  Elementwise,
  // The output has the bytes of the input but another shape. It shares the input's storage, so the
  // op needs no kernel.
  View,
  // Copies elements without arithmetic, such as transpose and slice
  Movement,
  Reduction,
  // All other ops, such as matrix products, convolutions, pooling, normalization and losses
  Compute,
  // Writes variables in place
  Update,
};

struct AttributeSpec {
  std::string name;
  // Also determines the type of the attribute
  AttributeValue defaultValue;
  bool required = false;
};

struct OpDef {
  std::string name;
  OpKind kind = OpKind::Compute;
  // The allowed numbers of inputs; maxInputs is -1 if there is no maximum
  int minInputs = 0, maxInputs = 0;
  // The minimum number of outputs. The shape rule returns one type per output and may add outputs.
  int numOutputs = 1;
  std::vector<AttributeSpec> attributes;
  /// The shape rule, which returns the types of the outputs. It is null only for `input` and
  /// `variable`: their caller passes the type.
  std::vector<TensorType> (*infer)(const ShapeContext&) = nullptr;
  /// The gradient rule. If it is null, noGradientReason explains why. If the derivative is zero
  /// everywhere, the rule returns invalid ids.
  std::vector<ValueId> (*gradient)(const GradientContext&) = nullptr;
  std::string noGradientReason;
  // The cost rule. If it is null, costOf() counts the elements of the outputs and the bytes of all
  // operands.
  Cost (*cost)(const Graph&, const Node&) = nullptr;
  bool isCommutative = false;
  /// Pairs (output, input) for which the op's kernels can write the output over the input. The
  /// planner decides whether they do.
  std::vector<std::pair<int, int>> mayAlias;
  /// Pairs (output, input) that always share storage. Only updates and views have them.
  std::vector<std::pair<int, int>> mustAlias;
};

/// Returns all ops. gpu/ops/registry.cpp lists them.
std::span<const OpDef* const> allOps();
/// Returns the op with this name, or null if no op has it.
const OpDef* findOp(std::string_view name);
/// Returns the op with this name.
/// Fails: UnsupportedOp if no op has this name; the message suggests a similar name.
const OpDef& opNamed(std::string_view name);
Cost costOf(const Graph& graph, const Node& node);

}  // namespace strata
