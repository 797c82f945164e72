// SPDX-License-Identifier: Apache-2.0
// The choice is a cheapest cut (min_cut.h): nodes on the first side keep [N,H,W,C], and those on
// the second side get [N,C,H,W].
#include "gpu/cuda/passes/choose_layouts.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <ranges>
#include <set>

#include "gpu/cost/card_clock.h"
#include "gpu/cuda/passes/min_cut.h"
#include "gpu/ops/build.h"
#include "gpu/ops/layout.h"
#include "gpu/passes/rewrite.h"
#include "gpu/tensor/permute.h"

namespace strata::cuda {
namespace {

/// How a node handles the order of images.
enum class Handling : uint8_t {
  // It needs [N,H,W,C]
  Last,
  // It computes in either order and takes the same time
  Either,
  // A convolution
  Convolution
};

bool isImage(const Shape& shape) { return shape.rank() == 4; }

/// Returns whether all operands and results are images of one shape, or scalars, and each element
/// depends only on the same element of the operands.
bool isElementByElement(const Graph& graph, const Node& node) {
  if (!node.op->canBeStep && node.op->role != OpRole::Cast) return false;
  const Shape& shape = graph.shape(node.outputs[0]);
  const auto fits = [&](ValueId value) {
    return graph.shape(value) == shape || graph.shape(value).rank() == 0;
  };
  return isImage(shape) && std::ranges::all_of(node.inputs, fits) &&
         std::ranges::all_of(node.outputs, fits);
}

Handling handlingOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op->kind == OpKind::Elementwise)
    return isElementByElement(graph, node) ? Handling::Either : Handling::Last;
  if (!hasLayout(*node.op) || isChannelsFirst(node.attributes)) return Handling::Last;
  if (node.op->work == WorkKind::Convolution) return Handling::Convolution;
  return isImage(graph.shape(node.inputs[0])) ? Handling::Either : Handling::Last;
}

bool readsImage(const Graph& graph, const Node& node, size_t input) {
  return isImageInput(*node.op, input, graph.shape(node.inputs[input]));
}

/// Returns the attributes of a node for images [N,C,H,W].
Attributes channelsFirst(const Node& node) {
  Attributes attributes = node.attributes;
  if (!hasLayout(*node.op)) return attributes;
  attributes.set("layout", std::string(kChannelsFirst));
  if (attributes.has("input_shape")) {
    const Shape shape(std::span(attributes.get<std::vector<int64_t>>("input_shape")));
    const Shape images = inLayoutOf(attributes, shape);
    attributes.set("input_shape", std::vector<int64_t>(images.dims().begin(), images.dims().end()));
  }
  return attributes;
}

/// Returns the predicted time of a convolution with images [N,C,H,W].
std::optional<double> secondsChannelsFirst(const Graph& graph, NodeId id,
                                           const LayoutOptions& options) {
  const Node& node = graph.node(id);
  const Attributes attributes = channelsFirst(node);
  Graph alone;
  const Scope scope(alone, node.layer, node.phase, Category::Temporary);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    TensorType type = graph.type(node.inputs[i]);
    if (readsImage(graph, node, i)) type.shape = inLayoutOf(attributes, type.shape);
    inputs.push_back(alone.addInput("x" + std::to_string(i), type));
  }
  return options.seconds(alone, alone.addNode(*node.op, std::move(inputs), attributes));
}

/// Returns a time as a cost. Costs are whole numbers, so that sums do not depend on their order.
int64_t costOf(double seconds) { return std::llround(seconds * 1e12); }

/// Returns whether both orders of an image are the same in memory.
bool isSameInMemory(const Shape& nhwc) { return nhwc[3] == 1 || nhwc[1] * nhwc[2] == 1; }

class LayoutChooser {
 public:
  LayoutChooser(Graph& graph, const LayoutOptions& options, PassReport& report)
      : m_graph(graph), m_options(options), m_report(report) {}

  void run() {
    if (!choose()) return;
    const std::vector<NodeId> order = m_graph.order();
    for (const NodeId id : order)
      if (m_isFirst.contains(id))
        reorder(id);
      else
        readInOrder(id);
    finish(order);
  }

 private:
  /// Finds the nodes that get [N,C,H,W]. Returns whether there are any.
  bool choose() {
    MinCut cut(2);
    std::map<NodeId, int> places;
    bool canChange = false;
    for (const NodeId id : m_graph.order()) {
      m_graph.checkStop();
      const Handling handling = handlingOf(m_graph, id);
      if (handling == Handling::Last) continue;
      const int place = places[id] = cut.addPlace();
      if (handling == Handling::Either) continue;
      const auto first = secondsChannelsFirst(m_graph, id, m_options),
                 last = m_options.seconds(m_graph, id);
      const bool isForcedFirst = m_options.forced == kChannelsFirst;
      canChange |= first.has_value();
      if (!first || !last || (!m_options.forced.empty() && !isForcedFirst)) {
        cut.add(MinCut::kSource, place, MinCut::kInfinite);
        continue;
      }
      cut.add(MinCut::kSource, place, costOf(*first));
      cut.add(place, MinCut::kSink, isForcedFirst ? MinCut::kInfinite : costOf(*last));
    }
    if (!canChange) return false;
    addTransposes(cut, places);
    const std::vector<char> isSecond = cut.solve();
    for (const auto& [id, place] : places)
      if (isSecond[static_cast<size_t>(place)] != 0) m_isFirst.insert(id);
    return !m_isFirst.empty();
  }

  /// Adds the time of a transpose for each image that is written in one order and read in the
  /// other one. All its readers share the transpose.
  void addTransposes(MinCut& cut, const std::map<NodeId, int>& places) {
    const auto placeOf = [&](NodeId id) {
      const auto found = places.find(id);
      return found == places.end() ? MinCut::kSource : found->second;
    };
    for (const NodeId id : m_graph.order())
      for (const ValueId value : m_graph.node(id).outputs) {
        if (!isImage(m_graph.shape(value))) continue;
        std::vector<int> readers;
        if (isOutput(value)) readers.push_back(MinCut::kSource);
        for (const Use& use : m_graph.value(value).uses)
          if (readsImage(m_graph, m_graph.node(use.node), static_cast<size_t>(use.operand)))
            readers.push_back(placeOf(use.node));
        addTranspose(cut, placeOf(id), readers, transposeCost(value));
      }
  }

  static void addTranspose(MinCut& cut, int writer, const std::vector<int>& readers, int64_t cost) {
    if (readers.empty()) return;
    // On the second side if any reader is, and on the first side if any reader is
    const int anySecond = cut.addPlace(), anyFirst = cut.addPlace();
    cut.add(writer, anySecond, cost);
    cut.add(anyFirst, writer, cost);
    for (const int reader : readers) {
      cut.add(anySecond, reader, MinCut::kInfinite);
      cut.add(reader, anyFirst, MinCut::kInfinite);
    }
  }

  int64_t transposeCost(ValueId value) const {
    const TensorType& type = m_graph.type(value);
    double seconds = 0;
    if (!isSameInMemory(type.shape))
      seconds = std::max(kLaunchSeconds,
                         2 * static_cast<double>(type.bytes()) / m_options.bytesPerSecond);
    if (isInChain(value)) seconds += kLaunchSeconds;
    return costOf(seconds);
  }

  /// Returns whether two elementwise ops write and read a value. With a transpose between them,
  /// they are not one kernel.
  bool isInChain(ValueId value) const {
    const auto isElementwise = [&](NodeId id) {
      return m_graph.node(id).op->kind == OpKind::Elementwise;
    };
    return isElementwise(m_graph.value(value).producer) &&
           std::ranges::any_of(m_graph.value(value).uses,
                               [&](const Use& use) { return isElementwise(use.node); });
  }

  bool isOutput(ValueId value) const {
    return std::ranges::any_of(m_graph.outputs(),
                               [&](const NamedValue& each) { return each.value == value; }) ||
           std::ranges::any_of(m_graph.variables(),
                               [&](const Variable& each) { return each.next == value; });
  }

  /// Replaces a node by one for images [N,C,H,W].
  void reorder(NodeId id) {
    const Node node = m_graph.node(id);
    std::vector<ValueId> inputs = node.inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (readsImage(m_graph, node, i)) inputs[i] = inFirst(inputs[i], id);
    if (node.op->work == WorkKind::Convolution)
      note(m_report, node, node.op->name + " computes with channels first");
    const NodeId made = replacementOf(m_graph, id, std::move(inputs), channelsFirst(node));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const ValueId output = m_graph.node(made).outputs[i];
      if (isImageOutput(*node.op, m_graph.shape(node.outputs[i])))
        m_first[node.outputs[i]] = output;
      else
        m_graph.edit().replaceAllUses(node.outputs[i], output);
    }
    m_replaced.push_back(id);
  }

  /// Lets a node read images [N,H,W,C].
  void readInOrder(NodeId id) {
    const std::vector<ValueId> inputs = m_graph.node(id).inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (isReordered(inputs[i]))
        m_graph.edit().setInput(id, static_cast<int>(i), inLast(inputs[i], id));
  }

  /// Returns whether the node that wrote a value was replaced.
  bool isReordered(ValueId value) const {
    return m_first.contains(value) && m_isFirst.contains(m_graph.value(value).producer);
  }

  ValueId inFirst(ValueId value, NodeId reader) {
    if (const auto found = m_first.find(value); found != m_first.end()) return found->second;
    return m_first[value] = transposed(value, kToChannelsFirst, reader);
  }

  ValueId inLast(ValueId value, NodeId reader) {
    if (const auto found = m_last.find(value); found != m_last.end()) return found->second;
    return m_last[value] = transposed(m_first.at(value), kToChannelsLast, reader);
  }

  ValueId transposed(ValueId value, const std::array<int64_t, 4>& axes, NodeId reader) {
    const ReplacementScope scope(m_graph, reader);
    m_graph.context.category = m_graph.value(value).category;
    const Shape& shape = m_graph.shape(value);
    const Shape result = permutedShape(shape, axes);
    const bool isView = isSameInMemory(axes == kToChannelsFirst ? shape : result);
    return isView ? reshape(m_graph, value, result)
                  : transpose(m_graph, value, std::vector<int64_t>(axes.begin(), axes.end()));
  }

  /// Removes the nodes that were replaced. Outputs of the graph keep their order.
  void finish(const std::vector<NodeId>& order) {
    for (const Variable& variable : std::vector<Variable>(m_graph.variables()))
      if (variable.next.isValid() && isReordered(variable.next))
        m_graph.setNext(variable.name, inLast(variable.next, order.back()));
    for (const NamedValue& output : std::vector<NamedValue>(m_graph.outputs()))
      if (isReordered(output.value))
        m_graph.edit().replaceAllUses(output.value, inLast(output.value, order.back()));
    for (const NodeId id : std::views::reverse(m_replaced))
      m_graph.edit().removeNode(id);
  }

  Graph& m_graph;
  const LayoutOptions& m_options;
  PassReport& m_report;
  // The nodes that get [N,C,H,W]
  std::set<NodeId> m_isFirst;
  // By values of the graph before the pass: their images in each order
  std::map<ValueId, ValueId> m_first, m_last;
  std::vector<NodeId> m_replaced;
};

}  // namespace

void chooseLayouts(Graph& graph, const LayoutOptions& options, PassReport& report) {
  LayoutChooser(graph, options, report).run();
}

}  // namespace strata::cuda
