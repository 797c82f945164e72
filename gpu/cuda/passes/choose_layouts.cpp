// SPDX-License-Identifier: Apache-2.0
// The choice is a minimum cut (min_cut.h). Nodes on the side of the source keep [N,H,W,C], and
// those on the side of the sink get [N,C,H,W].
#include "gpu/cuda/passes/choose_layouts.h"

#include <algorithm>
#include <array>
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
  // It computes in either order, and the times may differ
  Timed
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

/// Returns whether a reduction of an image has the same result in both orders: without the axis of
/// the channels, or without height and width, the order of the other axes is the same.
bool isReduction(const Graph& graph, const Node& node) {
  if (node.op->kind != OpKind::Reduction || node.inputs.size() != 1 || node.outputs.size() != 1 ||
      !node.attributes.has("axes") || node.attributes.getOr<bool>("keepdims", false))
    return false;
  const Shape& shape = graph.shape(node.inputs[0]);
  if (!isImage(shape)) return false;
  std::array<bool, 4> isReduced{};
  for (const int64_t axis : node.attributes.get<std::vector<int64_t>>("axes"))
    isReduced[static_cast<size_t>(shape.normalizeAxis(static_cast<int>(axis)))] = true;
  return isReduced[3] || (isReduced[1] && isReduced[2]);
}

Handling handlingOf(const Graph& graph, NodeId id) {
  const Node& node = graph.node(id);
  if (node.op->kind == OpKind::Elementwise)
    return isElementByElement(graph, node) ? Handling::Either : Handling::Last;
  if (isReduction(graph, node)) return Handling::Timed;
  if (!hasLayout(*node.op) || isChannelsFirst(node.attributes)) return Handling::Last;
  if (node.op->work == WorkKind::Convolution) return Handling::Timed;
  return isImage(graph.shape(node.inputs[0])) ? Handling::Either : Handling::Last;
}

bool readsImage(const Graph& graph, const Node& node, size_t input) {
  return isImageInput(*node.op, input, graph.shape(node.inputs[input]));
}

/// Returns the attributes of a node for images [N,C,H,W].
Attributes channelsFirst(const Node& node) {
  Attributes attributes = node.attributes;
  if (node.op->kind == OpKind::Reduction) {
    std::vector<int64_t> axes = attributes.get<std::vector<int64_t>>("axes");
    for (int64_t& axis : axes)
      axis = std::ranges::find(kToChannelsFirst, axis < 0 ? axis + 4 : axis) -
             kToChannelsFirst.begin();
    std::ranges::sort(axes);
    attributes.set("axes", std::move(axes));
  }
  if (!hasLayout(*node.op)) return attributes;
  attributes.set("layout", std::string(kChannelsFirst));
  if (attributes.has("input_shape")) {
    const Shape shape(std::span(attributes.get<std::vector<int64_t>>("input_shape")));
    const Shape images = inLayoutOf(attributes, shape);
    attributes.set("input_shape", std::vector<int64_t>(images.dims().begin(), images.dims().end()));
  }
  return attributes;
}

/// Returns the predicted time of a node with images [N,C,H,W].
std::optional<double> secondsChannelsFirst(const Graph& graph, NodeId id,
                                           const LayoutOptions& options) {
  const Node& node = graph.node(id);
  const Attributes attributes = channelsFirst(node);
  Graph alone;
  const Scope scope(alone, node.layer, node.phase, Category::Temporary);
  std::vector<ValueId> inputs;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    TensorType type = graph.type(node.inputs[i]);
    if (readsImage(graph, node, i)) type.shape = permutedShape(type.shape, kToChannelsFirst);
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
      if (m_channelsFirst.contains(id))
        reorder(id);
      else
        readInOrder(id);
    finish(order);
  }

 private:
  /// Finds the nodes that get [N,C,H,W]. Returns whether there are any.
  bool choose() {
    MinCut cut(2);
    std::map<NodeId, int> vertices;
    std::vector<int> convolutions;
    for (const NodeId id : m_graph.order()) {
      m_graph.checkStop();
      const Handling handling = handlingOf(m_graph, id);
      if (handling == Handling::Last) continue;
      const int vertex = vertices[id] = cut.addVertex();
      if (handling == Handling::Either) continue;
      const auto first = secondsChannelsFirst(m_graph, id, m_options),
                 last = m_options.seconds(m_graph, id);
      const bool isConvolution = m_graph.node(id).op->work == WorkKind::Convolution,
                 isForcedFirst = isConvolution && m_options.forced == kChannelsFirst;
      if (isConvolution && first) convolutions.push_back(vertex);
      const bool isForcedLast = isConvolution && m_options.forced == kChannelsLast;
      // If neither order is possible, the node stays as it is, and its error is reported later
      const bool staysLast = !first || (last && isForcedLast), getsFirst = !last || isForcedFirst;
      cut.add(MinCut::kSource, vertex, staysLast ? MinCut::kInfinite : costOf(*first));
      if (!staysLast) cut.add(vertex, MinCut::kSink, getsFirst ? MinCut::kInfinite : costOf(*last));
    }
    if (convolutions.empty()) return false;
    addTransposes(cut, vertices);
    const std::vector<char> isOfSink = cut.solve();
    const auto isFirst = [&](int vertex) {
      return isOfSink[static_cast<size_t>(vertex)] != 0;
    };
    if (std::ranges::none_of(convolutions, isFirst)) return false;
    for (const auto& [id, vertex] : vertices)
      if (isFirst(vertex)) m_channelsFirst.insert(id);
    return true;
  }

  /// Adds the time of a transpose for each image that is written in one order and read in the
  /// other one. All its readers share the transpose.
  void addTransposes(MinCut& cut, const std::map<NodeId, int>& vertices) {
    const auto vertexOf = [&](NodeId id) {
      const auto found = vertices.find(id);
      return found == vertices.end() ? MinCut::kSource : found->second;
    };
    for (const NodeId id : m_graph.order())
      for (const ValueId value : m_graph.node(id).outputs) {
        if (!isImage(m_graph.shape(value))) continue;
        std::vector<int> readers;
        // Outputs of the graph and next values of variables
        if (m_graph.value(value).names > 0) readers.push_back(MinCut::kSource);
        for (const Use& use : m_graph.value(value).uses)
          if (readsImage(m_graph, m_graph.node(use.node), static_cast<size_t>(use.operand)))
            readers.push_back(vertexOf(use.node));
        const bool isOfImages = isImageOutput(*m_graph.node(id).op, m_graph.shape(value));
        addTranspose(cut, isOfImages ? vertexOf(id) : MinCut::kSource, readers,
                     transposeCost(value));
      }
  }

  static void addTranspose(MinCut& cut, int writer, const std::vector<int>& readers, int64_t cost) {
    if (readers.empty()) return;
    // On the side of the sink if any reader is, and on the side of the source if any reader is
    const int anyFirst = cut.addVertex(), anyLast = cut.addVertex();
    cut.add(writer, anyFirst, cost);
    cut.add(anyLast, writer, cost);
    for (const int reader : readers) {
      cut.add(anyFirst, reader, MinCut::kInfinite);
      cut.add(reader, anyLast, MinCut::kInfinite);
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

  /// Replaces a node by one for images [N,C,H,W].
  void reorder(NodeId id) {
    const Node node = m_graph.node(id);
    std::vector<ValueId> inputs = node.inputs;
    for (size_t i = 0; i < inputs.size(); ++i)
      if (readsImage(m_graph, node, i))
        inputs[i] = inFirst(inputs[i], id);
      else if (isReordered(inputs[i]))
        inputs[i] = inLast(inputs[i], id);
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
    return m_first.contains(value) && m_channelsFirst.contains(m_graph.value(value).producer);
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
  std::set<NodeId> m_channelsFirst;
  // By values of the graph before the pass: their images in each order
  std::map<ValueId, ValueId> m_first, m_last;
  std::vector<NodeId> m_replaced;
};

}  // namespace

void chooseLayouts(Graph& graph, const LayoutOptions& options, PassReport& report) {
  LayoutChooser(graph, options, report).run();
}

}  // namespace strata::cuda
