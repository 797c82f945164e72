// SPDX-License-Identifier: Apache-2.0
// What a training run takes of the memory of its device, and how much memory there is. Plans,
// benchmarks and every view of the window show these figures.
// Not here: the parts of the network's memory (gpu/memory), the use of memory during a run
// (core/runs/device_samples.h).
// Thread: plain values.
#pragma once

#include <cstddef>

namespace strata {

/// All members are bytes.
struct MemoryFigures {
  // The peak of a training step: weights, activations and everything else of the memory plan
  size_t network = 0;
  // The data set: in host memory, or the training samples that a card keeps if they fit
  size_t samples = 0;
  // On a card: the places through which inputs and results pass, and what its driver, kernels and
  // libraries take
  size_t transfers = 0, context = 0;
  // Whether `context` is an estimate, as on simulated cards
  bool isContextEstimated = false;
  // What the network may take: the limit of the user, or what all others leave
  size_t limit = 0;
  // The memory of the card, or the memory of this machine that this process may use
  size_t machine = 0;
  // Whether the device has its own memory
  bool isCard = false;

  size_t total() const { return network + samples + transfers + context; }
};

}  // namespace strata
