// SPDX-License-Identifier: Apache-2.0
// A graphics card by its data sheet. A simulated card is opened with it (gpu/cuda).
// Not here: the catalogue of cards (core/cost).
// Thread: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace strata {

struct CardData {
  std::string name;
  // Compute capability
  int major = 0, minor = 0;
  int cores = 0, megahertz = 0;
  size_t memoryBytes = 0;
  double bytesPerSecond = 0;
  // Peak rates of float32, tf32, bfloat16 and float16; 0 if the card does not support the type
  std::array<double, 4> flopsPerSecond{};
  // What cuDNN asks a driver about the card, as JSON; empty if unknown
  std::string cudnnProperties;
};

}  // namespace strata
