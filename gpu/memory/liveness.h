// SPDX-License-Identifier: Apache-2.0
// From an ordered graph to storages and live ranges, and the memory plan of a program: which bytes belong to which value,
// category and layer at every instruction. Thread: pure.
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
  Category category = Category::Temporary;
  std::string layer;
  enum class Lane : uint8_t { Persistent, Input, Transient } lane = Lane::Transient;  // Persistent: variables and constants
  int begin = 0, end = 0;   // instants, of Transient ones
  size_t offset = 0;        // within its lane
  std::vector<ValueId> values;
};

using BytesByCategory = std::array<size_t, kNumCategories>;

struct MemoryPlan {
  std::vector<Storage> storages;
  std::vector<int> storageOf;            // by ValueId.index; -1 where the value does not exist any more
  std::vector<int> workspaceOf;          // by position in the order: storage of that instruction's workspace, -1 none
  size_t persistentBytes = 0, inputBytes = 0, transientBytes = 0;  // sizes of the three lanes as allocated
  size_t peakBytes() const { return persistentBytes + inputBytes + transientBytes; }
  size_t lowerBoundBytes = 0;
  int peakInstant = 0;                   // position in the order
  BytesByCategory byCategoryAtPeak{};    // sums to the bytes live at the peak (holes are counted in holesBytes)
  size_t holesBytes = 0;                 // peakBytes() - live bytes: alignment and fragmentation
  struct LayerBytes { std::string layer; size_t bytes; };
  std::vector<LayerBytes> byLayerAtPeak;
};

/// workspaceBytes: by position in graph.order(). inPlace: whether mayAlias is used (the `in_place` pass switch).
MemoryPlan planMemory(const Graph& graph, std::span<const size_t> workspaceBytes, bool inPlace = true);
/// Bytes live at each instant by category: the timeline.
std::vector<BytesByCategory> memoryTimeline(const Graph& graph, const MemoryPlan& plan);

}  // namespace strata
