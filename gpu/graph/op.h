// SPDX-License-Identifier: Apache-2.0
// The definition of an op: everything the engine knows about it, filled in by its file in gpu/ops.
// Not here: kernels.
// Thread: definitions are constant after the registry is filled; read them from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// The arguments of a shape rule. Fails: ShapeMismatch or InvalidArgument through fail().
struct ShapeContext {
  const OpDef& op;
  std::span<const TensorType> inputs;
  const Attributes& attributes;
  const Tensor* payload = nullptr;
  // ShapeMismatch, "[op] message"
  [[noreturn]] void fail(const std::string& message) const;
};

/// The arguments of a gradient rule. The rule appends ops to `graph` and returns one gradient per
/// input (invalid: no gradient).
struct GradientContext {
  Graph& graph;
  NodeId nodeId;
  // Invalid for outputs without a gradient
  std::span<const ValueId> outputGradients;
  // Rules may skip gradients that are not needed
  std::span<const char> inputNeedsGradient;
  const Node& node() const { return graph.node(nodeId); }
  ValueId input(int i) const { return node().inputs[static_cast<size_t>(i)]; }
  ValueId output(int i) const { return node().outputs[static_cast<size_t>(i)]; }
};

struct Cost {
  // Multiply-adds of matmul and convolution, as usually reported for networks
  double multiplyAdds = 0;
  // All arithmetic
  double flops = 0;
  // Read and written
  double bytes = 0;
};

enum class OpKind : uint8_t {
  // Input, variable, constant
  Source,
  // out[i] depends on in[i] (with broadcasting): can be fused, and runs in place if shape and dtype
  // agree
  Elementwise,
  // The same bytes with another shape: no kernel, shared storage
  View,
  // Copies elements
  Movement,
  Reduction,
  // Matmul, convolution, pooling, normalization, losses
  Compute,
  // Writes state in place
  Update,
};

struct AttributeSpec {
  std::string name;
  // Also gives the attribute's type
  AttributeValue defaultValue;
  bool required = false;
};

struct OpDef {
  std::string name;
  OpKind kind = OpKind::Compute;
  // maxInputs -1: any number
  int minInputs = 0, maxInputs = 0;
  // The minimum; the shape rule returns one type per output (updates have one per state operand)
  int numOutputs = 1;
  std::vector<AttributeSpec> attributes;
  /// Types of the outputs. Null only for `input` and `variable`, whose type the caller gives.
  std::vector<TensorType> (*infer)(const ShapeContext&) = nullptr;
  /// Gradients written as ops; null if there is a reason below. If the derivative is zero
  /// everywhere, the rule returns invalid ids.
  std::vector<ValueId> (*gradient)(const GradientContext&) = nullptr;
  std::string noGradientReason;
  // Null: counts the elements of the outputs and the bytes of all operands
  Cost (*cost)(const Graph&, const Node&) = nullptr;
  bool isCommutative = false;
  /// (output, input) pairs that a kernel may compute in place; the planner decides.
  std::vector<std::pair<int, int>> mayAlias;
  /// (output, input) pairs that always share storage: state updates and views.
  std::vector<std::pair<int, int>> mustAlias;
};

/// All ops, from the list in gpu/ops/registry.cpp. The registry is filled at first use, then
/// read-only.
std::span<const OpDef* const> allOps();
// Null if unknown
const OpDef* findOp(std::string_view name);
// Fails: UnsupportedOp with the nearest name
const OpDef& opNamed(std::string_view name);
Cost costOf(const Graph& graph, const Node& node);

}  // namespace strata
