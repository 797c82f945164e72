// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/dead_bytes.h"

#include <algorithm>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {

DeadBytes deadBytesOf(const StepLayout& layout) {
  const auto complement = [&](auto&& isLive) {
    std::vector<ByteRange> live, dead;
    for (const Storage& storage : layout.plan.storages)
      if (storage.lane == Storage::Lane::Transient && storage.bytes > 0 && isLive(storage))
        live.push_back({storage.offset, storage.offset + storage.bytes});
    std::sort(live.begin(), live.end(),
              [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
    size_t at = 0;
    for (const ByteRange& range : live) {
      if (range.begin > at) dead.push_back({at, range.begin});
      at = std::max(at, range.end);
    }
    if (at < layout.plan.transientBytes) dead.push_back({at, layout.plan.transientBytes});
    return dead;
  };
  const int last = static_cast<int>(layout.graph.order().size()) - 1;
  DeadBytes result;
  for (const LaidInstruction& instruction : layout.instructions) {
    const int now = instruction.position;
    result.during.push_back(
        complement([&](const Storage& s) { return s.begin <= now && s.end >= now; }));
    result.after.push_back(complement(
        [&](const Storage& s) { return s.begin <= now && (s.end > now || s.end == last); }));
  }
  return result;
}

void checkCanaries(const StepLayout& layout, const DeadBytes& dead, size_t index,
                   const std::byte* arena) {
  for (const ByteRange& range : dead.during[index])
    for (size_t at = range.begin; at < range.end; ++at)
      if (arena[at] != std::byte{kCanary}) {
        const LaidInstruction& instruction = layout.instructions[index];
        const Node& node =
            layout.graph.node(layout.graph.order()[static_cast<size_t>(instruction.position)]);
        throw Error(ErrorCode::Internal, node.layer,
                    "op \"" + node.op->name + "\" (" + instruction.kernel->implementation() +
                        ") wrote byte " + std::to_string(at) +
                        " of the arena, which is outside its operands.");
      }
}

}  // namespace strata
