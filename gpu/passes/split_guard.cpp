// SPDX-License-Identifier: Apache-2.0
// Gives each update a flag of its own, so that it can run as soon as its gradient is ready. A
// flag covers the loss and all gradients that are ready by then, in the order in which they are
// computed. An update therefore never applies a gradient that is not finite, nor any gradient after
// the first one that is not. The last flag covers everything. The norm of all gradients is then
// unknown (NaN).
//
//   before:  f = all_finite(d1, d2, loss)       after:  f0 = all_finite(loss)
//            w1' = sgd_update(w1, d1, rate, f)          f2 = all_finite(f0, d2) {chained}
//            w2' = sgd_update(w2, d2, rate, f)          w2' = sgd_update(w2, d2, rate, f2)
//                                                       f1 = all_finite(f2, d1) {chained}
//                                                       w1' = sgd_update(w1, d1, rate, f1)
#include <algorithm>
#include <map>
#include <set>

#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

/// A checked operand, or a pair of operands.
using Checked = std::vector<ValueId>;

class GuardSplitter {
 public:
  GuardSplitter(Graph& graph, NodeId guard) : m_graph(graph), m_guard(guard) {
    const Node& node = graph.node(guard);
    const size_t count = node.inputs.size(),
                 firstPaired =
                     count - 2 * static_cast<size_t>(node.attributes.get<int64_t>("pairs"));
    for (size_t i = 0; i < firstPaired; ++i)
      m_checked.push_back({node.inputs[i]});
    for (size_t i = firstPaired; i < count; i += 2)
      m_checked.push_back({node.inputs[i], node.inputs[i + 1]});
    m_isNeeded.resize(m_checked.size());
    for (size_t i = 0; i < graph.order().size(); ++i)
      m_position[graph.order()[i]] = static_cast<int>(i);
  }

  void run(const std::vector<NodeId>& updates) {
    struct Update {
      NodeId node;
      std::vector<size_t> needed;
      // The position at which the update can run, or a large number if it needs no gradient
      int ready = 0;
    };
    std::vector<Update> all;
    for (const NodeId id : updates) {
      Update update{id, neededBy(id), -1};
      for (const size_t i : update.needed) {
        m_isNeeded[i] = true;
        for (const ValueId value : m_checked[i])
          update.ready = std::max(update.ready, m_position.at(m_graph.value(value).producer));
      }
      if (update.needed.empty()) update.ready = static_cast<int>(m_position.size());
      all.push_back(std::move(update));
    }
    std::ranges::stable_sort(all, {}, &Update::ready);
    const ReplacementScope scope(m_graph, m_guard);
    // The loss comes before all gradients
    for (size_t i = 0; i < m_checked.size(); ++i)
      if (!m_isNeeded[i] && isForward(m_checked[i])) m_next.push_back(i);
    for (const Update& update : all) {
      for (const size_t i : update.needed)
        if (std::ranges::find(m_done, i) == m_done.end()) m_next.push_back(i);
      if (update.needed.empty()) addRest();
      const int last = static_cast<int>(m_graph.node(update.node).inputs.size()) - 1;
      m_graph.edit().setInput(update.node, last, flag());
    }
    addRest();
    m_graph.edit().replaceAllUses(m_graph.node(m_guard).outputs[0], flag());
    m_graph.edit().removeNode(m_guard);
  }

 private:
  /// Returns the indices in m_checked of the gradients that an update depends on. Only nodes of the
  /// phase Update lie between them.
  std::vector<size_t> neededBy(NodeId update) const {
    const Node& node = m_graph.node(update);
    std::set<ValueId> seen;
    std::vector<ValueId> open(node.inputs.begin(), node.inputs.end() - 1);
    std::vector<size_t> result;
    for (size_t i = 0; i < m_checked.size(); ++i)
      if (m_checked[i].size() == 2 && node.op->work == WorkKind::ProductWithUpdate &&
          node.inputs[1] == m_checked[i][0] && node.inputs[2] == m_checked[i][1])
        return {i};
    while (!open.empty()) {
      const ValueId value = open.back();
      open.pop_back();
      if (!seen.insert(value).second) continue;
      const auto found = std::ranges::find(m_checked, Checked{value});
      if (found != m_checked.end()) {
        result.push_back(static_cast<size_t>(found - m_checked.begin()));
        continue;
      }
      const Node& producer = producerOf(m_graph, value);
      if (producer.phase == Phase::Update && producer.op->kind != OpKind::Source)
        open.insert(
            open.end(), producer.inputs.begin(),
            producer.inputs.begin() + static_cast<std::ptrdiff_t>(numOwnOperands(producer)));
    }
    return result;
  }

  bool isForward(const Checked& values) const {
    return std::ranges::all_of(
        values, [&](ValueId value) { return producerOf(m_graph, value).phase == Phase::Forward; });
  }

  void addRest() {
    for (size_t i = 0; i < m_checked.size(); ++i)
      if (!m_isNeeded[i] && std::ranges::find(m_done, i) == m_done.end()) m_next.push_back(i);
  }

  /// Returns a flag for everything that was checked so far and for m_next.
  ValueId flag() {
    std::vector<ValueId> inputs, paired;
    for (const size_t i : m_next) {
      if (!m_done.insert(i).second) continue;
      std::vector<ValueId>& list = m_checked[i].size() == 2 ? paired : inputs;
      list.insert(list.end(), m_checked[i].begin(), m_checked[i].end());
    }
    m_next.clear();
    if (inputs.empty() && paired.empty() && m_flag.isValid()) return m_flag;
    const bool isChained = m_flag.isValid();
    if (isChained) inputs.insert(inputs.begin(), m_flag);
    Attributes attributes{{"pairs", static_cast<int64_t>(paired.size() / 2)},
                          {"chained", isChained}};
    inputs.insert(inputs.end(), paired.begin(), paired.end());
    m_flag = m_graph.add(*m_graph.node(m_guard).op, std::move(inputs), std::move(attributes));
    return m_flag;
  }

  Graph& m_graph;
  const NodeId m_guard;
  std::vector<Checked> m_checked;
  std::vector<char> m_isNeeded;
  std::map<NodeId, int> m_position;
  // Indices in m_checked that a flag covers, and that the next flag adds
  std::set<size_t> m_done;
  std::vector<size_t> m_next;
  ValueId m_flag;
};

}  // namespace

/// Lets the norm read no gradients, which would have to stay in memory for it.
static void dropNorm(Graph& graph) {
  for (const NodeId id : std::vector<NodeId>(graph.order())) {
    const Node norm = graph.node(id);
    if (norm.op->role != OpRole::GradientNorm) continue;
    const ReplacementScope scope(graph, id);
    const ValueId unknown = graph.add(*norm.op, {norm.inputs[0]});
    graph.edit().replaceAllUses(norm.outputs[0], unknown);
    graph.edit().removeNode(id);
  }
}

bool splitGuard(Graph& graph) {
  std::vector<NodeId> updates;
  ValueId flag;
  for (const NodeId id : graph.order()) {
    const ValueId apply = applyOf(graph.node(id));
    if (!apply.isValid()) continue;
    if (flag.isValid() && apply != flag) return false;
    flag = apply;
    updates.push_back(id);
  }
  if (!flag.isValid() || producerOf(graph, flag).op->role != OpRole::AllFinite) return false;
  dropNorm(graph);
  GuardSplitter(graph, graph.value(flag).producer).run(updates);
  return true;
}

}  // namespace strata
