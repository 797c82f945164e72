// SPDX-License-Identifier: Apache-2.0
// The micro-batches of an update.
// Thread: plain values.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compile/compile.h"

namespace strata {

/// A micro-batch of an update, and its position in the batch.
struct MicroBatch {
  int64_t offset = 0, samples = 0;
  MicroStep step = MicroStep::Whole;
  // The device of this process that computes it, or a part of it
  int rank = 0;
};

/// Divides an update on `samples` samples into `pieces` micro-batches, smaller ones first. If there
/// are fewer samples than `pieces`, each micro-batch has one sample.
std::vector<MicroBatch> microBatches(int64_t samples, int64_t pieces);

}  // namespace strata
