// SPDX-License-Identifier: Apache-2.0
// The memory of a training step, block by block: what is where in the arena at each instruction,
// and which op and layer it belongs to. A run keeps it in `memory.json`, a sealed file.
// Not here: planning (gpu/memory), the use of memory during a run (device_samples.h).
// Thread: plain values; the files belong to the training thread until the run ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "gpu/memory/liveness.h"

namespace strata {

struct StepMemory {
  struct Instruction {
    std::string op, layer;
    Phase phase = Phase::Forward;
  };
  /// Bytes that belong to one value from instruction `begin` to instruction `end`, both inclusive.
  struct Block {
    // The name of a variable or input, or else the op that computes the value, or of whose kernel
    // the block is the workspace
    std::string name;
    // The layer in the graph, such as "block/3/conv"; "" if there is none
    std::string layer;
    Category category = Category::Temporary;
    Storage::Lane lane = Storage::Lane::Transient;
    // `offset` is within the whole memory of the step: variables first, then inputs, then the arena
    size_t bytes = 0, offset = 0;
    int begin = 0, end = 0;
  };
  int64_t batchSize = 0;
  size_t persistentBytes = 0, inputBytes = 0, transientBytes = 0, lowerBoundBytes = 0;
  // The instruction with the most live bytes
  int peakInstant = 0;
  std::vector<Instruction> instructions;
  std::vector<Block> blocks;

  size_t peakBytes() const { return persistentBytes + inputBytes + transientBytes; }
  /// Returns the live bytes by category during an instruction.
  BytesByCategory bytesAt(int instant) const;
  /// Returns the live bytes during an instruction.
  size_t liveAt(int instant) const;
  /// Returns the bytes that no block has during an instruction: alignment and holes of the arena.
  size_t holesAt(int instant) const { return peakBytes() - std::min(peakBytes(), liveAt(instant)); }
  /// Returns the blocks that are live during an instruction, largest first.
  std::vector<size_t> blocksAt(int instant) const;
};

/// `plan` is that of the graph, perhaps with larger lanes.
StepMemory stepMemoryOf(const Graph& graph, const MemoryPlan& plan, int64_t batchSize);

/// Writes the file atomically. Fails: IoFailure.
void writeStepMemory(const std::string& runDirectory, const StepMemory& memory);
/// Reads the file of a run. Returns null if it is missing or damaged, and sets `problem`, the rest
/// of a sentence such as "memory.json is missing".
std::shared_ptr<const StepMemory> readStepMemory(const std::string& runDirectory,
                                                 std::string& problem);

}  // namespace strata
