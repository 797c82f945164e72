// SPDX-License-Identifier: Apache-2.0
// Updates all variables by one op for each kind of update, and lets it write the 16-bit copies of
// weights.
//
//   before:  w1, g1, m1, v1, rate, step, apply -> adam_update -> w1', m1', v1'
//            w2, g2, m2, v2, rate, step, apply -> adam_update -> w2', m2', v2'
//            w2' -> cast -> assign <- c2 (bf16)
//   after:   w1, m1, v1, w2, m2, v2, c2, g1, g2, rate, step, apply -> adam_updates
//                -> w1', m1', v1', w2', m2', v2', c2'
//
// The joined update and all_finite also read gradients of 16 bits without a cast.
//
// A launch on a card takes as long as an update of thousands of elements. Joined are updates with
// the same attributes, rate, step and `apply`, if no other node runs between them. Gradients are
// then kept until the last of them is known. If a memory limit lets updates run early
// (recompute.cpp), other nodes run between most of them.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "gpu/ops/joined_updates.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

constexpr size_t kGradient = 1;

bool isWide(DType dtype) { return dtype == DType::F32 || dtype == DType::F64; }

/// An update, and the nodes that copy its weight to a 16-bit variable (invalid if there are none).
struct Member {
  NodeId update, cast, copy;
};

/// Updates of one kind with the same attributes and shared operands.
struct Family {
  const OpDef* op = nullptr;
  Attributes attributes;
  std::vector<ValueId> shared;
  std::vector<Member> members;
};

/// Returns the operands of an update that are neither states nor the gradient.
std::vector<ValueId> sharedOperands(const Node& update) {
  std::set<int> own{static_cast<int>(kGradient)};
  for (const auto& [output, input] : sharedPairs(update))
    own.insert(input);
  std::vector<ValueId> result;
  for (size_t i = 0; i < update.inputs.size(); ++i)
    if (!own.contains(static_cast<int>(i))) result.push_back(update.inputs[i]);
  return result;
}

class UpdateJoiner {
 public:
  UpdateJoiner(Graph& graph, PassReport& report) : m_graph(graph), m_report(report) {}

  void run() {
    const std::vector<NodeId> order = m_graph.order();
    for (size_t i = 0; i < order.size(); ++i)
      m_places.emplace(order[i], i);
    for (const NodeId id : order)
      if (isJoinable(id)) findCopy(id);
    for (const NodeId id : order) {
      if (!m_graph.isAlive(id)) continue;
      const Node& node = m_graph.node(id);
      if (node.op->kind == OpKind::Source || m_isAbsorbed.contains(id)) continue;
      if (!isJoinable(id) || readsRun(node)) finishRun();
      if (isJoinable(id)) add(id);
    }
    finishRun();
  }

 private:
  /// Returns whether an update reads no variables but its own. Others might be overwritten before
  /// the joined update runs.
  bool isJoinable(NodeId id) const {
    const Node& node = m_graph.node(id);
    if (node.op->kind != OpKind::Update || joinedName(node.op->name).empty() ||
        !isWide(m_graph.type(node.inputs[0]).dtype))
      return false;
    return !isState(m_graph, node.inputs[kGradient]);
  }

  /// Finds a cast of the new weight that a 16-bit variable gets.
  void findCopy(NodeId id) {
    const Node& update = m_graph.node(id);
    Member member{id, {}, {}};
    for (const Use& use : m_graph.value(update.outputs[0]).uses) {
      const Node& cast = m_graph.node(use.node);
      if (cast.op->role != OpRole::Cast || !isLowPrecision(m_graph.type(cast.outputs[0]).dtype))
        continue;
      const NodeId copy = onlyUser(m_graph, cast.outputs[0]);
      if (!copy.isValid() || m_graph.node(copy).op != &opNamed("assign") ||
          applyOf(m_graph.node(copy)).isValid() || isReadAfter(m_graph.node(copy).inputs[0], id))
        continue;
      member.cast = use.node;
      member.copy = copy;
      m_isAbsorbed.insert({use.node, copy});
      break;
    }
    m_members.emplace(id, member);
  }

  /// Returns whether a node after `id` reads a variable or a view of it, apart from its update.
  bool isReadAfter(ValueId value, NodeId id) const {
    return std::ranges::any_of(m_graph.value(value).uses, [&](const Use& use) {
      const Node& user = m_graph.node(use.node);
      if (user.op->kind == OpKind::View) return isReadAfter(user.outputs[0], id);
      return user.op->kind != OpKind::Update && m_places.at(use.node) > m_places.at(id);
    });
  }

  bool readsRun(const Node& node) const {
    return std::ranges::any_of(node.inputs, [&](ValueId input) {
      return m_isInRun.contains(m_graph.value(input).producer);
    });
  }

  void add(NodeId id) {
    const Node& node = m_graph.node(id);
    const std::vector<ValueId> shared = sharedOperands(node);
    const auto family = std::ranges::find_if(m_families, [&](const Family& each) {
      return each.op == node.op && each.attributes == node.attributes && each.shared == shared;
    });
    if (family == m_families.end())
      m_families.push_back({node.op, node.attributes, shared, {m_members.at(id)}});
    else
      family->members.push_back(m_members.at(id));
    m_isInRun.insert(id);
    m_last = id;
  }

  void finishRun() {
    std::erase_if(m_families, [](const Family& family) {
      return family.members.size() == 1 && !family.members[0].copy.isValid();
    });
    // All new nodes first, because they are inserted before a node that is removed then
    std::vector<NodeId> joined;
    for (const Family& family : m_families)
      joined.push_back(makeJoined(family));
    for (size_t i = 0; i < joined.size(); ++i)
      replaceMembers(m_families[i], joined[i]);
    for (const NodeId cast : std::exchange(m_casts, {}))
      if (m_graph.isAlive(cast)) removeIfUnused(m_graph, cast);
    m_families.clear();
    m_isInRun.clear();
  }

  NodeId makeJoined(const Family& family) {
    std::vector<ValueId> inputs, gradients;
    std::vector<Category> categories;
    std::vector<int64_t> copies;
    const auto addState = [&](const Node& update, size_t input, size_t output) {
      inputs.push_back(update.inputs[input]);
      categories.push_back(m_graph.value(update.outputs[output]).category);
    };
    for (const Member& member : family.members) {
      const Node& update = m_graph.node(member.update);
      for (const auto& [output, input] : sharedPairs(update))
        addState(update, static_cast<size_t>(input), static_cast<size_t>(output));
      if (member.copy.isValid()) addState(m_graph.node(member.copy), 0, 0);
      copies.push_back(member.copy.isValid() ? 1 : 0);
      gradients.push_back(plainGradient(update.inputs[kGradient]));
    }
    inputs.insert(inputs.end(), gradients.begin(), gradients.end());
    inputs.insert(inputs.end(), family.shared.begin(), family.shared.end());
    Attributes attributes = family.attributes;
    attributes.set("copies", copies);
    const ReplacementScope scope(m_graph, m_last);
    m_graph.context.layer.clear();
    const NodeId joined = m_graph.addNode(opNamed(joinedName(family.op->name)), std::move(inputs),
                                          std::move(attributes));
    for (size_t i = 0; i < categories.size(); ++i)
      m_graph.edit().setCategory(m_graph.node(joined).outputs[i], categories[i]);
    note(m_report, m_graph.node(joined),
         "joined " + std::to_string(family.members.size()) +
             (family.members.size() == 1 ? " update" : " updates") + " into " +
             m_graph.node(joined).op->name);
    return joined;
  }

  /// Returns the gradient without a cast of 16-bit numbers that only updates and all_finite read.
  ValueId plainGradient(ValueId gradient) {
    const Node cast = producerOf(m_graph, gradient);
    if (cast.op->role != OpRole::Cast || !isLowPrecision(m_graph.type(cast.inputs[0]).dtype) ||
        m_graph.value(gradient).names > 0)
      return gradient;
    std::vector<Use> guards;
    for (const Use& use : m_graph.value(gradient).uses) {
      const Node& user = m_graph.node(use.node);
      if (user.op->role == OpRole::AllFinite && user.attributes.get<int64_t>("pairs") == 0)
        guards.push_back(use);
      else if (user.op->kind != OpKind::Update)
        return gradient;
    }
    for (const Use& guard : guards)
      m_graph.edit().setInput(guard.node, guard.operand, cast.inputs[0]);
    m_casts.push_back(m_graph.value(gradient).producer);
    return cast.inputs[0];
  }

  void replaceMembers(const Family& family, NodeId joined) {
    const std::vector<ValueId> after = m_graph.node(joined).outputs;
    size_t next = 0;
    const auto replaceOutputs = [&](NodeId id) {
      for (const ValueId output : std::vector<ValueId>(m_graph.node(id).outputs))
        m_graph.edit().replaceAllUses(output, after[next++]);
    };
    for (const Member& member : family.members) {
      replaceOutputs(member.update);
      if (!member.copy.isValid()) continue;
      replaceOutputs(member.copy);
      m_graph.edit().removeNode(member.copy);
      m_graph.edit().removeNode(member.cast);
    }
    for (const Member& member : family.members)
      m_graph.edit().removeNode(member.update);
  }

  Graph& m_graph;
  PassReport& m_report;
  // The places of the nodes in the order of the graph before the pass
  std::map<NodeId, size_t> m_places;
  std::map<NodeId, Member> m_members;
  // Casts and assignments that become part of an update
  std::set<NodeId> m_isAbsorbed;
  // Casts of gradients that are no longer needed
  std::vector<NodeId> m_casts;
  // The updates since the last other node
  std::vector<Family> m_families;
  std::set<NodeId> m_isInRun;
  NodeId m_last;
};

}  // namespace

void joinUpdates(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (device.joinsUpdates) UpdateJoiner(graph, report).run();
}

}  // namespace strata
