// SPDX-License-Identifier: Apache-2.0
// From an ordered graph to storages and live ranges, and the memory plan of a program: which bytes
// belong to which value, category and layer at every instruction. Not here: packing (plan.h),
// allocation (gpu/exec/program.h). Thread: pure.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/memory/plan.h"

namespace strata {

/// Bytes that one or several values share (views, in-place results, state and its next).
struct Storage {
  size_t bytes = 0;
  // Of the first value; reports count the value that holds it at an instant
  Category category = Category::Temporary;
  // Likewise
  std::string layer;
  // Persistent: variables and constants
  enum class Lane : uint8_t { Persistent, Input, Transient } lane = Lane::Transient;
  // Instants (positions in the order), both inclusive; the whole step for the other lanes
  int begin = 0, end = 0;
  // Within its lane
  size_t offset = 0;
  // In order of birth; none: a workspace
  std::vector<ValueId> values;
};

using BytesByCategory = std::array<size_t, kNumCategories>;

struct MemoryPlan {
  std::vector<Storage> storages;
  // By ValueId.index; -1 where the value does not exist any more
  std::vector<int> storageOf;
  // By position in the order: storage of that instruction's workspace, -1 none
  std::vector<int> workspaceOf;
  // Sizes of the three lanes as allocated
  size_t persistentBytes = 0, inputBytes = 0, transientBytes = 0;
  size_t peakBytes() const { return persistentBytes + inputBytes + transientBytes; }
  size_t lowerBoundBytes = 0;
  // Position in the order
  int peakInstant = 0;
  // Sums to the bytes live at the peak (holes are counted in holesBytes)
  BytesByCategory byCategoryAtPeak{};
  // peakBytes() - live bytes: alignment and fragmentation
  size_t holesBytes = 0;
  struct LayerBytes {
    std::string layer;
    size_t bytes;
  };
  // In order of first appearance; "" for what belongs to no layer; same sum
  std::vector<LayerBytes> byLayerAtPeak;
};

/// workspaceBytes: by position in graph.order() (empty: none). inPlace: whether mayAlias is used
/// (the `in_place` pass switch). An output may lie over an input where the op says so, the input's
/// storage dies there, is transient and holds a tensor of the same dtype and size.
/// Fails: Internal where a variable's next is not written over the variable, naming it.
MemoryPlan planMemory(const Graph& graph, std::span<const size_t> workspaceBytes,
                      bool inPlace = true);
/// The storages of a graph without workspaces, and the most bytes of transient ones that are live
/// at once; nothing is packed.
struct StorageCount {
  int storages = 0;
  size_t liveBytes = 0;
};
StorageCount countStorages(const Graph& graph, bool inPlace);
/// Bytes live at each instant by category: the timeline.
std::vector<BytesByCategory> memoryTimeline(const Graph& graph, const MemoryPlan& plan);
/// Who holds the bytes that are live at the peak, largest first; value: invalid for a workspace.
struct LiveBytes {
  ValueId value;
  std::string layer;
  Category category = Category::Temporary;
  size_t bytes = 0;
};
std::vector<LiveBytes> liveAtPeak(const Graph& graph, const MemoryPlan& plan);
/// Why the peak is above the lower bound, for people; "" where it is within a hundredth of it.
std::string whyAboveBound(const Graph& graph, const MemoryPlan& plan);
/// The timeline's maximum by category and layer, lower bound, and one line a storage: what `dump
/// --stage planned` prints.
std::string printMemoryPlan(const Graph& graph, const MemoryPlan& plan);
/// Fails: Internal where the arena's storages overlap or sums do not add up.
void checkMemoryPlan(const Graph& graph, const MemoryPlan& plan);

}  // namespace strata
