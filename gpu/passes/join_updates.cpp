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
// The joined update and all_finite also read gradients of 16 bits without a cast. Where gradients
// are columns of one value, or copies are columns of one variable (join_projections.cpp), the
// update reads and writes these columns.
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

/// An update, and the node that copies its weight to a 16-bit variable. The id of that node is
/// invalid if the weight has no copy.
struct Member {
  NodeId update, copy;
  // Whether its copy, or its gradient, is the next columns of that of the member before
  bool continuesCopy = false, continuesGradient = false;
  // The value that contains the columns of several gradients; invalid for a separate gradient
  ValueId joinedGradient;
};

/// Updates whose copies are the columns of one variable, from left to right.
struct CopyGroup {
  std::vector<NodeId> updates;
  // The node that writes the variable
  NodeId assign;
  // The nodes between the updates and the copy
  std::vector<NodeId> nodes;
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
    for (const NodeId id : order)
      findJoinedCopy(id);
    dropScatteredCopies();
    findJoinedGradients();
    for (const NodeId id : order) {
      if (!m_graph.isAlive(id)) continue;
      const Node& node = m_graph.node(id);
      if (node.op->kind == OpKind::Source || m_isAbsorbed.contains(id)) continue;
      if (!isJoinable(id) || readsRun(node)) finishRun();
      if (isJoinable(id)) add(id);
    }
    finishRun();
    mergeObservers();
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
    Member member;
    member.update = id;
    for (const Use& use : m_graph.value(update.outputs[0]).uses) {
      const Node& cast = m_graph.node(use.node);
      if (cast.op->role != OpRole::Cast || !isLowPrecision(m_graph.type(cast.outputs[0]).dtype))
        continue;
      const NodeId copy = onlyUser(m_graph, cast.outputs[0]);
      if (!copy.isValid() || m_graph.node(copy).op != &opNamed("assign") ||
          applyOf(m_graph.node(copy)).isValid() || isReadAfter(m_graph.node(copy).inputs[0], id))
        continue;
      member.copy = copy;
      m_isAbsorbed.insert({use.node, copy});
      break;
    }
    m_members.emplace(id, member);
  }

  bool isReadAfterAny(ValueId value, const std::vector<NodeId>& updates) const {
    return std::ranges::any_of(updates, [&](NodeId id) { return isReadAfter(value, id); });
  }

  /// Returns whether all updates have the same op, attributes and shared operands.
  bool areAlike(const std::vector<NodeId>& updates) const {
    const Node& first = m_graph.node(updates[0]);
    return std::ranges::all_of(updates, [&](NodeId id) {
      const Node& update = m_graph.node(id);
      return update.op == first.op && update.attributes == first.attributes &&
             sharedOperands(update) == sharedOperands(first);
    });
  }

  /// Finds the updates whose rounded weights a 16-bit variable gets, if `id` writes it.
  void findJoinedCopy(NodeId id) {
    const Node& assign = m_graph.node(id);
    if (assign.op != &opNamed("assign") || applyOf(assign).isValid()) return;
    const NodeId all = m_graph.value(assign.inputs[1]).producer;
    if (m_graph.node(all).op->role != OpRole::Concatenate ||
        !hasSingleUse(m_graph, assign.inputs[1]))
      return;
    CopyGroup group;
    group.assign = id;
    group.nodes = {id, all};
    for (ValueId part : m_graph.node(all).inputs) {
      while (hasSingleUse(m_graph, part) && producerOf(m_graph, part).op->kind == OpKind::View) {
        group.nodes.push_back(m_graph.value(part).producer);
        part = producerOf(m_graph, part).inputs[0];
      }
      const Node& cast = producerOf(m_graph, part);
      if (!hasSingleUse(m_graph, part) || cast.op->role != OpRole::Cast) return;
      group.nodes.push_back(m_graph.value(part).producer);
      const NodeId update = m_graph.value(cast.inputs[0]).producer;
      if (!m_members.contains(update) || m_members.at(update).copy.isValid() ||
          m_graph.node(update).outputs[0] != cast.inputs[0])
        return;
      group.updates.push_back(update);
    }
    if (!areAlike(group.updates) || isReadAfterAny(assign.inputs[0], group.updates)) return;
    m_isAbsorbed.insert(group.nodes.begin(), group.nodes.end());
    m_copies.push_back(std::move(group));
  }

  /// Returns whether only updates that can be joined run between the updates of a group.
  bool isInOneRun(const CopyGroup& group, const std::vector<NodeId>& order) const {
    std::vector<size_t> places;
    for (const NodeId id : group.updates)
      places.push_back(m_places.at(id));
    for (size_t i = *std::ranges::min_element(places); i < *std::ranges::max_element(places); ++i)
      if (m_graph.node(order[i]).op->kind != OpKind::Source && !isJoinable(order[i]) &&
          !m_isAbsorbed.contains(order[i]))
        return false;
    return true;
  }

  /// Leaves copies as they are if their updates cannot be joined.
  void dropScatteredCopies() {
    const std::vector<NodeId> order = m_graph.order();
    for (bool isStable = false; !isStable;) {
      isStable = true;
      std::erase_if(m_copies, [&](const CopyGroup& group) {
        if (isInOneRun(group, order)) return false;
        for (const NodeId id : group.nodes)
          m_isAbsorbed.erase(id);
        isStable = false;
        return true;
      });
    }
    for (const CopyGroup& group : m_copies)
      for (const NodeId id : group.updates) {
        m_members.at(id).copy = group.assign;
        m_members.at(id).continuesCopy = id != group.updates[0];
        m_groupOf.emplace(id, group.updates);
      }
  }

  /// Returns the slice that a gradient is a view of, if only updates, all_finite and gradient_norm
  /// use it.
  const Node* sliceOf(ValueId gradient) const {
    const NodeId id = m_graph.value(viewedBy(m_graph, gradient)).producer;
    const Node& slice = m_graph.node(id);
    if (slice.op->role != OpRole::Slice) return nullptr;
    const Shape &whole = m_graph.shape(slice.inputs[0]), &part = m_graph.shape(slice.outputs[0]);
    if (whole.rank() > 2) return nullptr;
    for (int axis = 0; axis + 1 < whole.rank(); ++axis)
      if (part[axis] != whole[axis]) return nullptr;
    return feedsUpdates(slice.outputs[0]) ? &slice : nullptr;
  }

  bool feedsUpdates(ValueId gradient) const {
    const Value& value = m_graph.value(gradient);
    return value.names == 0 && std::ranges::all_of(value.uses, [&](const Use& use) {
             const Node& user = m_graph.node(use.node);
             if (user.op->kind == OpKind::View) return feedsUpdates(user.outputs[0]);
             return isPlainObserver(user) || (m_members.contains(use.node) && use.operand == 1);
           });
  }

  static bool isPlainObserver(const Node& node) {
    return observesGradients(node) && node.attributes.get<int64_t>("pairs") == 0;
  }

  /// Finds gradients that are the columns of one value.
  void findJoinedGradients() {
    std::map<ValueId, std::map<int64_t, NodeId>> parts;
    for (const auto& [id, member] : m_members)
      if (const Node* slice = sliceOf(m_graph.node(id).inputs[kGradient]))
        parts[slice->inputs[0]].emplace(slice->attributes.get<std::vector<int64_t>>("begin").back(),
                                        id);
    for (const auto& [whole, byColumn] : parts) {
      std::vector<NodeId> updates;
      int64_t columns = 0;
      for (const auto& [begin, id] : byColumn) {
        if (begin != columns) break;
        columns += sliceOf(m_graph.node(id).inputs[kGradient])
                       ->attributes.get<std::vector<int64_t>>("size")
                       .back();
        updates.push_back(id);
      }
      const auto known = m_groupOf.find(updates[0]);
      if (updates.size() < byColumn.size() || columns != m_graph.shape(whole).dim(-1) ||
          (known != m_groupOf.end() && known->second != updates) || !areAlike(updates))
        continue;
      for (const NodeId id : updates) {
        m_members.at(id).joinedGradient = whole;
        m_members.at(id).continuesGradient = id != updates[0];
        m_groupOf.emplace(id, updates);
      }
    }
  }

  /// Puts the members of a group next to each other. A group of gradients that is not complete in
  /// this family is taken apart.
  void sortByGroups(Family& family) {
    std::vector<Member> sorted;
    std::set<NodeId> isInFamily, isPlaced;
    for (const Member& member : family.members)
      isInFamily.insert(member.update);
    for (const Member& member : family.members) {
      if (isPlaced.contains(member.update)) continue;
      std::vector<NodeId> group{member.update};
      if (const auto found = m_groupOf.find(member.update); found != m_groupOf.end())
        group = found->second;
      const bool isComplete =
          std::ranges::all_of(group, [&](NodeId id) { return isInFamily.contains(id); });
      if (!isComplete) group = {member.update};
      for (const NodeId id : group) {
        sorted.push_back(m_members.at(id));
        isPlaced.insert(id);
        if (isComplete) continue;
        sorted.back().continuesGradient = false;
        sorted.back().joinedGradient = {};
      }
    }
    family.members = std::move(sorted);
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
    for (Family& family : m_families) {
      sortByGroups(family);
      joined.push_back(makeJoined(family));
    }
    for (size_t i = 0; i < joined.size(); ++i)
      replaceMembers(m_families[i], joined[i]);
    for (const NodeId unused : std::exchange(m_unused, {}))
      removeIfUnused(m_graph, unused);
    m_families.clear();
    m_isInRun.clear();
  }

  NodeId makeJoined(const Family& family) {
    std::vector<ValueId> inputs, gradients;
    std::vector<Category> categories;
    std::vector<int64_t> copies, continued;
    const auto addState = [&](const Node& update, size_t input, size_t output) {
      inputs.push_back(update.inputs[input]);
      categories.push_back(m_graph.value(update.outputs[output]).category);
    };
    for (const Member& member : family.members) {
      const Node& update = m_graph.node(member.update);
      for (const auto& [output, input] : sharedPairs(update))
        addState(update, static_cast<size_t>(input), static_cast<size_t>(output));
      const bool addsCopy = member.copy.isValid() && !member.continuesCopy;
      if (addsCopy) addState(m_graph.node(member.copy), 0, 0);
      copies.push_back(member.continuesCopy ? 2 : (addsCopy ? 1 : 0));
      continued.push_back(member.continuesGradient ? 1 : 0);
      if (!member.continuesGradient)
        gradients.push_back(member.joinedGradient.isValid()
                                ? member.joinedGradient
                                : plainGradient(update.inputs[kGradient]));
    }
    inputs.insert(inputs.end(), gradients.begin(), gradients.end());
    inputs.insert(inputs.end(), family.shared.begin(), family.shared.end());
    Attributes attributes = family.attributes;
    attributes.set("copies", copies);
    if (std::ranges::find(continued, 1) != continued.end()) attributes.set("joined", continued);
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

  /// Returns the gradient without a cast of 16-bit numbers that only updates, all_finite and
  /// gradient_norm read.
  ValueId plainGradient(ValueId gradient) {
    const Node cast = producerOf(m_graph, gradient);
    if (cast.op->role != OpRole::Cast || !isLowPrecision(m_graph.type(cast.inputs[0]).dtype) ||
        m_graph.value(gradient).names > 0)
      return gradient;
    std::vector<Use> observers;
    for (const Use& use : m_graph.value(gradient).uses) {
      const Node& user = m_graph.node(use.node);
      if (isPlainObserver(user))
        observers.push_back(use);
      else if (user.op->kind != OpKind::Update)
        return gradient;
    }
    for (const Use& use : observers)
      m_graph.edit().setInput(use.node, use.operand, cast.inputs[0]);
    m_unused.push_back(m_graph.value(gradient).producer);
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
      if (!member.copy.isValid() || member.continuesCopy) continue;
      replaceOutputs(member.copy);
      const NodeId rounded = m_graph.value(m_graph.node(member.copy).inputs[1]).producer;
      m_graph.edit().removeNode(member.copy);
      m_unused.push_back(rounded);
    }
    for (const Member& member : family.members) {
      const ValueId gradient = m_graph.node(member.update).inputs[kGradient];
      m_graph.edit().removeNode(member.update);
      if (member.joinedGradient.isValid()) observeWhole(gradient, member.joinedGradient);
    }
  }

  /// Lets all_finite and gradient_norm read a whole value instead of a part of it.
  void observeWhole(ValueId part, ValueId whole) {
    const ValueId slice = viewedBy(m_graph, part);
    std::vector<Use> uses;
    collectObservers(slice, uses);
    for (const Use& use : uses) {
      m_graph.edit().setInput(use.node, use.operand, whole);
      m_observers.insert(use.node);
    }
    m_unused.push_back(m_graph.value(part).producer);
  }

  void collectObservers(ValueId value, std::vector<Use>& observers) const {
    for (const Use& use : m_graph.value(value).uses) {
      const Node& user = m_graph.node(use.node);
      if (user.op->kind == OpKind::View) collectObservers(user.outputs[0], observers);
      if (observesGradients(user)) observers.push_back(use);
    }
  }

  /// Lets all_finite and gradient_norm read each value once.
  void mergeObservers() {
    for (const NodeId id : m_observers) {
      const Node observer = m_graph.node(id);
      std::vector<ValueId> inputs;
      std::set<ValueId> known;
      for (const ValueId input : observer.inputs)
        if (known.insert(input).second) inputs.push_back(input);
      const NodeId merged = replacementOf(m_graph, id, std::move(inputs), observer.attributes);
      m_graph.edit().replaceAllUses(observer.outputs[0], m_graph.node(merged).outputs[0]);
      m_graph.edit().removeNode(id);
    }
  }

  Graph& m_graph;
  PassReport& m_report;
  // The places of the nodes in the order of the graph before the pass
  std::map<NodeId, size_t> m_places;
  std::map<NodeId, Member> m_members;
  // Casts and assignments that become part of an update
  std::set<NodeId> m_isAbsorbed;
  // Nodes that may no longer be needed
  std::vector<NodeId> m_unused;
  // The copies with columns of several variables, and the group of each update that has one
  std::vector<CopyGroup> m_copies;
  std::map<NodeId, std::vector<NodeId>> m_groupOf;
  // Nodes all_finite and gradient_norm that read a whole value, perhaps several times
  std::set<NodeId> m_observers;
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
