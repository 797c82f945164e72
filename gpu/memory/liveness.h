// SPDX-License-Identifier: Apache-2.0
// Finds the storages and live ranges of an ordered graph and makes a program's memory plan: which
// bytes belong to which value, category and layer at every instruction. Not here: packing (plan.h),
// allocation (gpu/exec/program.h). Thread: pure.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/memory/plan.h"

namespace strata {

/// Bytes that one or several values share (views, in-place results, a variable and its next).
struct Storage {
  size_t bytes = 0;
  // The category of the first value; reports use the value that holds the storage at an instant
  Category category = Category::Temporary;
  // The layer of the first value; reports do the same as for the category
  std::string layer;
  // Persistent holds variables and constants
  enum class Lane : uint8_t { Persistent, Input, Transient } lane = Lane::Transient;
  // Instants (positions in the order), both inclusive; for lanes other than Transient the whole
  // step
  int begin = 0, end = 0;
  // Within its lane
  size_t offset = 0;
  // In order of creation; empty for a workspace
  std::vector<ValueId> values;
};

using BytesByCategory = std::array<size_t, kNumCategories>;

struct MemoryPlan {
  std::vector<Storage> storages;
  // By ValueId.index; -1 if the value no longer exists
  std::vector<int> storageOf;
  // By position in the order: the storage of the instruction's workspace, or -1
  std::vector<int> workspaceOf;
  // Allocated sizes of the three lanes
  size_t persistentBytes = 0, inputBytes = 0, transientBytes = 0;
  size_t peakBytes() const { return persistentBytes + inputBytes + transientBytes; }
  size_t lowerBoundBytes = 0;
  // Position in the order
  int peakInstant = 0;
  // Their sum is the live bytes at the peak, without holesBytes
  BytesByCategory byCategoryAtPeak{};
  // peakBytes() minus the live bytes: alignment and fragmentation
  size_t holesBytes = 0;
  struct LayerBytes {
    std::string layer;
    size_t bytes;
  };
  // In order of first appearance, with the same sum; "" for values without a layer
  std::vector<LayerBytes> byLayerAtPeak;
};

/// workspaceBytes: by position in graph.order() (empty: none). inPlace: whether mayAlias is used
/// (the switch of the pass `in_place`). An output may overwrite an input if the op allows it and
/// the input's storage is transient, is not used afterwards and holds a tensor of the same dtype
/// and size.
/// Fails: Internal, naming the variable, if its next is not written in place.
MemoryPlan planMemory(const Graph& graph, std::span<const size_t> workspaceBytes,
                      bool inPlace = true);
/// The number of storages of a graph without workspaces, and the most bytes of transient storages
/// live at once. Nothing is packed.
struct StorageCount {
  int storages = 0;
  size_t liveBytes = 0;
};
StorageCount countStorages(const Graph& graph, bool inPlace);
/// The timeline: bytes live at each instant by category.
std::vector<BytesByCategory> memoryTimeline(const Graph& graph, const MemoryPlan& plan);
/// The storages that are live at the peak, largest first. value is invalid for a workspace.
struct LiveBytes {
  ValueId value;
  std::string layer;
  Category category = Category::Temporary;
  size_t bytes = 0;
};
std::vector<LiveBytes> liveAtPeak(const Graph& graph, const MemoryPlan& plan);
/// A sentence that explains why the peak is above the lower bound; "" if it is at most 1% above.
std::string whyAboveBound(const Graph& graph, const MemoryPlan& plan);
/// The text of `dump --stage planned`: the peak by category and layer, the lower bound, and one
/// line per storage.
std::string printMemoryPlan(const Graph& graph, const MemoryPlan& plan);
/// Fails: Internal if storages in the arena overlap or sums do not add up.
void checkMemoryPlan(const Graph& graph, const MemoryPlan& plan);

}  // namespace strata
