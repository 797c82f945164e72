// SPDX-License-Identifier: Apache-2.0
#include "core/compile/join_pieces.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/compile/copy_node.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {
namespace {

constexpr std::string_view kSum = ":sum";

class Joiner {
 public:
  explicit Joiner(const std::vector<JoinedPiece>& pieces)
      : m_pieces(pieces), m_values(pieces.size()) {
    m_samples = pieces.back().offset + pieces.back().samples;
  }

  StepGraph run() {
    StepGraph joined = *m_pieces.back().step;
    joined.graph = Graph();
    for (const bool isForward : {true, false})
      for (size_t piece = 0; piece < m_pieces.size(); ++piece) {
        const Graph& graph = graphOf(piece);
        const size_t begin = firstBackward(graph);
        const std::vector<NodeId>& order = graph.order();
        for (size_t i = isForward ? 0 : begin; i < (isForward ? begin : order.size()); ++i)
          copy(piece, graph.node(order[i]));
        if (!isForward) endPiece(piece);
      }
    for (const Variable& variable : graphOf(m_pieces.size() - 1).variables())
      if (variable.next.isValid())
        m_graph.setNext(variable.name, m_values.back().at(variable.next));
    addHeld();
    for (StepPort& port : joined.inputs)
      port.type = widened(port.type);
    for (StepPort& port : joined.targets)
      port.type = widened(port.type);
    joined.graph = std::move(m_graph);
    return joined;
  }

 private:
  const Graph& graphOf(size_t piece) const { return m_pieces[piece].step->graph; }
  bool isLast(size_t piece) const { return piece + 1 == m_pieces.size(); }

  /// Returns the place in the order at which the backward pass begins.
  static size_t firstBackward(const Graph& graph) {
    const auto isAfter = [&](NodeId id) {
      const Node& node = graph.node(id);
      return node.op->kind != OpKind::Source && node.phase != Phase::Forward;
    };
    return static_cast<size_t>(std::ranges::find_if(graph.order(), isAfter) -
                               graph.order().begin());
  }

  TensorType widened(TensorType type) const {
    type.shape.set(0, m_samples);
    return type;
  }

  void copy(size_t piece, const Node& node) {
    std::map<ValueId, ValueId>& values = m_values[piece];
    if (node.op->kind == OpKind::Source) {
      values[node.outputs.front()] = source(piece, node);
      return;
    }
    const bool isUpdate = node.op->kind == OpKind::Update;
    // A sum over micro-batches is a value of the joined step
    if (isUpdate && m_sumNames.contains({piece, node.inputs.front()})) {
      require(numOwnOperands(node) == 2, "a sum over micro-batches is assigned");
      values[node.outputs.front()] = values.at(node.inputs[1]);
      return;
    }
    std::vector<ValueId> inputs;
    for (const ValueId input : node.inputs)
      inputs.push_back(values.at(input));
    if (isUpdate && applyOf(node).isValid()) inputs.back() = applied(inputs.back());
    const NodeId own = copyNode(m_graph, graphOf(piece), node, std::move(inputs));
    for (size_t i = 0; i < node.outputs.size(); ++i)
      values[node.outputs[i]] = m_graph.node(own).outputs[i];
  }

  ValueId source(size_t piece, const Node& node) {
    const Graph& graph = graphOf(piece);
    if (node.op->role == OpRole::Variable) {
      const auto& name = node.attributes.get<std::string>("name");
      if (!name.ends_with(kSum)) return copyVariable(m_graph, graph, node);
      m_sumNames[{piece, node.outputs.front()}] = name;
      // The first micro-batch only writes it
      const auto sum = m_sums.find(name);
      return sum == m_sums.end() ? ValueId{} : sum->second;
    }
    if (node.op->role != OpRole::Input) return copySource(m_graph, graph, node);
    return input(piece, node);
  }

  /// Returns the share of a micro-batch in an input.
  ValueId input(size_t piece, const Node& node) {
    const auto& [step, offset, samples] = m_pieces[piece];
    const Graph& graph = step->graph;
    const auto& name = node.attributes.get<std::string>("name");
    const TensorType& type = graph.type(node.outputs.front());
    const Scope scope(m_graph, node.layer, node.phase, Category::Input);
    if (name == "share")
      return constantScalar(
          m_graph, DType::F32,
          static_cast<float>(static_cast<double>(samples) / static_cast<double>(m_samples)));
    if (type.shape.rank() == 0) {
      const ValueId whole = copySource(m_graph, graph, node);
      if (name != "first_sample" || offset == 0) return whole;
      return add(m_graph, whole, m_graph.addConstant(Tensor::scalar(offset)));
    }
    ValueId whole = findInput(m_graph, name);
    if (!whole.isValid()) whole = m_graph.addInput(name, widened(type));
    std::vector<int64_t> begin(static_cast<size_t>(type.shape.rank()));
    begin[0] = offset;
    std::vector<int64_t> size;
    for (int i = 0; i < type.shape.rank(); ++i)
      size.push_back(type.shape[i]);
    return slice(m_graph, whole, std::move(begin), std::move(size));
  }

  /// Takes over the sums and results of a micro-batch.
  void endPiece(size_t piece) {
    const Graph& graph = graphOf(piece);
    for (const Variable& variable : graph.variables())
      if (variable.next.isValid() && variable.name.ends_with(kSum))
        m_sums[variable.name] = m_values[piece].at(variable.next);
    for (const NamedValue& output : graph.outputs()) {
      const ValueId value = m_values[piece].at(output.value);
      if (output.name != kFinite)
        m_graph.addOutput(resultOf(output.name, piece), value);
      else if (isLast(piece))
        m_graph.addOutput(kFinite, applied(value));
      else
        m_allFinite = m_allFinite.isValid() ? multiplied(m_allFinite, value) : value;
    }
  }

  ValueId multiplied(ValueId a, ValueId b) {
    const Scope scope(m_graph, "", Phase::Update, Category::Temporary);
    return multiply(m_graph, a, b);
  }

  /// Returns a flag of the last micro-batch that is 0 if one of the others is not finite, too.
  ValueId applied(ValueId flag) {
    const auto [known, isNew] = m_applied.try_emplace(flag);
    if (isNew) known->second = m_allFinite.isValid() ? multiplied(flag, m_allFinite) : flag;
    return known->second;
  }

  /// Adds the state of other steps, for which the step reserves memory.
  void addHeld() {
    for (size_t piece = 0; piece < m_pieces.size(); ++piece)
      for (const Variable& variable : graphOf(piece).variables())
        if (!variable.name.ends_with(kSum))
          copyVariable(m_graph, graphOf(piece),
                       graphOf(piece).node(graphOf(piece).value(variable.value).producer));
  }

  const std::vector<JoinedPiece>& m_pieces;
  int64_t m_samples = 0;
  Graph m_graph;
  // By micro-batch: the value of the joined step for each value
  std::vector<std::map<ValueId, ValueId>> m_values;
  // The values of variables that are sums over micro-batches
  std::map<std::pair<size_t, ValueId>, std::string> m_sumNames;
  std::map<std::string, ValueId> m_sums;
  // Whether all micro-batches before the last one are finite
  ValueId m_allFinite;
  std::map<ValueId, ValueId> m_applied;
};

}  // namespace

std::string resultOf(const std::string& name, size_t piece) {
  return piece == 0 ? name : name + "#" + std::to_string(piece);
}

StepGraph joinPieces(const std::vector<JoinedPiece>& pieces) { return Joiner(pieces).run(); }

}  // namespace strata
