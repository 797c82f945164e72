// SPDX-License-Identifier: Apache-2.0
// Finds the storages and live ranges of an ordered graph, and makes the memory plan of a program.
// The plan says which bytes belong to which value, category and layer at each instruction.
// Not here: packing (plan.h), allocation (gpu/exec/program.h).
// Thread: any, while no other thread changes the graph.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "gpu/graph/graph.h"
#include "gpu/memory/plan.h"

namespace strata {

/// A block of memory for one value, or for several values that share it: views, in-place results,
/// or a variable and its next value. The workspace of a kernel is a storage, too.
struct Storage {
  size_t bytes = 0;
  // The category and layer of the first value. If several values share a transient storage, reports
  // use the category and layer of the value that occupies it at the reported instant.
  Category category = Category::Temporary;
  std::string layer;
  // Persistent storages hold variables and constants
  enum class Lane : uint8_t { Persistent, Input, Transient } lane = Lane::Transient;
  // The first and last instant (position in the order) at which the storage is live. Only transient
  // storages live for less than the whole step.
  int begin = 0, end = 0;
  // The offset in bytes within the lane
  size_t offset = 0;
  // The values in order of creation; empty for a workspace
  std::vector<ValueId> values;
};

using BytesByCategory = std::array<size_t, kNumCategories>;

struct MemoryPlan {
  std::vector<Storage> storages;
  // The storage of each value, by ValueId.index; -1 if the value no longer exists
  std::vector<int> storageOf;
  // The storage of the workspace of each instruction, by position in the order; -1 if it has none
  std::vector<int> workspaceOf;
  // Offsets in all lanes are multiples of it
  size_t alignment = kHostAlignment;
  // The allocated sizes of the three lanes
  size_t persistentBytes = 0, inputBytes = 0, transientBytes = 0;
  size_t peakBytes() const { return persistentBytes + inputBytes + transientBytes; }
  size_t lowerBoundBytes = 0;
  // The instant with the most live bytes
  int peakInstant = 0;
  // The live bytes at peakInstant by category, without holesBytes
  BytesByCategory byCategoryAtPeak{};
  // peakBytes() minus the live bytes at peakInstant: alignment and fragmentation
  size_t holesBytes = 0;
  struct LayerBytes {
    std::string layer;
    size_t bytes;
  };
  // The live bytes at peakInstant by layer, in order of first appearance; "" stands for values
  // without a layer
  std::vector<LayerBytes> byLayerAtPeak;
};

/// Plans the memory of a step. `workspaceBytes` has one entry for each position in graph.order(),
/// or is empty if no kernel needs a workspace. If `inPlace` is true, an output may overwrite an
/// input if the op's mayAlias allows it. The input must have the same element type and size, and
/// its storage must be transient and not be used afterwards. Callers pass false if the pass
/// `in_place` is disabled. `alignment` is a fact of the device (DeviceTraits).
/// Fails: Internal if the next value of a variable is not written in place; the subject is the
/// variable.
MemoryPlan planMemory(const Graph& graph, std::span<const size_t> workspaceBytes,
                      bool inPlace = true, size_t alignment = kHostAlignment);
/// The number of storages of a graph, without workspaces, and the maximum number of transient bytes
/// that are live at once.
struct StorageCount {
  int storages = 0;
  size_t liveBytes = 0;
};
/// Counts the storages of a graph without placing them in memory.
StorageCount countStorages(const Graph& graph, bool inPlace, size_t alignment = kHostAlignment);
/// Returns the live bytes at each instant by category.
std::vector<BytesByCategory> memoryTimeline(const Graph& graph, const MemoryPlan& plan);
/// A storage that is live at the peak, and the value that occupies it then. For a workspace,
/// `value` is an invalid id.
struct LiveBytes {
  ValueId value;
  std::string layer;
  Category category = Category::Temporary;
  size_t bytes = 0;
};
/// Returns the storages that are live at the peak, largest first.
std::vector<LiveBytes> liveAtPeak(const Graph& graph, const MemoryPlan& plan);
/// The bytes of a storage while they belong to one value. For a workspace, `value` is an invalid
/// id.
struct OccupiedBytes {
  // Index in MemoryPlan::storages
  size_t storage = 0;
  ValueId value;
  std::string layer;
  Category category = Category::Temporary;
  // First and last instant
  int begin = 0, end = 0;
};
/// Returns what each storage holds from instant to instant. At each instant, their bytes by
/// category are those of memoryTimeline().
std::vector<OccupiedBytes> occupiedBytes(const Graph& graph, const MemoryPlan& plan);
/// Explains in a sentence why the peak is above the lower bound. Returns "" if the difference is at
/// most 1%.
std::string whyAboveBound(const Graph& graph, const MemoryPlan& plan);
/// Returns the text of `dump --stage planned`: the peak by category and layer, the lower bound, and
/// one line per storage.
std::string printMemoryPlan(const Graph& graph, const MemoryPlan& plan);
/// Checks a plan. Fails: Internal if storages in the arena overlap or sums are inconsistent.
void checkMemoryPlan(const Graph& graph, const MemoryPlan& plan);

}  // namespace strata
