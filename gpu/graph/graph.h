// SPDX-License-Identifier: Apache-2.0
// The static, typed graph of one compiled step. It contains the forward pass, the backward pass and
// the update in single assignment form. Only variables change: each has a value at the start of a
// step and a value at its end (`next`). The op that computes `next` overwrites the variable in
// place. Passes may therefore merge, move and repeat all other ops, as long as no op reads a
// variable after it was overwritten. Not here: the definitions of ops (gpu/graph/op.h and gpu/ops),
// running them (gpu/exec).
// Thread: the class has no locks. Several threads may read a graph if order() was called after the
// last edit.
#pragma once

#include <deque>
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
  /// The layer and phase of new nodes, and the category of their outputs. Scope sets them for a
  /// block of code.
  struct Context {
    std::string layer;
    Phase phase = Phase::Forward;
    Category category = Category::Activation;
  };
  Context context;

  /// Adds a node at the insertion point, which is the end unless GraphEditor::setInsertionPoint()
  /// was called. The shape rule of the op determines the types of the outputs, and context.category
  /// is their category. Fails: ShapeMismatch, InvalidArgument, UnsupportedOp or OutOfMemory. The
  /// subject of the error is the layer, or the op if context.layer is empty.
  NodeId addNode(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes = {},
                 std::shared_ptr<const Tensor> payload = nullptr);
  /// Adds a node as addNode() does, and returns its first output.
  ValueId add(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes = {});

  /// Adds a tensor that the caller sets before each step, such as the batch, the labels or the
  /// learning rate. Fails: InvalidArgument if the name exists.
  ValueId addInput(std::string name, TensorType type);
  ValueId addConstant(Tensor tensor);
  ValueId addVariable(std::string name, TensorType type, Category category, bool trainable);
  /// Sets the value that a variable has at the end of the step. Fails: InvalidArgument if there is
  /// no such variable; ShapeMismatch if the types differ.
  void setNext(std::string_view variable, ValueId next);
  void addOutput(std::string name, ValueId value);

  // These references stay valid while the graph grows.
  const Node& node(NodeId id) const { return m_nodes[static_cast<size_t>(id.index)]; }
  const Value& value(ValueId id) const { return m_values[static_cast<size_t>(id.index)]; }
  const TensorType& type(ValueId id) const { return value(id).type; }
  const Shape& shape(ValueId id) const { return value(id).type.shape; }
  /// Returns the number of nodes, including removed ones. Their ids are 0 to numNodes() - 1.
  int numNodes() const { return static_cast<int>(m_nodes.size()); }
  int numValues() const { return static_cast<int>(m_values.size()); }
  bool isAlive(NodeId id) const { return node(id).op != nullptr; }
  /// Returns the nodes that were not removed, in the order of execution. This is a topological
  /// order, which passes may change.
  const std::vector<NodeId>& order() const { return m_order.list(); }

  const std::vector<NamedValue>& inputs() const { return m_inputs; }
  const std::vector<NamedValue>& outputs() const { return m_outputs; }
  const std::vector<Variable>& variables() const { return m_variables; }
  const Variable* findVariable(std::string_view name) const;

  /// Returns an editor for passes and autodiff, which change existing nodes.
  GraphEditor edit();

  /// Sets the token that passes and other long computations on this graph check. After a stop
  /// request they fail with Stopped within milliseconds.
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
  /// Makes a variable keep its value.
  void clearNext(size_t index);
  [[noreturn]] static void stopped();

  // Deques, because callers pass references to a shape together with a call that adds nodes, as in
  // reshape(g, exp(g, x), g.shape(x))
  std::deque<Node> m_nodes;
  std::deque<Value> m_values;
  NodeOrder m_order;
  std::vector<NamedValue> m_inputs, m_outputs;
  std::vector<Variable> m_variables;
  // The index in m_variables of each name
  std::unordered_map<std::string, size_t> m_variableAt;
  NodeId m_insertionPoint;
  std::stop_token m_stop;
};

/// These functions return the value of the input or output with this name, or an invalid id if the
/// graph has no input or output with this name.
ValueId findInput(const Graph& graph, std::string_view name);
ValueId findOutput(const Graph& graph, std::string_view name);

/// Changes existing nodes of a graph. Graph::edit() creates an editor. The graph must outlive it.
class GraphEditor {
 public:
  explicit GraphEditor(Graph& graph) : m_graph(graph) {}

  /// Returns a node whose attributes, slices, layer and phase may be changed. To change its inputs
  /// or outputs, use the functions below, which update the uses of the values.
  Node& mutableNode(NodeId id) { return m_graph.m_nodes[static_cast<size_t>(id.index)]; }
  void setCategory(ValueId id, Category category) {
    m_graph.m_values[static_cast<size_t>(id.index)].category = category;
  }
  /// Sets the order of execution. Requires: `order` is topological and contains each node that was
  /// not removed once. Fails: Internal.
  void setOrder(std::vector<NodeId> order);
  /// Replaces `from` by `to` in the inputs of nodes, in the outputs of the graph and in
  /// Variable::next. Requires: equal types.
  void replaceAllUses(ValueId from, ValueId to);
  /// Sets the order of the axes of a variable (attribute `axes`) and the shape of its value.
  /// Requires: the caller replaces all users that depend on the order.
  void reorderVariable(std::string_view name, const std::vector<int64_t>& axes);
  /// Removes a variable and its next value. Requires: nothing else uses its value. Fails: Internal.
  void removeVariable(std::string_view name);
  void setInput(NodeId node, int operand, ValueId value);
  /// Adds an operand to a node whose op allows one more.
  void appendInput(NodeId node, ValueId value);
  /// Removes a node. Requires: no output of the node is used (see Value::isUsed), and the node is
  /// not an input or a variable. Fails: Internal.
  void removeNode(NodeId node);
  /// Sets where new nodes are inserted: directly before this node, or at the end if the id is
  /// invalid.
  void setInsertionPoint(NodeId position = {}) { m_graph.m_insertionPoint = position; }

 private:
  void removeUse(ValueId value, Use use);
  Graph& m_graph;
};

inline GraphEditor Graph::edit() { return GraphEditor(*this); }

/// Sets Graph::context for a block of code. The destructor restores the previous context.
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
