// SPDX-License-Identifier: Apache-2.0
// Lets products, convolutions, attention, and the ops between them compute with 16-bit numbers, and
// store their results in half the bytes.
//
//   before:  x, w -> matmul -> add -> activation relu -> reduce_sum -> y
//                              bias
//   after:   x -> cast ---\                                           (all f32 except
//            w -> cast -> matmul -> add -> activation relu              where noted)
//                       bias -> cast -^        | bf16
//                                              v
//                                          reduce_sum -> y f32
//
// OpDef::precision says which ops compute in 16 bits. Lookups in a table of weights do so on
// devices that round them. An op that follows its operands does so if one of them has 16 bits. It
// stays f32 if another operand is a computed f32 value that is repeated along the result, such as
// the scale of a normalization, because rounding it would change many elements alike. Movement also
// has 16 bits if only ops with 16 bits use the result. Inputs, variables, outputs and updates stay
// f32. So do ops that belong to no layer, which are those of losses and metrics, and sums of the
// gradients of weights.
//
// An op reads a value in each type at most from one cast. A value that was rounded is never read in
// f32 by an op that needs 16 bits.
#include <algorithm>
#include <map>
#include <set>

#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

class PrecisionLowerer {
 public:
  PrecisionLowerer(Graph& graph, DType low, const DeviceTraits& device, PassReport& report)
      : m_graph(graph),
        m_low(low),
        m_roundsLookups(device.roundsLookups),
        m_report(report),
        m_order(graph.order()),
        m_isLowered(static_cast<size_t>(graph.numNodes())),
        m_isLow(static_cast<size_t>(graph.numValues())) {}

  void run() {
    for (const NodeId id : m_order)
      if (isChosen(id)) choose(id);
    // From the last node to the first, so that chains of movement are chosen as a whole
    for (auto id = m_order.rbegin(); id != m_order.rend(); ++id)
      if (isMovementForLow(*id)) choose(*id);
    for (const NodeId id : m_order) {
      m_graph.checkStop();
      if (m_isLowered[at(id)])
        lower(id);
      else
        readFull(id);
    }
    // Users come before their operands
    for (auto id = m_order.rbegin(); id != m_order.rend(); ++id)
      if (m_isLowered[at(*id)]) m_graph.edit().removeNode(*id);
  }

 private:
  static size_t at(NodeId id) { return static_cast<size_t>(id.index); }
  static size_t at(ValueId id) { return static_cast<size_t>(id.index); }

  bool isF32(ValueId value) const { return m_graph.type(value).dtype == DType::F32; }
  /// Returns whether operand `i` of a node has 16 bits if the node computes in 16 bits.
  bool isLowOperand(const Node& node, size_t i) const {
    const std::vector<int>& listed = node.op->lowOperands;
    if (node.op->precision == OpPrecision::RoundsWeights) return false;
    return isF32(node.inputs[i]) &&
           (listed.empty() || std::ranges::find(listed, static_cast<int>(i)) != listed.end());
  }

  /// Returns whether an op could compute in 16 bits.
  bool isCandidate(const Node& node) const {
    if (node.op->precision == OpPrecision::Full || node.layer.empty() ||
        node.phase == Phase::Update)
      return false;
    if (node.op->precision == OpPrecision::RoundsWeights)
      return m_roundsLookups && isF32(node.inputs[0]) &&
             m_graph.value(node.inputs[0]).category == Category::Parameter;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      if (isLowOperand(node, i)) return true;
    return false;
  }

  bool isChosen(NodeId id) const {
    const Node& node = m_graph.node(id);
    if (!isCandidate(node)) return false;
    if (node.op->precision == OpPrecision::Low || node.op->precision == OpPrecision::RoundsWeights)
      return true;
    // The sum of several gradients of a weight
    if (node.op->precision == OpPrecision::Follows &&
        m_graph.value(node.outputs[0]).category == Category::Gradient)
      return false;
    bool hasLow = false;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!isLowOperand(node, i)) continue;
      if (m_isLow[at(node.inputs[i])])
        hasLow = true;
      else if (isRepeated(node, node.inputs[i]))
        return false;
    }
    return hasLow;
  }

  /// Returns whether an elementwise op repeats an operand that was computed in f32. Parameters,
  /// such as a bias, and numbers are not computed.
  bool isRepeated(const Node& node, ValueId operand) const {
    if (node.op->kind != OpKind::Elementwise) return false;
    const Shape &shape = m_graph.shape(operand), &out = m_graph.shape(node.outputs[0]);
    return shape.numElements() < out.numElements() &&
           producerOf(m_graph, viewedBy(m_graph, operand)).op->kind != OpKind::Source;
  }

  bool isMovementForLow(NodeId id) const {
    const Node& node = m_graph.node(id);
    if (m_isLowered[at(id)] || node.op->precision != OpPrecision::Follows || !isCandidate(node) ||
        (node.op->kind != OpKind::View && node.op->kind != OpKind::Movement))
      return false;
    const Value& value = m_graph.value(node.outputs[0]);
    return value.category != Category::Gradient && value.names == 0 && !value.uses.empty() &&
           std::ranges::all_of(value.uses, [&](const Use& use) {
             return m_isLowered[at(use.node)] &&
                    isLowOperand(m_graph.node(use.node), static_cast<size_t>(use.operand));
           });
  }

  void choose(NodeId id) {
    m_isLowered[at(id)] = 1;
    const Node& node = m_graph.node(id);
    std::vector<TensorType> types;
    for (size_t i = 0; i < node.inputs.size(); ++i)
      types.push_back({isLowOperand(node, i) ? m_low : m_graph.type(node.inputs[i]).dtype,
                       m_graph.shape(node.inputs[i])});
    const Attributes attributes = attributesOf(node);
    types = node.op->infer(ShapeContext{*node.op, types, attributes});
    for (size_t i = 0; i < types.size(); ++i)
      m_isLow[at(node.outputs[i])] = types[i].dtype == m_low;
  }

  /// Returns the attributes of a node that computes in 16 bits.
  Attributes attributesOf(const Node& node) const {
    Attributes attributes = node.attributes;
    if (attributes.has("dtype") && isF32(node.outputs[0]))
      attributes.set("dtype", std::string(dtypeName(m_low)));
    return attributes;
  }

  /// Returns a cast of a value that is placed before `user`.
  ValueId casted(ValueId value, DType dtype, NodeId user) {
    const ReplacementScope scope(m_graph, user);
    const bool isOfWeights = m_graph.value(value).category == Category::Parameter;
    if (m_graph.value(value).category == Category::Gradient)
      m_graph.context.category = Category::Gradient;
    else if (m_graph.context.phase == Phase::Forward && !isOfWeights)
      m_graph.context.category = Category::Activation;
    else
      m_graph.context.category = Category::Temporary;
    const Node& producer = producerOf(m_graph, value);
    // Losses and updates belong to no layer
    if (m_graph.context.layer.empty()) m_graph.context.layer = producer.layer;
    if (producer.op->role == OpRole::Constant)
      return m_graph.addConstant(producer.payload->converted(dtype));
    return cast(m_graph, value, dtype);
  }

  ValueId lowOf(ValueId value, NodeId user) {
    ValueId& low = m_lowOf[value];
    if (!low.isValid()) low = casted(value, m_low, user);
    return low;
  }

  /// Returns the f32 version of a value that was replaced by a 16-bit one.
  ValueId fullOf(ValueId value, NodeId user) {
    ValueId& full = m_fullOf[value];
    if (!full.isValid()) full = casted(m_lowOf.at(value), DType::F32, user);
    return full;
  }

  /// Replaces a node by one with 16-bit operands. The old node stays until the end of the pass.
  void lower(NodeId id) {
    std::vector<ValueId> operands = m_graph.node(id).inputs;
    for (size_t i = 0; i < operands.size(); ++i) {
      if (isLowOperand(m_graph.node(id), i))
        operands[i] = lowOf(operands[i], id);
      else if (m_replaced.contains(operands[i]))
        operands[i] = fullOf(operands[i], id);
    }
    const Node old = m_graph.node(id);
    NodeId made;
    {
      const ReplacementScope scope(m_graph, id);
      made = m_graph.addNode(*old.op, std::move(operands), attributesOf(old));
      m_graph.edit().mutableNode(made).slices = old.slices;
    }
    note(m_report, old, old.op->name + " in " + std::string(dtypeName(m_low)));
    for (size_t i = 0; i < old.outputs.size(); ++i) {
      const ValueId before = old.outputs[i], after = m_graph.node(made).outputs[i];
      m_graph.edit().setCategory(after, m_graph.value(before).category);
      if (m_graph.type(before) == m_graph.type(after)) {
        m_graph.edit().replaceAllUses(before, after);
        continue;
      }
      m_lowOf[before] = after;
      m_replaced.insert(before);
      if (m_graph.value(before).names == 0) continue;
      const ValueId full = fullOf(before, id);
      m_lowOf[full] = after;
      m_graph.edit().replaceAllUses(before, full);
    }
  }

  /// Lets a node that stays f32 read f32 versions of its operands.
  void readFull(NodeId id) {
    for (size_t i = 0; i < m_graph.node(id).inputs.size(); ++i)
      if (const ValueId input = m_graph.node(id).inputs[i]; m_replaced.contains(input))
        m_graph.edit().setInput(id, static_cast<int>(i), fullOf(input, id));
  }

  Graph& m_graph;
  const DType m_low;
  const bool m_roundsLookups;
  PassReport& m_report;
  const std::vector<NodeId> m_order;
  // For the nodes and values of the graph before the pass
  std::vector<char> m_isLowered, m_isLow;
  // The 16-bit version of a value: that of the node that replaces its producer, or a cast
  std::map<ValueId, ValueId> m_lowOf;
  // The f32 version of a replaced value
  std::map<ValueId, ValueId> m_fullOf;
  // The values whose producers were replaced by nodes with a 16-bit result
  std::set<ValueId> m_replaced;
};

}  // namespace

void mixedPrecision(Graph& graph, Precision precision, const DeviceTraits& device,
                    PassReport& report) {
  if (precision == Precision::Float32 || precision == Precision::Tf32) return;
  PrecisionLowerer(graph, precision == Precision::BFloat16 ? DType::BF16 : DType::F16, device,
                   report)
      .run();
}

}  // namespace strata
