// SPDX-License-Identifier: Apache-2.0
// The static, typed graph of one compiled step: forward, backward and update together, in single
// assignment form.
// Not here: what ops mean (gpu/graph/op.h and gpu/ops), how they run (gpu/exec). State is explicit:
// a Variable has the value at the start of a step and the value at its end (`next`). The op that
// produces `next` overwrites the variable in place. Nothing else is mutated, so passes may merge,
// move and repeat ops.
// Thread: a value; copy it to share it. Several threads may read a graph after order() has been
// called since its last edit.
#pragma once

#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/graph/node.h"
#include "gpu/graph/node_order.h"

namespace strata {

class GraphEditor;

class Graph {
 public:
  /// The defaults for new nodes; builders set them for a layer or phase (see Scope).
  struct Context {
    std::string layer;
    Phase phase = Phase::Forward;
    Category category = Category::Activation;
  };
  Context context;

  /// Appends a node. The op's shape rule gives the types of the outputs; their category is
  /// context.category.
  /// Fails: ShapeMismatch, InvalidArgument, UnsupportedOp with the layer as subject.
  NodeId addNode(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes = {},
                 std::shared_ptr<const Tensor> payload = nullptr);
  /// addNode() for an op with one output.
  ValueId add(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes = {});

  /// Adds a tensor that is fed at each step: batch, labels, learning rate, step number, seed.
  ValueId addInput(std::string name, TensorType type);
  ValueId addConstant(Tensor tensor);
  ValueId addVariable(std::string name, TensorType type, Category category, bool trainable);
  /// Requires: same type as the variable.
  void setNext(std::string_view variable, ValueId next);
  void addOutput(std::string name, ValueId value);

  const Node& node(NodeId id) const { return m_nodes[static_cast<size_t>(id.index)]; }
  const Value& value(ValueId id) const { return m_values[static_cast<size_t>(id.index)]; }
  const TensorType& type(ValueId id) const { return value(id).type; }
  const Shape& shape(ValueId id) const { return value(id).type.shape; }
  // Ids run 0..numNodes-1, removed ones included
  int numNodes() const { return static_cast<int>(m_nodes.size()); }
  int numValues() const { return static_cast<int>(m_values.size()); }
  bool isAlive(NodeId id) const { return node(id).op != nullptr; }
  /// The live nodes in execution order, which is a topological order. Passes may change it.
  const std::vector<NodeId>& order() const { return m_order.list(); }

  const std::vector<NamedValue>& inputs() const { return m_inputs; }
  const std::vector<NamedValue>& outputs() const { return m_outputs; }
  const std::vector<Variable>& variables() const { return m_variables; }
  const Variable* findVariable(std::string_view name) const;

  /// For passes and autodiff, which change nodes that exist.
  GraphEditor edit();

  /// Sets the token that code working on this graph checks regularly. After a stop request the work
  /// ends with Stopped within milliseconds.
  void setStop(std::stop_token stop) { m_stop = std::move(stop); }
  /// Fails: Stopped if a stop was requested.
  void checkStop() const {
    if (m_stop.stop_requested()) stopped();
  }

 private:
  friend class GraphEditor;
  NodeId append(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes,
                std::span<const TensorType> types, Category category,
                std::shared_ptr<const Tensor> payload);
  [[noreturn]] static void stopped();

  std::vector<Node> m_nodes;
  std::vector<Value> m_values;
  NodeOrder m_order;
  std::vector<NamedValue> m_inputs, m_outputs;
  std::vector<Variable> m_variables;
  // Index in m_variables
  std::unordered_map<std::string, size_t> m_variableAt;
  NodeId m_insertionPoint;
  std::stop_token m_stop;
};

// The value of the input or output with this name; invalid if there is none
ValueId findInput(const Graph& graph, std::string_view name);
ValueId findOutput(const Graph& graph, std::string_view name);

/// Changes nodes of a graph that exist. Get one from Graph::edit(); it must not outlive the graph.
class GraphEditor {
 public:
  explicit GraphEditor(Graph& graph) : m_graph(graph) {}

  // Do not change inputs or outputs here: use the functions below
  Node& mutableNode(NodeId id) { return m_graph.m_nodes[static_cast<size_t>(id.index)]; }
  void setCategory(ValueId id, Category category) {
    m_graph.m_values[static_cast<size_t>(id.index)].category = category;
  }
  /// Requires: a permutation of the live nodes in topological order (Fails: Internal).
  void setOrder(std::vector<NodeId> order);
  // Replaces `from` in uses, outputs and variables' `next`
  void replaceAllUses(ValueId from, ValueId to);
  void setInput(NodeId node, int operand, ValueId value);
  /// Requires: none of its outputs is used, is a graph output or is a variable's `next`; the node
  /// is not an input or variable (Fails: Internal).
  void removeNode(NodeId node);
  /// While an insertion point is set, new nodes go right before it. An invalid id clears it: new
  /// nodes go to the end.
  void setInsertionPoint(NodeId position = {}) { m_graph.m_insertionPoint = position; }

 private:
  void removeUse(ValueId value, Use use);
  Graph& m_graph;
};

inline GraphEditor Graph::edit() { return GraphEditor(*this); }

/// Sets layer, phase and category of new nodes for a block of code.
class Scope {
 public:
  Scope(Graph& graph, std::string layer, Phase phase, Category category)
      : m_graph(graph), m_saved(graph.context) {
    graph.context = {std::move(layer), phase, category};
  }
  ~Scope() { m_graph.context = std::move(m_saved); }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  Graph& m_graph;
  Graph::Context m_saved;
};

}  // namespace strata
