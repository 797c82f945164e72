// SPDX-License-Identifier: Apache-2.0
// The definition of an op: everything the engine knows about it, in one place (its file in
// gpu/ops). Kernels alone live elsewhere.
// Thread: definitions are constant after the registry is filled; read them from any thread.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// What a shape rule sees. Fails: ShapeMismatch or InvalidArgument through fail().
struct ShapeContext {
  const OpDef& op;
  std::span<const TensorType> inputs;
  const Attributes& attributes;
  const Tensor* payload = nullptr;
  // ShapeMismatch, "[op] message"
  [[noreturn]] void fail(const std::string& message) const;
};

/// What a gradient rule sees: it appends ops to `graph` and returns one gradient an input (invalid:
/// none).
struct GradientContext {
  Graph& graph;
  NodeId nodeId;
  // Invalid where an output has no gradient
  std::span<const ValueId> outputGradients;
  // Rules need not compute what is not asked
  std::span<const char> inputNeedsGradient;
  const Node& node() const { return graph.node(nodeId); }
  ValueId input(int i) const { return node().inputs[static_cast<size_t>(i)]; }
  ValueId output(int i) const { return node().outputs[static_cast<size_t>(i)]; }
};

struct Cost {
  // What a person counts: products of matmul and convolution
  double multiplyAdds = 0;
  // All arithmetic
  double flops = 0;
  // Read and written
  double bytes = 0;
};

enum class OpKind : uint8_t {
  // Input, variable, constant
  Source,
  // out[i] from in[i] (with broadcasting): fusable, in place where shape and dtype agree
  Elementwise,
  // The same bytes under another shape: no kernel, shares storage
  View,
  // Copies elements to other places
  Movement,
  Reduction,
  // Matmul, convolution, pooling, normalization, losses
  Compute,
  // Writes state in place
  Update,
};

struct AttributeSpec {
  std::string name;
  // Also says the type
  AttributeValue defaultValue;
  bool required = false;
};

struct OpDef {
  std::string name;
  OpKind kind = OpKind::Compute;
  // maxInputs -1: any number
  int minInputs = 0, maxInputs = 0;
  // At least; the shape rule gives one type an output (updates have as many as they have state
  // operands)
  int numOutputs = 1;
  std::vector<AttributeSpec> attributes;
  /// Types of the outputs. Null for `input` and `variable` alone, whose type the caller gives.
  std::vector<TensorType> (*infer)(const ShapeContext&) = nullptr;
  /// Gradients written as ops; null with the reason below. A derivative that is zero everywhere is
  /// a rule that answers invalid ids.
  std::vector<ValueId> (*gradient)(const GradientContext&) = nullptr;
  std::string noGradientReason;
  // null: elements of the outputs, bytes of operands
  Cost (*cost)(const Graph&, const Node&) = nullptr;
  bool isCommutative = false;
  /// (output, input) pairs a kernel may compute in place: the planner decides.
  std::vector<std::pair<int, int>> mayAlias;
  /// (output, input) pairs that are the same storage always: state updates and views.
  std::vector<std::pair<int, int>> mustAlias;
};

/// Registry: filled from the one list in gpu/ops/registry.cpp at first use, then read-only.
std::span<const OpDef* const> allOps();
// null where unknown
const OpDef* findOp(std::string_view name);
// Fails: UnsupportedOp with the nearest name
const OpDef& opNamed(std::string_view name);
Cost costOf(const Graph& graph, const Node& node);

}  // namespace strata
