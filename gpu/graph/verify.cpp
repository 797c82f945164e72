// SPDX-License-Identifier: Apache-2.0
#include "gpu/graph/verify.h"

#include <algorithm>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

class Verifier {
 public:
  explicit Verifier(const Graph& graph)
      : m_graph(graph),
        m_position(static_cast<size_t>(graph.numNodes()), -1),
        m_reads(static_cast<size_t>(graph.numValues()), 0) {}

  void run() {
    checkOrder();
    for (NodeId id : m_graph.order()) {
      m_graph.checkStop();
      checkNode(id);
    }
    for (int i = 0; i < m_graph.numValues(); ++i)
      checkValue(ValueId{i});
    checkNames();
    checkState();
  }

 private:
  std::string describe(NodeId id) const {
    const Node& node = m_graph.node(id);
    std::string text = "node " + std::to_string(id.index) + " " + node.op->name + "(";
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i > 0) text += ", ";
      const ValueId input = node.inputs[i];
      text += "value " + std::to_string(input.index);
      if (exists(input)) text += " " + m_graph.type(input).toString();
    }
    return text + ")" + (node.layer.empty() ? "" : " of layer \"" + node.layer + "\"");
  }

  [[noreturn]] void fail(NodeId id, const std::string& message) const {
    const Node& node = m_graph.node(id);
    throw Error(ErrorCode::Internal, node.layer.empty() ? node.op->name : node.layer,
                "broken graph: " + describe(id) + " " + message);
  }

  [[noreturn]] void fail(const std::string& subject, const std::string& message) const {
    throw Error(ErrorCode::Internal, subject, "broken graph: " + message);
  }

  bool exists(ValueId id) const { return id.isValid() && id.index < m_graph.numValues(); }
  bool isMade(ValueId id) const {
    return exists(id) && m_graph.isAlive(m_graph.value(id).producer);
  }
  int positionOf(NodeId id) const { return m_position[static_cast<size_t>(id.index)]; }

  void checkOrder() {
    int position = 0, alive = 0;
    for (NodeId id : m_graph.order()) {
      if (!id.isValid() || id.index >= m_graph.numNodes() || !m_graph.isAlive(id))
        fail("order",
             "the order names node " + std::to_string(id.index) + ", which does not exist.");
      if (positionOf(id) >= 0) fail(id, "appears twice in the order.");
      m_position[static_cast<size_t>(id.index)] = position++;
    }
    for (int i = 0; i < m_graph.numNodes(); ++i)
      alive += m_graph.isAlive(NodeId{i}) ? 1 : 0;
    if (alive != position)
      fail("order", std::to_string(alive - position) + " nodes are missing from the order.");
  }

  void checkNode(NodeId id) {
    const Node& node = m_graph.node(id);
    const OpDef& op = *node.op;
    const int count = static_cast<int>(node.inputs.size());
    if (count < op.minInputs || (op.maxInputs >= 0 && count > op.maxInputs))
      fail(id, "has the wrong number of operands.");
    std::vector<TensorType> types;
    for (int i = 0; i < count; ++i) {
      const ValueId input = node.inputs[static_cast<size_t>(i)];
      if (!isMade(input))
        fail(id, "reads operand " + std::to_string(i) + ", which no node produces.");
      if (positionOf(m_graph.value(input).producer) >= positionOf(id))
        fail(id, "reads operand " + std::to_string(i) + " before it is produced.");
      ++m_reads[static_cast<size_t>(input.index)];
      types.push_back(m_graph.type(input));
    }
    for (const auto& [name, value] : node.attributes.entries()) {
      const auto spec =
          std::find_if(op.attributes.begin(), op.attributes.end(),
                       [&, &wanted = name](const AttributeSpec& s) { return s.name == wanted; });
      if (spec == op.attributes.end()) fail(id, "has the unknown attribute \"" + name + "\".");
      if (spec->defaultValue.index() != value.index())
        fail(id, "has an attribute \"" + name + "\" of the wrong type.");
    }
    for (const AttributeSpec& spec : op.attributes)
      if (!node.attributes.has(spec.name)) fail(id, "lacks the attribute \"" + spec.name + "\".");
    if (op.infer == nullptr) {
      if (node.outputs.size() != 1) fail(id, "has a wrong number of outputs.");
      return;
    }
    if (node.slices < 1) fail(id, "has fewer than one slice.");
    if (op.role == OpRole::Constant && !node.payload) fail(id, "has no payload.");
    std::vector<TensorType> inferred;
    try {
      inferred = op.infer(ShapeContext{op, types, node.attributes, node.payload.get()});
    }
    catch (const Error& error) {
      fail(id, std::string("violates its shape rule: ") + error.what());
    }
    if (inferred.size() != node.outputs.size()) fail(id, "has a wrong number of outputs.");
    for (size_t i = 0; i < inferred.size(); ++i) {
      if (!exists(node.outputs[i])) fail(id, "has an output that does not exist.");
      const Value& output = m_graph.value(node.outputs[i]);
      if (output.producer != id || output.outputIndex != static_cast<int>(i))
        fail(id, "has an output that names another producer.");
      if (output.type != inferred[i])
        fail(id, "has output type " + output.type.toString() +
                     " (expected by its shape rule: " + inferred[i].toString() + ").");
    }
  }

  /// Checks that the uses of a value contain no duplicates, and that their number equals the number
  /// of operands that read the value. checkValue() checks that each use exists. Together, these
  /// checks ensure that each read is listed exactly once.
  void checkReads(ValueId id) const {
    const auto fewer = [](const Use& a, const Use& b) {
      return std::pair(a.node.index, a.operand) < std::pair(b.node.index, b.operand);
    };
    const UseList& listed = m_graph.value(id).uses;
    std::vector<Use> uses(listed.begin(), listed.end());
    if (!std::is_sorted(uses.begin(), uses.end(), fewer))
      std::sort(uses.begin(), uses.end(), fewer);
    if (uses.size() == m_reads[static_cast<size_t>(id.index)] &&
        std::adjacent_find(uses.begin(), uses.end()) == uses.end())
      return;
    for (const NodeId reader : m_graph.order())
      for (size_t i = 0; i < m_graph.node(reader).inputs.size(); ++i)
        if (m_graph.node(reader).inputs[i] == id &&
            std::count(uses.begin(), uses.end(), Use{reader, static_cast<int>(i)}) != 1)
          fail(reader,
               "is not listed exactly once among the uses of operand " + std::to_string(i) + ".");
  }

  void checkValue(ValueId id) const {
    checkReads(id);
    const Value& value = m_graph.value(id);
    for (const Use& use : value.uses) {
      const bool isReal = use.node.isValid() && use.node.index < m_graph.numNodes() &&
                          m_graph.isAlive(use.node) && use.operand >= 0 &&
                          static_cast<size_t>(use.operand) < m_graph.node(use.node).inputs.size() &&
                          m_graph.node(use.node).inputs[static_cast<size_t>(use.operand)] == id;
      if (!isReal)
        fail("value " + std::to_string(id.index),
             "value " + std::to_string(id.index) + " lists a use that does not exist.");
    }
  }

  bool isSource(ValueId id, OpRole role, const std::string& name) const {
    if (!isMade(id)) return false;
    const Node& node = m_graph.node(m_graph.value(id).producer);
    return node.op->role == role && node.attributes.get<std::string>("name") == name;
  }

  void checkNames() const {
    std::vector<int> names(static_cast<size_t>(m_graph.numValues()), 0);
    for (const NamedValue& output : m_graph.outputs())
      if (exists(output.value)) ++names[static_cast<size_t>(output.value.index)];
    for (const Variable& variable : m_graph.variables())
      if (exists(variable.next)) ++names[static_cast<size_t>(variable.next.index)];
    for (int i = 0; i < m_graph.numValues(); ++i)
      if (names[static_cast<size_t>(i)] != m_graph.value(ValueId{i}).names)
        fail("value " + std::to_string(i),
             "value " + std::to_string(i) + " has a wrong count of names.");
    size_t sources = 0;
    for (NodeId id : m_graph.order())
      sources += m_graph.node(id).op->infer == nullptr ? 1u : 0u;
    if (sources != m_graph.inputs().size() + m_graph.variables().size())
      fail("inputs", "an input or variable is missing from the graph's lists.");
    for (const NamedValue& input : m_graph.inputs())
      if (!isSource(input.value, OpRole::Input, input.name))
        fail(input.name, "input \"" + input.name + "\" is not produced by a node with its name.");
    for (const Variable& variable : m_graph.variables())
      if (!isSource(variable.value, OpRole::Variable, variable.name))
        fail(variable.name,
             "variable \"" + variable.name + "\" is not produced by a node with its name.");
    for (const NamedValue& output : m_graph.outputs())
      if (!isMade(output.value))
        fail(output.name, "output \"" + output.name + "\" is not produced by any node.");
  }

  /// Tracks the newest version of each variable in execution order. A node must not read an older
  /// version, because its bytes have been overwritten.
  void checkState() const {
    const auto count = static_cast<size_t>(m_graph.numValues());
    // For each value, the variable whose bytes it shares (as Variable::value), or an invalid id
    std::vector<ValueId> stateOf(count);
    // For each value with a valid stateOf, the version of the variable that it needs: the value of
    // the variable or the output of an update
    std::vector<ValueId> versionOf(count);
    // For each Variable::value, the newest version of the variable
    std::vector<ValueId> newest(count);
    const auto at = [](std::vector<ValueId>& values, ValueId value) -> ValueId& {
      return values[static_cast<size_t>(value.index)];
    };
    for (const Variable& variable : m_graph.variables())
      at(stateOf, variable.value) = at(versionOf, variable.value) = at(newest, variable.value) =
          variable.value;
    const auto isStale = [&](ValueId value) {
      const ValueId state = at(stateOf, value);
      return state.isValid() && at(newest, state) != at(versionOf, value);
    };
    for (NodeId id : m_graph.order()) {
      const Node& node = m_graph.node(id);
      for (size_t i = 0; i < node.inputs.size(); ++i)
        if (isStale(node.inputs[i]))
          fail(id, "reads operand " + std::to_string(i) +
                       " after it was overwritten. Move it before the update.");
      if (node.op->kind == OpKind::View) {
        at(stateOf, node.outputs[0]) = at(stateOf, node.inputs[0]);
        at(versionOf, node.outputs[0]) = at(versionOf, node.inputs[0]);
      }
      if (node.op->kind != OpKind::Update) continue;
      for (const auto& [output, input] : sharedPairs(node)) {
        const ValueId target = node.inputs[static_cast<size_t>(input)],
                      made = node.outputs[static_cast<size_t>(output)];
        const ValueId state = at(stateOf, target);
        if (!state.isValid()) {
          const Value& changed = m_graph.value(target);
          if (changed.uses.size() > 1 || changed.names > 0)
            fail(id, "updates operand " + std::to_string(input) +
                         " in place, but it is not a variable, and something else uses it.");
          continue;
        }
        at(stateOf, made) = state;
        at(versionOf, made) = at(newest, state) = made;
      }
    }
    for (const Variable& variable : m_graph.variables()) {
      const bool isWritten = at(newest, variable.value) != variable.value;
      const bool isKept = !variable.next.isValid() || variable.next == variable.value;
      if (isKept && isWritten)
        fail(variable.name,
             "variable \"" + variable.name + "\" is updated, but has no next value. Call setNext.");
      if (isKept) continue;
      if (!isMade(variable.next))
        fail(variable.name,
             "the next value of \"" + variable.name + "\" is not produced by any node.");
      if (at(stateOf, variable.next) != variable.value ||
          at(newest, variable.value) != at(versionOf, variable.next))
        fail(variable.name,
             "the next value of \"" + variable.name +
                 "\" is not produced by an op that updates it in place. Use an update or assign.");
      if (m_graph.type(variable.next) != m_graph.type(variable.value))
        fail(variable.name, "the next value of \"" + variable.name + "\" has a different type.");
    }
    for (const NamedValue& output : m_graph.outputs())
      if (isStale(output.value))
        fail(output.name,
             "output \"" + output.name +
                 "\" is a variable that the step overwrites. Output its next value or a copy.");
  }

  const Graph& m_graph;
  std::vector<int> m_position;
  // For each value, how many operands of nodes read it
  std::vector<size_t> m_reads;
};

}  // namespace

void verify(const Graph& graph) { Verifier(graph).run(); }

}  // namespace strata
