// SPDX-License-Identifier: Apache-2.0
// Computes query, key and value of self-attention by one product, and their gradients likewise.
//
//   before:  x, wq, bq -> matmul -> q --\            dq, dk, dv -> attention_backward
//            x, wk, bk -> matmul -> k -- attention   x, dq -> matmul_bias_gradient -> dwq, dbq (..)
//            x, wv, bv -> matmul -> v --/            dq, wq -> matmul, dk, wk -> matmul_add (..)
//   after:   x, w, b -> matmul -> attention          dqkv -> attention_backward
//                                                    x, dqkv -> matmul_bias_gradient -> slices
//                                                    dqkv, w -> matmul
//
// w and b are one 16-bit copy of three variables (gpu/exec/state.h). The variables themselves,
// their states and files stay as they are. join_updates lets updates read the columns of the
// gradient and write those of the copy. The pass runs after keep_low_weights and
// fuse_into_products, whose results it looks for. It looks only at what all programs of a run have
// in common, so that they agree on the copies.
#include <algorithm>
#include <array>
#include <optional>

#include "gpu/ops/attention.h"
#include "gpu/ops/build.h"
#include "gpu/passes/rewrite.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

constexpr size_t kParts = 3;
template <class T>
using EachPart = std::array<T, kParts>;

/// Adds the uses of a value and of its views to `uses`, without those of views.
void collectUses(const Graph& graph, ValueId value, std::vector<Use>& uses) {
  for (const Use& use : graph.value(value).uses) {
    const Node& user = graph.node(use.node);
    if (user.op->kind == OpKind::View)
      collectUses(graph, user.outputs[0], uses);
    else
      uses.push_back(use);
  }
}

std::vector<Use> usesOf(const Graph& graph, ValueId value) {
  std::vector<Use> uses;
  collectUses(graph, value, uses);
  return uses;
}

/// Returns the 16-bit copy of one variable that a value is a view of, or null.
const Variable* copyOfOne(const Graph& graph, ValueId value) {
  const Node& source = producerOf(graph, viewedBy(graph, value));
  if (source.op->role != OpRole::Variable || sourcesOfCopy(source).size() != 1) return nullptr;
  return graph.findVariable(source.attributes.get<std::string>("name"));
}

/// The nodes of one of the three projections. Invalid ids: there is no such node.
struct Projection {
  NodeId product;
  // The product of x and the gradient, and that of the gradient and the weights
  NodeId weightGradient, dataGradient;
  std::string weights, bias;
};

bool hasAddend(const Node& product) { return product.op == &opNamed("matmul_add"); }

class ProjectionJoiner {
 public:
  ProjectionJoiner(Graph& graph, NodeId attention) : m_graph(graph), m_attention(attention) {}

  /// Returns whether the projections of the attention can be joined.
  bool match() {
    for (size_t i = 0; i < kParts; ++i)
      if (!matchProduct(i)) return false;
    return areAlike() && matchGradients() && matchUpdates();
  }

  void join(PassReport& report) {
    note(report, m_graph.node(m_attention), "joined query, key and value");
    const ValueId joined = joinForward();
    if (m_backward.isValid()) joinBackward(joined);
    joinUpdate(&Projection::weights, m_weights, 1);
    if (m_bias.isValid()) joinUpdate(&Projection::bias, m_bias, 0);
    for (Projection& each : m_parts) {
      m_graph.edit().removeVariable(each.weights);
      if (!each.bias.empty()) m_graph.edit().removeVariable(each.bias);
    }
  }

 private:
  const Node& node(NodeId id) const { return m_graph.node(id); }
  const Node& product(size_t i) const { return node(m_parts[i].product); }
  ValueId x() const { return product(0).inputs[0]; }

  bool matchProduct(size_t i) {
    const ValueId operand = node(m_attention).inputs[i];
    Projection& part = m_parts[i];
    part.product = m_graph.value(viewedBy(m_graph, operand)).producer;
    const Node& product = node(part.product);
    if (product.op->role != OpRole::Matmul || !keepsType(m_graph, product) ||
        m_graph.shape(operand).rank() != 4 || m_graph.shape(product.outputs[0]).rank() != 2 ||
        product.attributes.get<std::string>("activation") != "linear" ||
        product.attributes.get<bool>("transpose_a") || product.attributes.get<bool>("transpose_b"))
      return false;
    const Variable* weights = copyOfOne(m_graph, product.inputs[1]);
    const Variable* bias =
        product.inputs.size() > 2 ? copyOfOne(m_graph, product.inputs[2]) : nullptr;
    if (!weights || (product.inputs.size() > 2 && !bias)) return false;
    part.weights = weights->name;
    if (bias) part.bias = bias->name;
    return isOnlyAttended(product.outputs[0], static_cast<int>(i));
  }

  /// Returns whether only the attention and its gradient use a projection, as this operand.
  bool isOnlyAttended(ValueId projection, int operand) {
    if (m_graph.value(projection).names > 0) return false;
    for (const Use& use : usesOf(m_graph, projection)) {
      if (use.operand != operand) return false;
      if (use.node == m_attention) continue;
      if (node(use.node).op != &opNamed("attention_backward") ||
          (m_backward.isValid() && m_backward != use.node))
        return false;
      m_backward = use.node;
    }
    return true;
  }

  bool areAlike() const {
    const Node& attention = node(m_attention);
    for (size_t i = 0; i < kParts; ++i) {
      if (m_graph.type(attention.inputs[i]) != m_graph.type(attention.inputs[0]) ||
          product(i).inputs[0] != x() || product(i).inputs.size() != product(0).inputs.size() ||
          product(i).attributes != product(0).attributes)
        return false;
      for (size_t other = 0; other < i; ++other)
        if (m_parts[i].weights == m_parts[other].weights) return false;
    }
    return true;
  }

  /// Finds the products that read the gradients of the projections.
  bool matchGradients() {
    size_t weightGradients = 0, dataGradients = 0;
    for (size_t i = 0; i < kParts && m_backward.isValid(); ++i)
      for (const Use& use : usesOf(m_graph, node(m_backward).outputs[i])) {
        Projection& part = m_parts[i];
        if (isWeightGradient(use, part)) {
          part.weightGradient = use.node;
          ++weightGradients;
        }
        else if (isDataGradient(use, part)) {
          part.dataGradient = use.node;
          ++dataGradients;
        }
        else
          return false;
      }
    const auto isAllOrNone = [](size_t count) {
      return count == 0 || count == kParts;
    };
    if (!isAllOrNone(weightGradients) || !isAllOrNone(dataGradients)) return false;
    for (const Projection& part : m_parts)
      if (part.weightGradient.isValid() &&
          node(part.weightGradient).attributes != node(m_parts[0].weightGradient).attributes)
        return false;
    return weightsHaveNoOtherUse() && (dataGradients == 0 || sortDataGradients());
  }

  bool isWeightGradient(const Use& use, const Projection& part) const {
    const Node& user = node(use.node);
    if (part.weightGradient.isValid() || use.operand != 1 || user.inputs[0] != x()) return false;
    if (!part.bias.empty()) return user.op == &opNamed("matmul_bias_gradient");
    return user.op->role == OpRole::Matmul && user.inputs.size() == 2 &&
           user.attributes.get<std::string>("activation") == "linear" &&
           user.attributes.get<bool>("transpose_a") && !user.attributes.get<bool>("transpose_b");
  }

  bool isDataGradient(const Use& use, const Projection& part) const {
    const Node& user = node(use.node);
    const bool isProduct = user.op->role == OpRole::Matmul && user.inputs.size() == 2 &&
                           user.attributes.get<std::string>("activation") == "linear" &&
                           keepsType(m_graph, user);
    if (part.dataGradient.isValid() || use.operand != 0 ||
        (!isProduct && !(hasAddend(user) && user.inputs.size() == 3)) ||
        user.attributes.get<bool>("transpose_a") || !user.attributes.get<bool>("transpose_b"))
      return false;
    const Variable* weights = copyOfOne(m_graph, user.inputs[1]);
    return weights && weights->name == part.weights;
  }

  bool weightsHaveNoOtherUse() const {
    return std::ranges::all_of(m_parts, [&](const Projection& part) {
      const auto isKnown = [&](const Use& use) {
        return use.node == part.product || use.node == part.dataGradient ||
               node(use.node).op == &opNamed("assign");
      };
      return std::ranges::all_of(usesOf(m_graph, m_graph.findVariable(part.weights)->value),
                                 isKnown) &&
             (part.bias.empty() ||
              std::ranges::all_of(usesOf(m_graph, m_graph.findVariable(part.bias)->value),
                                  isKnown));
    });
  }

  /// Sorts the products of gradients and weights by execution. Returns whether each but the first
  /// adds to the result of the one before, which nothing else uses.
  bool sortDataGradients() {
    for (const NodeId id : m_graph.order())
      for (const Projection& part : m_parts)
        if (part.dataGradient == id) m_chain.push_back(id);
    for (size_t i = 1; i < kParts; ++i) {
      const Node& sum = node(m_chain[i]);
      const ValueId before = node(m_chain[i - 1]).outputs[0];
      if (!hasAddend(sum) || viewedBy(m_graph, sum.inputs[2]) != before ||
          m_graph.value(before).names > 0 || usesOf(m_graph, before).size() != 1)
        return false;
    }
    return true;
  }

  /// Returns the node that gives a copy its next value, or null if it keeps its value.
  const Node* updateOf(const std::string& copy) const {
    const Variable& variable = *m_graph.findVariable(copy);
    if (!variable.next.isValid() || variable.next == variable.value) return nullptr;
    return &producerOf(m_graph, variable.next);
  }

  /// Returns whether all copies get rounded weights, or none of them.
  bool matchUpdates() const {
    const bool isUpdated = updateOf(m_parts[0].weights) != nullptr;
    const auto fits = [&](const std::string& copy) {
      const Node* update = updateOf(copy);
      if ((update != nullptr) != isUpdated) return false;
      return !update || (update->op == &opNamed("assign") && update->inputs.size() == 2 &&
                         isMadeBy(m_graph, update->inputs[1], OpRole::Cast));
    };
    return std::ranges::all_of(m_parts, [&](const Projection& part) {
      return fits(part.weights) && (part.bias.empty() || fits(part.bias));
    });
  }

  /// Adds the copy of three variables.
  ValueId addJoinedCopy(std::string Projection::*name, const Shape& shape) {
    std::string sources;
    for (const Projection& part : m_parts) {
      const Node& copy = producerOf(m_graph, m_graph.findVariable(part.*name)->value);
      sources += (sources.empty() ? "" : "\n") + sourcesOfCopy(copy)[0];
    }
    const DType low = m_graph.type(m_graph.findVariable(m_parts[0].*name)->value).dtype;
    const std::string joined =
        sources.substr(0, sources.find('\n')) + ":joined:" + std::string(dtypeName(low));
    const ValueId value = m_graph.addVariable(joined, {low, shape}, Category::Parameter, false);
    m_graph.edit().mutableNode(m_graph.value(value).producer).attributes.set("copy_of", sources);
    return value;
  }

  /// Joins products and attention. Returns query, key and value.
  ValueId joinForward() {
    const std::vector<NodeId> order = m_graph.order();
    const NodeId first = *std::ranges::find_if(order, [&](NodeId id) {
      return std::ranges::any_of(m_parts,
                                 [&](const Projection& each) { return each.product == id; });
    });
    const Shape weights = m_graph.shape(product(0).inputs[1]);
    m_width = weights[1];
    const Shape part = m_graph.shape(node(m_attention).inputs[0]);
    ValueId joined;
    {
      const ReplacementScope scope(m_graph, first);
      m_weights = addJoinedCopy(&Projection::weights, {weights[0], m_width * int64_t{kParts}});
      std::vector<ValueId> operands{x(), m_weights};
      if (!m_parts[0].bias.empty()) {
        m_bias = addJoinedCopy(&Projection::bias, {m_width * int64_t{kParts}});
        operands.push_back(m_bias);
      }
      joined = m_graph.add(*product(0).op, std::move(operands), product(0).attributes);
      joined = reshape(m_graph, joined, {part[0], part[1], part[2] * int64_t{kParts}, part[3]});
    }
    std::vector<ValueId> inputs{joined};
    inputs.insert(inputs.end(), node(m_attention).inputs.begin() + kParts,
                  node(m_attention).inputs.end());
    replaceAttention(std::move(inputs));
    return joined;
  }

  static Attributes joinedAttributes(const Node& attention) {
    Attributes attributes = attention.attributes;
    attributes.set("joined", true);
    return attributes;
  }

  void replaceAttention(std::vector<ValueId> inputs) {
    const Node before = node(m_attention);
    const NodeId made =
        replacementOf(m_graph, m_attention, std::move(inputs), joinedAttributes(before));
    for (size_t i = 0; i < before.outputs.size(); ++i)
      m_graph.edit().replaceAllUses(before.outputs[i], node(made).outputs[i]);
    removeIfUnused(m_graph, m_attention);
  }

  void joinBackward(ValueId joined) {
    const Node backward = node(m_backward);
    ValueId gradient;
    {
      const ReplacementScope scope(m_graph, m_backward);
      std::vector<ValueId> inputs{joined};
      inputs.insert(inputs.end(), backward.inputs.begin() + kParts, backward.inputs.end());
      gradient = m_graph.add(*backward.op, std::move(inputs), joinedAttributes(backward));
      const Shape& shape = m_graph.shape(gradient);
      gradient = reshape(m_graph, gradient, {shape[0] * shape[1], shape[2] * shape[3]});
    }
    if (m_parts[0].weightGradient.isValid()) joinWeightGradients(gradient);
    if (!m_chain.empty()) joinDataGradients(gradient);
  }

  void joinWeightGradients(ValueId gradient) {
    const std::vector<NodeId> order = m_graph.order();
    const NodeId first = *std::ranges::find_if(order, [&](NodeId id) {
      return std::ranges::any_of(m_parts,
                                 [&](const Projection& each) { return each.weightGradient == id; });
    });
    EachPart<std::vector<ValueId>> slices;
    {
      const ReplacementScope scope(m_graph, first);
      const Node before = node(m_parts[0].weightGradient);
      const NodeId made = m_graph.addNode(*before.op, {x(), gradient}, before.attributes);
      for (const ValueId whole : std::vector<ValueId>(node(made).outputs)) {
        m_graph.edit().setCategory(whole, Category::Gradient);
        for (size_t i = 0; i < kParts; ++i) {
          std::vector<int64_t> begin(static_cast<size_t>(m_graph.shape(whole).rank()), 0),
              size(m_graph.shape(whole).dims().begin(), m_graph.shape(whole).dims().end());
          begin.back() = static_cast<int64_t>(i) * m_width;
          size.back() = m_width;
          slices[i].push_back(strata::slice(m_graph, whole, begin, size));
          m_graph.edit().setCategory(slices[i].back(), Category::Gradient);
        }
      }
    }
    for (size_t i = 0; i < kParts; ++i) {
      const std::vector<ValueId> before = node(m_parts[i].weightGradient).outputs;
      for (size_t output = 0; output < before.size(); ++output)
        m_graph.edit().replaceAllUses(before[output], slices[i][output]);
      removeIfUnused(m_graph, m_parts[i].weightGradient);
    }
  }

  void joinDataGradients(ValueId gradient) {
    const Node first = node(m_chain.front());
    const ValueId before = node(m_chain.back()).outputs[0];
    ValueId after;
    {
      const ReplacementScope scope(m_graph, m_chain.back());
      std::vector<ValueId> inputs{gradient, m_weights};
      if (hasAddend(first)) inputs.push_back(first.inputs[2]);
      after = m_graph.add(*first.op, std::move(inputs), first.attributes);
    }
    replaceValue(m_graph, before, after);
  }

  /// Gives a copy its next value, and frees the variables that it replaces.
  void joinUpdate(std::string Projection::*name, ValueId copy, int axis) {
    const bool isUpdated = updateOf(m_parts[0].*name) != nullptr;
    std::vector<ValueId> rounded;
    for (const Projection& part : m_parts) {
      const Node* update = updateOf(part.*name);
      if (!update) continue;
      rounded.push_back(update->inputs[1]);
      const NodeId assign = m_graph.value(update->outputs[0]).producer;
      m_graph.setNext(part.*name, m_graph.findVariable(part.*name)->value);
      m_graph.edit().removeNode(assign);
    }
    if (!isUpdated) return;
    const Scope scope(m_graph, node(m_graph.value(copy).producer).layer, Phase::Update,
                      Category::Temporary);
    const Shape shape = axis == 0 ? Shape{m_width} : Shape{m_graph.shape(copy)[0], m_width};
    for (ValueId& each : rounded)
      if (m_graph.shape(each) != shape) each = reshape(m_graph, each, shape);
    const ValueId next =
        m_graph.add(opNamed("assign"), {copy, concatenate(m_graph, rounded, axis)});
    m_graph.edit().setCategory(next, Category::Parameter);
    m_graph.setNext(node(m_graph.value(copy).producer).attributes.get<std::string>("name"), next);
  }

  Graph& m_graph;
  const NodeId m_attention;
  NodeId m_backward;
  EachPart<Projection> m_parts;
  // The products of gradients and weights, in the order of execution
  std::vector<NodeId> m_chain;
  ValueId m_weights, m_bias;
  int64_t m_width = 0;
};

}  // namespace

void joinProjections(Graph& graph, const DeviceTraits& device, PassReport& report) {
  if (!device.joinsProjections) return;
  const std::vector<NodeId> order = graph.order();
  for (const NodeId id : order) {
    if (!graph.isAlive(id) || graph.node(id).op != &opNamed("attention") ||
        graph.node(id).attributes.get<bool>("joined"))
      continue;
    ProjectionJoiner joiner(graph, id);
    if (joiner.match()) joiner.join(report);
  }
}

}  // namespace strata
