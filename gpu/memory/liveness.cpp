// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/liveness.h"

#include <algorithm>
#include <limits>
#include <map>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/memory/aliasing.h"

namespace strata {
namespace {

/// Returns the positions of nodes in the order, indexed by NodeId.index; -1 for removed nodes.
std::vector<int> positionsOf(const Graph& graph) {
  std::vector<int> positions(static_cast<size_t>(graph.numNodes()), -1);
  int position = 0;
  for (const NodeId id : graph.order())
    positions[static_cast<size_t>(id.index)] = position++;
  return positions;
}

const std::string& layerOf(const Graph& graph, NodeId node) { return graph.node(node).layer; }

/// Returns the layer of a value. If outputs of its node belong to the layers of operands
/// (OpDef::layerOperand), this is the layer of an operand. Otherwise it is the layer of the node.
const std::string& layerOf(const Graph& graph, ValueId value) {
  const Node& node = graph.node(graph.value(value).producer);
  if (node.op->layerOperand == nullptr) return node.layer;
  const int operand = node.op->layerOperand(node, graph.value(value).outputIndex);
  return layerOf(graph, graph.value(node.inputs[static_cast<size_t>(operand)]).producer);
}

/// Assigns a storage to every value. Values that share bytes get the same storage.
class StorageMaker {
 public:
  StorageMaker(const Graph& graph, MemoryPlan& plan, bool inPlace)
      : m_graph(graph),
        m_plan(plan),
        m_inPlace(inPlace),
        m_positions(positionsOf(graph)),
        m_last(static_cast<int>(graph.order().size()) - 1) {}

  void make() {
    m_plan.storageOf.assign(static_cast<size_t>(m_graph.numValues()), -1);
    m_isOutput.assign(static_cast<size_t>(m_graph.numValues()), 0);
    for (const NamedValue& output : m_graph.outputs())
      m_isOutput[static_cast<size_t>(output.value.index)] = 1;
    for (const NodeId id : m_graph.order()) {
      m_graph.checkStop();
      makeFor(id);
    }
    for (const Variable& variable : m_graph.variables())
      if (variable.next.isValid() && storageOf(variable.next) != storageOf(variable.value))
        throw Error(
            ErrorCode::Internal, variable.name,
            "its next value is not written in place. Produce it with an update or assign op.");
    for (Storage& storage : m_plan.storages) {
      storage.end = std::min(storage.end, std::max(0, m_last));
      if (storage.lane == Storage::Lane::Transient) continue;
      storage.begin = 0;
      storage.end = std::max(0, m_last);
    }
  }

 private:
  // The last use of an output of the graph. It is after the step, so no node may overwrite the
  // output.
  static constexpr int kAfterStep = std::numeric_limits<int>::max();

  int& storageOf(ValueId value) { return m_plan.storageOf[static_cast<size_t>(value.index)]; }

  int lastUse(ValueId value) const {
    if (m_isOutput[static_cast<size_t>(value.index)]) return kAfterStep;
    const Value& v = m_graph.value(value);
    int last = m_positions[static_cast<size_t>(v.producer.index)];
    for (const Use& use : v.uses)
      last = std::max(last, m_positions[static_cast<size_t>(use.node.index)]);
    return last;
  }

  void join(int storage, ValueId value) {
    Storage& s = m_plan.storages[static_cast<size_t>(storage)];
    s.values.push_back(value);
    s.end = std::max(s.end, lastUse(value));
    storageOf(value) = storage;
  }

  void makeNew(NodeId id, ValueId value, Storage::Lane lane) {
    Storage storage;
    storage.bytes = m_graph.type(value).bytes();
    storage.category = m_graph.value(value).category;
    storage.layer = layerOf(m_graph, value);
    storage.lane = lane;
    storage.begin = m_positions[static_cast<size_t>(id.index)];
    m_plan.storages.push_back(std::move(storage));
    join(static_cast<int>(m_plan.storages.size()) - 1, value);
  }

  /// A node at its position in the order, for the rule of aliasing.h.
  struct Step {
    StorageMaker& maker;
    const Node& node;
    int position;
    int numInputs() const { return static_cast<int>(node.inputs.size()); }
    int numOutputs() const { return static_cast<int>(node.outputs.size()); }
    ValueId input(int i) const { return node.inputs[static_cast<size_t>(i)]; }
    ValueId output(int i) const { return node.outputs[static_cast<size_t>(i)]; }
    int inputStorage(int i) const { return maker.storageOf(input(i)); }
    int outputStorage(int i) const { return maker.storageOf(output(i)); }
    DType inputDType(int i) const { return maker.m_graph.type(input(i)).dtype; }
    DType outputDType(int i) const { return maker.m_graph.type(output(i)).dtype; }
    size_t outputBytes(int i) const { return maker.m_graph.type(output(i)).bytes(); }
    bool canReuse(int storage, size_t bytes) const {
      const Storage& reused = maker.m_plan.storages[static_cast<size_t>(storage)];
      return reused.lane == Storage::Lane::Transient && reused.end == position &&
             reused.bytes == bytes;
    }
  };

  void makeFor(NodeId id) {
    const Node& node = m_graph.node(id);
    const int position = m_positions[static_cast<size_t>(id.index)];
    if (node.op->kind == OpKind::Source) {
      for (const ValueId value : node.outputs)
        makeNew(id, value,
                node.op->role == OpRole::Input ? Storage::Lane::Input : Storage::Lane::Persistent);
      return;
    }
    const Step step{*this, node, position};
    for (int output = 0; output < step.numOutputs(); ++output) {
      const ValueId value = step.output(output);
      const int input = sharedInput(*node.op, step, output, m_inPlace);
      if (input < 0)
        makeNew(id, value, Storage::Lane::Transient);
      else
        join(step.inputStorage(input), value);
    }
  }

  const Graph& m_graph;
  MemoryPlan& m_plan;
  const bool m_inPlace;
  const std::vector<int> m_positions;
  const int m_last;
  std::vector<char> m_isOutput;
};

/// Calls visit(storage, category, layer, begin, end, value) for each interval of instants during
/// which a storage belongs to one value. A workspace has one interval with an invalid value.
template <class Visit>
void forEachInterval(const Graph& graph, const MemoryPlan& plan, const std::vector<int>& positions,
                     Visit&& visit) {
  for (const Storage& storage : plan.storages) {
    if (storage.lane != Storage::Lane::Transient || storage.values.empty()) {
      visit(storage, storage.category, storage.layer, storage.begin, storage.end,
            storage.values.empty() ? ValueId{} : storage.values.front());
      continue;
    }
    for (size_t i = 0; i < storage.values.size(); ++i) {
      const auto birth = [&](size_t k) {
        return positions[static_cast<size_t>(graph.value(storage.values[k]).producer.index)];
      };
      const int begin = i == 0 ? storage.begin : birth(i);
      const int end = i + 1 < storage.values.size() ? birth(i + 1) - 1 : storage.end;
      const Value& value = graph.value(storage.values[i]);
      if (begin <= end)
        visit(storage, value.category, layerOf(graph, storage.values[i]), begin, end,
              storage.values[i]);
    }
  }
}

void sumPeak(const Graph& graph, MemoryPlan& plan) {
  std::map<std::string, size_t, std::less<>> rows;
  const auto positions = positionsOf(graph);
  // Add rows in order of first appearance
  for (const NodeId id : graph.order())
    if (rows.try_emplace(layerOf(graph, id), rows.size()).second)
      plan.byLayerAtPeak.push_back({layerOf(graph, id), 0});
  size_t live = 0;
  forEachInterval(graph, plan, positions,
                  [&](const Storage& storage, Category category, const std::string& layer,
                      int begin, int end, ValueId) {
                    if (begin > plan.peakInstant || end < plan.peakInstant) return;
                    plan.byCategoryAtPeak[static_cast<size_t>(category)] += storage.bytes;
                    plan.byLayerAtPeak[rows.at(layer)].bytes += storage.bytes;
                    live += storage.bytes;
                  });
  std::erase_if(plan.byLayerAtPeak,
                [](const MemoryPlan::LayerBytes& row) { return row.bytes == 0; });
  plan.holesBytes = plan.peakBytes() - live;
}

}  // namespace

MemoryPlan planMemory(const Graph& graph, std::span<const size_t> workspaceBytes, bool inPlace,
                      size_t alignment) {
  MemoryPlan plan;
  plan.alignment = alignment;
  StorageMaker(graph, plan, inPlace).make();
  plan.workspaceOf.assign(graph.order().size(), -1);
  for (size_t position = 0; position < workspaceBytes.size(); ++position) {
    if (workspaceBytes[position] == 0) continue;
    Storage storage;
    storage.bytes = workspaceBytes[position];
    storage.category = Category::Workspace;
    storage.layer = layerOf(graph, graph.order()[position]);
    storage.begin = storage.end = static_cast<int>(position);
    plan.workspaceOf[position] = static_cast<int>(plan.storages.size());
    plan.storages.push_back(std::move(storage));
  }

  std::vector<LiveRange> ranges;
  std::vector<size_t> owners;
  const auto place = [&](Storage& storage, size_t& laneEnd) {
    storage.offset = laneEnd;
    laneEnd += alignedBytes(storage.bytes, alignment);
  };
  for (size_t i = 0; i < plan.storages.size(); ++i) {
    Storage& storage = plan.storages[i];
    if (storage.lane == Storage::Lane::Transient) {
      ranges.push_back({storage.bytes, storage.begin, storage.end});
      owners.push_back(i);
    }
    if (storage.lane == Storage::Lane::Persistent) place(storage, plan.persistentBytes);
  }
  // Scalar inputs come first, so that one copy brings all of them
  const auto isScalar = [&](const Storage& storage) {
    return graph.type(storage.values.front()).shape.rank() == 0;
  };
  for (const bool isForScalars : {true, false})
    for (Storage& storage : plan.storages)
      if (storage.lane == Storage::Lane::Input && isScalar(storage) == isForScalars)
        place(storage, plan.inputBytes);
  const ArenaPlan arena = planArena(
      ranges, [&] { graph.checkStop(); }, alignment);
  for (size_t i = 0; i < owners.size(); ++i)
    plan.storages[owners[i]].offset = arena.offsets[i];
  plan.transientBytes = arena.peakBytes;
  plan.lowerBoundBytes = plan.persistentBytes + plan.inputBytes + arena.lowerBoundBytes;
  plan.peakInstant = arena.peakInstant;
  sumPeak(graph, plan);
  return plan;
}

StorageCount countStorages(const Graph& graph, bool inPlace, size_t alignment) {
  MemoryPlan plan;
  StorageMaker(graph, plan, inPlace).make();
  std::vector<size_t> change(graph.order().size() + 1, 0);
  for (const Storage& storage : plan.storages) {
    if (storage.lane != Storage::Lane::Transient) continue;
    change[static_cast<size_t>(storage.begin)] += alignedBytes(storage.bytes, alignment);
    // The difference may wrap around, but the running sum is correct
    change[static_cast<size_t>(storage.end) + 1] -= alignedBytes(storage.bytes, alignment);
  }
  StorageCount count{static_cast<int>(plan.storages.size()), 0};
  size_t live = 0;
  for (const size_t bytes : change)
    count.liveBytes = std::max(count.liveBytes, live += bytes);
  return count;
}

std::vector<BytesByCategory> memoryTimeline(const Graph& graph, const MemoryPlan& plan) {
  std::vector<BytesByCategory> timeline(graph.order().size() + 1);
  forEachInterval(
      graph, plan, positionsOf(graph),
      [&](const Storage& storage, Category category, const std::string&, int begin, int end,
          ValueId) {
        timeline[static_cast<size_t>(begin)][static_cast<size_t>(category)] += storage.bytes;
        // The difference may wrap around, but the running sum is correct
        timeline[static_cast<size_t>(end) + 1][static_cast<size_t>(category)] -= storage.bytes;
      });
  for (size_t i = 1; i < timeline.size(); ++i)
    for (size_t category = 0; category < kNumCategories; ++category)
      timeline[i][category] += timeline[i - 1][category];
  timeline.pop_back();
  return timeline;
}

std::vector<LiveBytes> liveAtPeak(const Graph& graph, const MemoryPlan& plan) {
  std::vector<LiveBytes> rows;
  forEachInterval(graph, plan, positionsOf(graph),
                  [&](const Storage& storage, Category category, const std::string& layer,
                      int begin, int end, ValueId value) {
                    if (begin <= plan.peakInstant && end >= plan.peakInstant)
                      rows.push_back({value, layer, category, storage.bytes});
                  });
  std::stable_sort(rows.begin(), rows.end(),
                   [](const LiveBytes& a, const LiveBytes& b) { return a.bytes > b.bytes; });
  return rows;
}

std::vector<OccupiedBytes> occupiedBytes(const Graph& graph, const MemoryPlan& plan) {
  std::vector<OccupiedBytes> blocks;
  forEachInterval(graph, plan, positionsOf(graph),
                  [&](const Storage& storage, Category category, const std::string& layer,
                      int begin, int end, ValueId value) {
                    blocks.push_back({static_cast<size_t>(&storage - plan.storages.data()), value,
                                      layer, category, begin, end});
                  });
  return blocks;
}

std::string whyAboveBound(const Graph& graph, const MemoryPlan& plan) {
  const size_t above = plan.peakBytes() - plan.lowerBoundBytes;
  if (above * 100 <= plan.lowerBoundBytes) return {};
  const Storage* top = nullptr;
  for (const Storage& storage : plan.storages)
    if (storage.lane == Storage::Lane::Transient &&
        storage.offset + alignedBytes(storage.bytes, plan.alignment) == plan.transientBytes)
      top = &storage;
  std::string text = std::to_string(above) +
                     " bytes are lost to fragmentation: lifetimes overlap without nesting, and "
                     "no placement that was tried closes the gaps";
  if (!top || graph.order().empty()) return text;
  const Node& first = graph.node(graph.order()[static_cast<size_t>(top->begin)]);
  return text + "; the topmost block is " + std::to_string(top->bytes) + " bytes of " +
         std::string(categoryName(top->category)) + " produced by " + first.op->name +
         (first.layer.empty() ? "" : " of \"" + first.layer + "\"") + ", live from instant " +
         std::to_string(top->begin) + " to " + std::to_string(top->end);
}

void checkMemoryPlan(const Graph& graph, const MemoryPlan& plan) {
  std::vector<LiveRange> ranges;
  ArenaPlan arena;
  for (const Storage& storage : plan.storages) {
    if (storage.lane != Storage::Lane::Transient) continue;
    ranges.push_back({storage.bytes, storage.begin, storage.end});
    arena.offsets.push_back(storage.offset);
  }
  arena.alignment = plan.alignment;
  arena.peakBytes = plan.transientBytes;
  arena.lowerBoundBytes = plan.lowerBoundBytes - plan.persistentBytes - plan.inputBytes;
  checkArenaPlan(ranges, arena);
  size_t categories = 0, layers = 0, atPeak = 0;
  for (const size_t bytes : plan.byCategoryAtPeak)
    categories += bytes;
  for (const MemoryPlan::LayerBytes& row : plan.byLayerAtPeak)
    layers += row.bytes;
  const auto timeline = memoryTimeline(graph, plan);
  if (!timeline.empty())
    for (const size_t bytes : timeline[static_cast<size_t>(plan.peakInstant)])
      atPeak += bytes;
  require(categories == layers && categories == atPeak,
          "bytes by category, by layer and of the timeline are the same at the peak");
  require(categories + plan.holesBytes == plan.peakBytes(), "live bytes and holes make the peak");
}

}  // namespace strata
