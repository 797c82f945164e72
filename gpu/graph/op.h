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

/// What an op computes, for code that matches patterns of ops. An op has a role of its own only if
/// code outside gpu/ops looks for it. Code compares roles, not names.
enum class OpRole : uint8_t {
  Other,
  // Sources
  Input,
  Variable,
  Constant,
  // Elementwise arithmetic
  Negate,
  Abs,
  Square,
  Log,
  Affine,
  Cast,
  Add,
  Subtract,
  Multiply,
  Divide,
  Maximum,
  Minimum,
  Power,
  Less,
  LessEqual,
  Greater,
  GreaterEqual,
  Equal,
  NotEqual,
  Select,
  Activation,
  ActivationBackward,
  Dropout,
  // Movement and reductions
  Reshape,
  Transpose,
  BroadcastTo,
  Concatenate,
  Slice,
  Pad,
  ReduceSum,
  ReduceMax,
  // Other ops
  Matmul,
  MaxPool,
  MaxPoolBackward,
  BatchNorm,
  BatchNormBackward,
  Softmax,
  LogSoftmax,
  SoftmaxCrossEntropy,
  AllFinite,
  GradientNorm,
  AllFiniteAndNorm,
  ArgMax,
  SoftmaxCrossEntropyBackward,
  LayerNormBackward,
  // Begins a sum over several processes
  SumStart,
  // A sum over replicas within the forward pass
  SyncSum,
  // Transfers between the parts of a step
  Send,
  Receive,
  Sent,
};

/// Whether an op computes values, or the gradient of another op.
enum class OpDirection : uint8_t {
  Forward,
  // The gradient of data, or of all operands
  Backward,
  // The gradient of weights only
  BackwardWeights,
};

/// How the amount of an op's work depends on its shapes. The cost model has a rule for each kind
/// (gpu/cost/work.cpp).
enum class WorkKind : uint8_t {
  // Depends on the number of elements of the output
  Elements,
  // Depends on the number of elements, and can be a step of a fused op
  Step,
  ActivationStep,
  FusedSteps,
  Reduction,
  Update,
  // Depends on the number of rows and of elements in a row
  Rows,
  Product,
  SiblingProducts,
  ProductWithUpdate,
  Convolution,
  DepthwiseConvolution,
  Pooling,
  BatchNorm,
  LayerNorm,
  Recurrent,
  Attention,
};

/// In which precision an op computes in a step of mixed precision (gpu/passes/mixed_precision.cpp).
enum class OpPrecision : uint8_t {
  // All operands are f32: losses, reductions, exponentials, updates
  Full,
  // Operands and results have 16 bits: products, convolutions, attention
  Low,
  // Operands and results have 16 bits if an operand already has: elementwise ops and movement
  Follows,
  // Like Follows, but the results are f32: sums
  FollowsToFull,
  // The operands are f32. Results have 16 bits if the first operand is a weight and the device has
  // such kernels: lookups
  RoundsWeights,
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
  /// Pairs (output, input) that always share storage. Only updates and views have them. Code reads
  /// them by sharedPairs().
  std::vector<std::pair<int, int>> mustAlias;
  /// Whether each output always shares the storage of the operand with its index, instead of
  /// mustAlias. Only updates of several variables have it.
  bool updatesFirstOperands = false;
  /// Whether each output may overwrite the operand with its index, instead of mayAlias.
  bool overwritesOperands = false;
  /// Whether all replicas of a step meet in the op. Passes must not merge, drop, repeat or move
  /// such ops past each other, and a step that has reached the last one that begins a sum is not
  /// stopped any more.
  bool isCollective = false;
  OpRole role = OpRole::Other;
  OpDirection direction = OpDirection::Forward;
  WorkKind work = WorkKind::Elements;
  OpPrecision precision = OpPrecision::Full;
  /// The operands that have 16 bits in mixed precision, by index; empty for all. The others are
  /// statistics or parameters, and always f32.
  std::vector<int> lowOperands = {};
  /// Whether the op is a product that can add a bias, its third operand, and apply an activation,
  /// its attributes `activation` and `alpha`.
  bool takesBiasAndActivation = false;
  /// Whether a fused_pointwise op can compute the op as one of its steps.
  bool canBeStep = false;
  /// Whether the output is a sum of parts, one for each lookup of a row in a table. The first
  /// operand contains the parts.
  bool sumsLookups = false;
  /// The op that performs this update with the gradient a^T b. It has the operands a and b instead
  /// of the gradient, which is the second operand of this op. Empty if no op does.
  std::string updateWithProduct;
  /// Returns the operand whose layer an output belongs to, by index. Null if all outputs belong to
  /// the layer of the node.
  int (*layerOperand)(const Node&, int output) = nullptr;
  /// Returns the number of operands without `apply`. Null if it follows from minInputs and the
  /// number of outputs.
  size_t (*numOwnOperands)(const Node&) = nullptr;
};

/// Returns all ops. gpu/ops/registry.cpp lists them.
std::span<const OpDef* const> allOps();
/// Returns the op with this name, or null if no op has it.
const OpDef* findOp(std::string_view name);
/// Returns the op with this name.
/// Fails: UnsupportedOp if no op has this name; the message suggests a similar name.
const OpDef& opNamed(std::string_view name);
Cost costOf(const Graph& graph, const Node& node);
/// Returns the pairs (output, input) of a node that always share storage.
std::vector<std::pair<int, int>> sharedPairs(const OpDef& op, size_t numInputs, size_t numOutputs);
inline std::vector<std::pair<int, int>> sharedPairs(const Node& node) {
  return sharedPairs(*node.op, node.inputs.size(), node.outputs.size());
}
/// Returns the number of operands of a node without `apply`, the optional last operand of updates.
size_t numOwnOperands(const Node& node);
/// Returns whether a node only looks at gradients, as all_finite and gradient_norm do. The last
/// operands of both may be pairs that stand for products (attribute pairs).
inline bool observesGradients(const Node& node) {
  return node.op->role == OpRole::AllFinite || node.op->role == OpRole::GradientNorm;
}
/// Returns the operand `apply` (f32[]) of an update, or an invalid id. Where it is 0, the update
/// writes nothing, and its outputs are the old values.
ValueId applyOf(const Node& node);
/// Returns the names of the variables that a 16-bit variable is a copy of (attribute copy_of, one
/// name in each line); none for other variables. The copy of several ones has their columns next to
/// each other: as many rows as its shape says, one if it has rank 1.
std::vector<std::string> sourcesOfCopy(const Node& variable);

}  // namespace strata
