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

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "gpu/base/ids.h"
#include "gpu/graph/attributes.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct OpDef;

/// What a value's bytes are used for, set when the value is created. The names are those of `plan
/// --json`.
enum class Category : uint8_t {
  Parameter,
  Gradient,
  Optimizer,
  Activation,
  Input,
  Temporary,
  Workspace,
  Communication
};
constexpr int kNumCategories = 8;
// "parameter", ...
std::string_view categoryName(Category category);
std::optional<Category> categoryFromName(std::string_view name);

enum class Phase : uint8_t { Forward, Backward, Update };
std::string_view phaseName(Phase phase);
std::optional<Phase> phaseFromName(std::string_view name);

struct Use {
  NodeId node;
  int operand = 0;
  bool operator==(const Use&) const = default;
};

/// The uses of a value in order of creation. Most are also removed in that order, so removing one
/// shifts the shorter side.
class UseList {
 public:
  using const_iterator = std::vector<Use>::const_iterator;
  const_iterator begin() const { return m_uses.begin() + static_cast<std::ptrdiff_t>(m_first); }
  const_iterator end() const { return m_uses.end(); }
  size_t size() const { return m_uses.size() - m_first; }
  bool empty() const { return size() == 0; }
  const Use& operator[](size_t i) const { return m_uses[m_first + i]; }
  void push_back(Use use) { m_uses.push_back(use); }
  void clear() {
    m_uses.clear();
    m_first = 0;
  }
  void erase(const_iterator at) {
    const auto first = m_uses.begin() + static_cast<std::ptrdiff_t>(m_first),
               place = first + (at - begin());
    if (place - first < m_uses.end() - place) {
      std::move_backward(first, place, place + 1);
      ++m_first;
    }
    else {
      m_uses.erase(place);
    }
  }

 private:
  std::vector<Use> m_uses;
  // Elements before it have been removed
  size_t m_first = 0;
};

struct Value {
  TensorType type;
  Category category = Category::Temporary;
  NodeId producer;
  int outputIndex = 0;
  // Kept by Graph
  UseList uses;
  // The number of outputs and variables' `next` with this value; kept by Graph
  int names = 0;
  // The first variable whose `next` is this value; the others follow through sameNext; kept by
  // Graph
  int firstVariable = -1;
};

struct Node {
  // Null if the node was removed
  const OpDef* op = nullptr;
  std::vector<ValueId> inputs, outputs;
  Attributes attributes;
  // The layer shown to the user, or "" (update ops have the layer of their variable)
  std::string layer;
  Phase phase = Phase::Forward;
  // Only for `constant`
  std::shared_ptr<const Tensor> payload;
};

/// State kept between steps: weights, moving statistics, optimizer moments.
struct Variable {
  // "conv1/kernel"; optimizer state "conv1/kernel:m"
  std::string name;
  // At the start of a step; the output of a `variable` node
  ValueId value;
  // At the end of the step; invalid if the step does not change it
  ValueId next;
  bool trainable = false;
  // The next variable with the same `next`; kept by Graph
  int sameNext = -1;
};

struct NamedValue {
  std::string name;
  ValueId value;
};

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
  // Do not change inputs or outputs here: use the functions below
  Node& mutableNode(NodeId id) { return m_nodes[static_cast<size_t>(id.index)]; }
  const Value& value(ValueId id) const { return m_values[static_cast<size_t>(id.index)]; }
  const TensorType& type(ValueId id) const { return value(id).type; }
  const Shape& shape(ValueId id) const { return value(id).type.shape; }
  void setCategory(ValueId id, Category category) {
    m_values[static_cast<size_t>(id.index)].category = category;
  }
  // Ids run 0..numNodes-1, removed ones included
  int numNodes() const { return static_cast<int>(m_nodes.size()); }
  int numValues() const { return static_cast<int>(m_values.size()); }
  bool isAlive(NodeId id) const { return node(id).op != nullptr; }
  /// The live nodes in execution order, which is a topological order. Passes may change it with
  /// setOrder().
  const std::vector<NodeId>& order() const;
  /// Requires: a permutation of the live nodes in topological order (Fails: Internal).
  void setOrder(std::vector<NodeId> order);

  const std::vector<NamedValue>& inputs() const { return m_inputs; }
  const std::vector<NamedValue>& outputs() const { return m_outputs; }
  const std::vector<Variable>& variables() const { return m_variables; }
  const Variable* findVariable(std::string_view name) const;
  // Invalid if there is none
  ValueId findInput(std::string_view name) const;
  ValueId findOutput(std::string_view name) const;

  // Editing, for passes and autodiff. Replaces `from` in uses, outputs and variables' `next`
  void replaceAllUses(ValueId from, ValueId to);
  void setInput(NodeId node, int operand, ValueId value);
  /// Requires: none of its outputs is used, is a graph output or is a variable's `next`; the node
  /// is not an input or variable (Fails: Internal).
  void removeNode(NodeId node);
  /// While an insertion point is set, new nodes go right before it, otherwise to the end.
  void setInsertionPoint(NodeId position) { m_insertionPoint = position; }
  void clearInsertionPoint() { m_insertionPoint = {}; }

  /// Sets the token that code working on this graph checks regularly. After a stop request the work
  /// ends with Stopped within milliseconds.
  void setStop(std::stop_token stop) { m_stop = std::move(stop); }
  /// Fails: Stopped if a stop was requested.
  void checkStop() const {
    if (m_stop.stop_requested()) stopped();
  }

  /// Is `value` used by a node, an output or a variable's next?
  bool isUsed(ValueId value) const;

 private:
  NodeId append(const OpDef& op, std::vector<ValueId> inputs, Attributes attributes,
                std::span<const TensorType> types, Category category,
                std::shared_ptr<const Tensor> payload);
  [[noreturn]] static void stopped();
  void removeUse(ValueId value, Use use);
  // Inserts at the end if `before` is invalid
  void link(NodeId node, NodeId before);
  void unlink(NodeId node);
  std::vector<Node> m_nodes;
  std::vector<Value> m_values;
  // The order as a linked list, so that edits take constant time; order() writes it out on demand.
  struct Neighbours {
    NodeId previous, next;
  };
  // By node; only live nodes
  std::vector<Neighbours> m_neighbours;
  NodeId m_first, m_last;
  size_t m_numLive = 0;
  mutable std::vector<NodeId> m_order;
  mutable bool m_isOrderStale = false;
  std::vector<NamedValue> m_inputs, m_outputs;
  std::vector<Variable> m_variables;
  // Index in m_variables
  std::unordered_map<std::string, size_t> m_variableAt;
  NodeId m_insertionPoint;
  std::stop_token m_stop;
};

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
