// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/device_attributes.h"

namespace strata::simulated {
namespace {

// Source: CUDA C++ Programming Guide 13, "Technical Specifications per Compute Capability"
struct Multiprocessor {
  int capability, threads, blocks, sharedKibibytes;
};
constexpr Multiprocessor kMultiprocessors[] = {
    {75, 1024, 16, 64},  {80, 2048, 32, 164}, {86, 1536, 16, 100},
    {89, 1536, 24, 100}, {90, 2048, 32, 228}, {120, 1536, 24, 100},
};

/// Returns the multiprocessor of the newest listed capability that is not newer than the card's.
const Multiprocessor& multiprocessorOf(const StrataSimulatedCard& card) {
  const Multiprocessor* result = kMultiprocessors;
  for (const Multiprocessor& each : kMultiprocessors)
    if (each.capability <= 10 * card.major + card.minor) result = &each;
  return *result;
}

}  // namespace

int deviceAttribute(const StrataSimulatedCard& card, int attribute, int& value) {
  const Multiprocessor& own = multiprocessorOf(card);
  switch (attribute) {
    case STRATA_CUDA_CLOCK_KILOHERTZ: value = card.clockKilohertz; return 0;
    case STRATA_CUDA_MULTIPROCESSORS: value = card.multiprocessors; return 0;
    case STRATA_CUDA_MAJOR: value = card.major; return 0;
    case STRATA_CUDA_MINOR: value = card.minor; return 0;
    case STRATA_CUDA_MAX_SHARED_BYTES_OPTIN: value = 99 * 1024; return 0;
    case STRATA_CUDA_THREADS_PER_MULTIPROCESSOR: value = own.threads; return 0;
    case STRATA_CUDA_BLOCKS_PER_MULTIPROCESSOR: value = own.blocks; return 0;
    case STRATA_CUDA_REGISTERS_PER_MULTIPROCESSOR: value = 64 * 1024; return 0;
    case STRATA_CUDA_SHARED_BYTES_PER_MULTIPROCESSOR: value = own.sharedKibibytes * 1024; return 0;
    case STRATA_CUDA_RESERVED_SHARED_BYTES: value = card.major >= 8 ? 1024 : 0; return 0;
    case STRATA_CUDA_INTEGRATED:
    case STRATA_CUDA_COMPUTE_MODE: value = 0; return 0;
    default: return STRATA_CUDA_INVALID_VALUE;
  }
}

}  // namespace strata::simulated
