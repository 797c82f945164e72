// SPDX-License-Identifier: Apache-2.0
// Fuses chains of elementwise operations into one operation, so that intermediate values are not
// written to memory.
//
//   before:  x -> subtract -> multiply -> activation relu -> y
//                    mean        scale
//   after:   x, mean, scale -> fused_pointwise -> y
//
// A chain grows from its last node. It includes every elementwise producer of the same shape and
// phase that nothing else uses. It excludes a producer if moving it would keep more bytes alive
// than it saves. It also excludes a producer that reads a variable which is updated before the last
// node. Results keep their bits. Conversions between f32, bf16 and f16 become part of a chain: it
// computes in f32 and rounds only its result. DeviceTraits says from which size fusing saves time
// (see gpu/passes in tests/bench/README.md).
#include <algorithm>
#include <map>

#include "gpu/ops/fused_pointwise.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

class Fuser {
 public:
  Fuser(Graph& graph, const DeviceTraits& device, PassReport& report)
      : m_graph(graph),
        m_device(device),
        m_maxSteps(static_cast<size_t>(std::min(kMaxPointwiseSteps, device.maxPointwiseSteps))),
        m_maxInputs(static_cast<size_t>(std::min(kMaxPointwiseInputs, device.maxPointwiseInputs))),
        m_report(report),
        m_order(graph.order()) {
    m_position.resize(static_cast<size_t>(graph.numNodes()));
    int updates = 0, others = 0;
    for (size_t i = 0; i < m_order.size(); ++i) {
      m_position[static_cast<size_t>(m_order[i].index)] = static_cast<int>(i);
      const OpKind kind = graph.node(m_order[i]).op->kind;
      updates += kind == OpKind::Update;
      others += kind != OpKind::Source && kind != OpKind::View && kind != OpKind::Elementwise;
      m_updates.push_back(updates);
      m_others.push_back(others);
    }
  }

  void run() {
    for (auto id = m_order.rbegin(); id != m_order.rend(); ++id)
      if (m_graph.isAlive(*id) && isCandidate(m_graph.node(*id))) fuse(*id);
  }

 private:
  int at(NodeId id) const { return m_position[static_cast<size_t>(id.index)]; }

  bool isCandidate(const Node& node) const {
    if (!canBePointwiseStep(m_graph, node) && !isPointwiseCast(m_graph, node)) return false;
    const Shape& out = m_graph.shape(node.outputs[0]);
    return std::all_of(node.inputs.begin(), node.inputs.end(), [&](ValueId input) {
      return spreadOf(m_graph.shape(input), out) != Spread::Other;
    });
  }

  struct Chain {
    // The nodes of the chain, in no particular order
    std::vector<NodeId> nodes;
    // The values that the chain reads and that nodes outside the chain produce
    std::vector<ValueId> inputs;
    bool has(NodeId id) const { return std::find(nodes.begin(), nodes.end(), id) != nodes.end(); }
  };

  std::vector<ValueId> inputsOf(const std::vector<NodeId>& nodes) const {
    std::vector<ValueId> result;
    for (NodeId id : nodes)
      for (ValueId input : m_graph.node(id).inputs)
        if (std::find(nodes.begin(), nodes.end(), m_graph.value(input).producer) == nodes.end() &&
            std::find(result.begin(), result.end(), input) == result.end())
          result.push_back(input);
    return result;
  }

  /// Adds the producer of one of the chain's inputs to the chain. Returns false if it cannot be
  /// added.
  bool tryAdd(Chain& chain, ValueId input, NodeId root) const {
    const NodeId id = m_graph.value(input).producer;
    const Node& node = m_graph.node(id);
    if (node.phase != m_graph.node(root).phase ||
        m_graph.shape(input) != m_graph.shape(m_graph.node(root).outputs[0]) ||
        m_graph.value(input).names > 0 || !isCandidate(node) || chain.nodes.size() == m_maxSteps)
      return false;
    for (const Use& use : m_graph.value(input).uses)
      if (!chain.has(use.node)) return false;
    Chain larger = chain;
    larger.nodes.push_back(id);
    larger.inputs = inputsOf(larger.nodes);
    if (larger.inputs.size() > m_maxInputs) return false;
    // In the chain, the node reads its operands at the position of the root. If it reads variables,
    // no update may be in between.
    const auto from = static_cast<size_t>(at(id)), to = static_cast<size_t>(at(root));
    if (m_updates[to] != m_updates[from] &&
        std::any_of(node.inputs.begin(), node.inputs.end(),
                    [&](ValueId operand) { return isState(m_graph, operand); }))
      return false;
    if (m_others[to] != m_others[from] &&
        keptLonger(node, larger, to) > m_graph.type(input).bytes())
      return false;
    chain = std::move(larger);
    return true;
  }

  /// Returns the bytes of the operands of `node` that would no longer be live at the root if the
  /// node were not in the chain.
  size_t keptLonger(const Node& node, const Chain& chain, size_t root) const {
    size_t bytes = 0;
    std::vector<ValueId> seen;
    for (ValueId input : node.inputs) {
      if (chain.has(m_graph.value(input).producer) ||
          std::find(seen.begin(), seen.end(), input) != seen.end())
        continue;
      seen.push_back(input);
      const Node& source = producerOf(m_graph, input);
      if (source.op->kind == OpKind::Source || m_graph.value(input).names > 0) continue;
      const UseList& uses = m_graph.value(input).uses;
      if (std::none_of(uses.begin(), uses.end(), [&](const Use& use) {
            return !chain.has(use.node) && static_cast<size_t>(at(use.node)) >= root;
          }))
        bytes += m_graph.type(input).bytes();
    }
    return bytes;
  }

  bool isWorthwhile(const Chain& chain, NodeId root) const {
    const Shape& out = m_graph.shape(m_graph.node(root).outputs[0]);
    return out.numElements() >= m_device.minPointwiseElements ||
           std::any_of(chain.inputs.begin(), chain.inputs.end(), [&](ValueId input) {
             const Shape& shape = m_graph.shape(input);
             return spreadOf(shape, out) == Spread::Repeated &&
                    out.numElements() / shape.numElements() >= m_device.minPointwiseRepeats;
           });
  }

  void fuse(NodeId root) {
    Chain chain{{root}, inputsOf({root})};
    for (bool isGrowing = true; isGrowing;) {
      isGrowing = false;
      for (ValueId input : std::vector<ValueId>(chain.inputs))
        if (tryAdd(chain, input, root)) {
          isGrowing = true;
          break;
        }
    }
    if (chain.nodes.size() < 2 || !isWorthwhile(chain, root) ||
        std::ranges::all_of(chain.nodes,
                            [&](NodeId id) { return isPointwiseCast(m_graph, m_graph.node(id)); }))
      return;
    std::sort(chain.nodes.begin(), chain.nodes.end(),
              [&](NodeId a, NodeId b) { return at(a) < at(b); });
    const std::vector<ValueId> inputs = inputsOf(chain.nodes);
    std::map<ValueId, int> places;
    for (size_t i = 0; i < inputs.size(); ++i)
      places[inputs[i]] = static_cast<int>(i);
    std::vector<PointwiseStep> steps;
    std::string what;
    for (NodeId id : chain.nodes) {
      const Node& node = m_graph.node(id);
      if (isPointwiseCast(m_graph, node)) {
        places[node.outputs[0]] = places.at(node.inputs[0]);
        what += (what.empty() ? "" : ", ") + node.op->name;
        continue;
      }
      steps.push_back(pointwiseStepOf(node));
      for (ValueId input : node.inputs)
        steps.back().operands.push_back(places.at(input));
      places[node.outputs[0]] = static_cast<int>(inputs.size() + steps.size() - 1);
      what += (what.empty() ? "" : ", ") + (node.op->role == OpRole::Activation
                                                ? node.attributes.get<std::string>("kind")
                                                : node.op->name);
    }
    const ValueId result = m_graph.node(root).outputs[0];
    ValueId fused;
    {
      const ReplacementScope scope(m_graph, root);
      const DType type = m_graph.type(result).dtype;
      const bool isOfFirst = m_graph.type(inputs[0]).dtype == type;
      fused = m_graph.add(opNamed("fused_pointwise"), inputs,
                          {{"program", printPointwise(steps, static_cast<int>(inputs.size()))},
                           {"dtype", isOfFirst ? std::string() : std::string(dtypeName(type))}});
    }
    m_position.resize(static_cast<size_t>(m_graph.numNodes()), at(root));
    note(m_report, m_graph.node(root), "fused " + what);
    replaceValue(m_graph, result, fused);
  }

  Graph& m_graph;
  const DeviceTraits& m_device;
  const size_t m_maxSteps, m_maxInputs;
  PassReport& m_report;
  const std::vector<NodeId> m_order;
  // Positions of nodes in the order before the pass
  std::vector<int> m_position;
  // For each position, the number of updates up to it, and the number of nodes up to it that are
  // not sources, views or elementwise
  std::vector<int> m_updates, m_others;
};

}  // namespace

void fusePointwise(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (device.maxPointwiseSteps >= 2 && device.maxPointwiseInputs >= 1)
    Fuser(graph, device, report).run();
}

}  // namespace strata
