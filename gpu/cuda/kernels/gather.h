// SPDX-License-Identifier: Apache-2.0
// Sizes that the kernels of gather_backward share with their caller. C++17.
// Thread: constants.
#pragma once

namespace strata::cuda {

// Each pass of the sort handles a digit of 8 bits
constexpr int kDigitBits = 8, kDigits = 1 << kDigitBits;
// Keys that a thread counts and moves
constexpr int kKeysPerChunk = 16;
// Sorted lookups that a thread adds
constexpr int kLookupsPerTile = 32;

}  // namespace strata::cuda
