// SPDX-License-Identifier: Apache-2.0
// The definition of an op: everything the engine knows about it, in one place (its file in gpu/ops). Kernels alone live elsewhere.
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
  [[noreturn]] void fail(const std::string& message) const;  // ShapeMismatch, "[op] message"
};

/// What a gradient rule sees: it appends ops to `graph` and returns one gradient an input (invalid: none).
struct GradientContext {
  Graph& graph;
  NodeId nodeId;
  std::span<const ValueId> outputGradients;  // invalid where an output has no gradient
  std::span<const char> inputNeedsGradient;  // rules need not compute what is not asked
  const Node& node() const { return graph.node(nodeId); }
  ValueId input(int i) const { return node().inputs[static_cast<size_t>(i)]; }
  ValueId output(int i) const { return node().outputs[static_cast<size_t>(i)]; }
};

struct Cost {
  double multiplyAdds = 0;  // what a person counts: products of matmul and convolution
  double flops = 0;         // all arithmetic
  double bytes = 0;         // read and written
};

enum class OpKind : uint8_t {
  Source,       // input, variable, constant
  Elementwise,  // out[i] from in[i] (with broadcasting): fusable, in place where shape and dtype agree
  View,         // the same bytes under another shape: no kernel, shares storage
  Movement,     // copies elements to other places
  Reduction,
  Compute,  // matmul, convolution, pooling, normalization, losses
  Update,   // writes state in place
};

struct AttributeSpec {
  std::string name;
  AttributeValue defaultValue;  // also says the type
  bool required = false;
};

struct OpDef {
  std::string name;
  OpKind kind = OpKind::Compute;
  int minInputs = 0, maxInputs = 0;  // maxInputs -1: any number
  int numOutputs = 1;                // at least; the shape rule gives one type an output (updates have as many as they have state operands)
  std::vector<AttributeSpec> attributes;
  /// Types of the outputs. Null for `input` and `variable` alone, whose type the caller gives.
  std::vector<TensorType> (*infer)(const ShapeContext&) = nullptr;
  /// Gradients written as ops; null with the reason below. A derivative that is zero everywhere is a rule that answers invalid ids.
  std::vector<ValueId> (*gradient)(const GradientContext&) = nullptr;
  std::string noGradientReason;
  Cost (*cost)(const Graph&, const Node&) = nullptr;  // null: elements of the outputs, bytes of operands
  bool isCommutative = false;
  /// (output, input) pairs a kernel may compute in place: the planner decides.
  std::vector<std::pair<int, int>> mayAlias;
  /// (output, input) pairs that are the same storage always: state updates and views.
  std::vector<std::pair<int, int>> mustAlias;
};

/// Registry: filled from the one list in gpu/ops/registry.cpp at first use, then read-only.
std::span<const OpDef* const> allOps();
const OpDef* findOp(std::string_view name);   // null where unknown
const OpDef& opNamed(std::string_view name);  // Fails: UnsupportedOp with the nearest name
Cost costOf(const Graph& graph, const Node& node);

}  // namespace strata
