// SPDX-License-Identifier: Apache-2.0
#include "core/train/micro_batches.h"

#include <algorithm>

namespace strata {

static MicroStep microStepOf(int64_t index, int64_t pieces) {
  if (pieces == 1) return MicroStep::Whole;
  if (index == 0) return MicroStep::First;
  return index + 1 == pieces ? MicroStep::Last : MicroStep::Middle;
}

std::vector<MicroBatch> microBatches(int64_t samples, int64_t pieces) {
  pieces = std::clamp<int64_t>(pieces, 1, std::max<int64_t>(1, samples));
  std::vector<MicroBatch> result;
  int64_t offset = 0;
  for (int64_t i = 0; i < pieces; ++i) {
    const int64_t size = samples / pieces + (i >= pieces - samples % pieces ? 1 : 0);
    result.push_back({offset, size, microStepOf(i, pieces)});
    offset += size;
  }
  return result;
}

}  // namespace strata
