// SPDX-License-Identifier: Apache-2.0
// A graphics card by its data sheet. A simulated card is opened with it (gpu/cuda).
// Not here: the catalogue of cards (core/cost).
// Thread: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace strata {

/// The names of simulated cards start with this; the name of the card follows.
inline constexpr const char* kSimulatedPrefix = "simulated:";

struct CardData {
  std::string name;
  // Compute capability
  int major = 0, minor = 0;
  int cores = 0, megahertz = 0;
  /// Returns the number of multiprocessors, each with 64 cores up to compute capability 8.0, and
  /// with 128 cores from 8.6 on.
  int multiprocessors() const {
    const bool isSmall = 10 * major + minor <= 80;
    const int count = cores / (isSmall ? 64 : 128);
    return count > 0 ? count : 1;
  }
  size_t memoryBytes = 0;
  double bytesPerSecond = 0;
  // Peak rates of float32, tf32, bfloat16 and float16; 0 if the card does not support the type
  std::array<double, 4> flopsPerSecond{};
  // What cuDNN asks a driver about the card, as JSON; empty if unknown
  std::string cudnnProperties;
};

}  // namespace strata
