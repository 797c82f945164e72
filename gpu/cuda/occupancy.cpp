// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/occupancy.h"

#include <algorithm>

#include "gpu/base/round_up.h"

namespace strata::cuda {
namespace {

constexpr int64_t kWarp = 32;
// A warp gets registers in pieces of this size, and a block gets warps and shared memory in pieces
constexpr int64_t kRegisterPiece = 256, kWarpPiece = 4, kSharedPiece = 128;

}  // namespace

MultiprocessorLimits MultiprocessorLimits::of(const StrataDriverTable& driver, CUdevice device) {
  const auto ask = [&](int attribute) {
    int value = 0;
    return driver.deviceGetAttribute(&value, attribute, device) == STRATA_CUDA_SUCCESS ? value : 0;
  };
  MultiprocessorLimits limits;
  limits.multiprocessors = ask(STRATA_CUDA_MULTIPROCESSORS);
  limits.threads = ask(STRATA_CUDA_THREADS_PER_MULTIPROCESSOR);
  limits.blocks = ask(STRATA_CUDA_BLOCKS_PER_MULTIPROCESSOR);
  limits.registers = ask(STRATA_CUDA_REGISTERS_PER_MULTIPROCESSOR);
  limits.sharedBytes = ask(STRATA_CUDA_SHARED_BYTES_PER_MULTIPROCESSOR);
  limits.reservedSharedBytes = ask(STRATA_CUDA_RESERVED_SHARED_BYTES);
  return limits;
}

Occupancy MultiprocessorLimits::occupancy(const KernelRecord& kernel) const {
  const int64_t threadsPerBlock = kernel.block[0] * kernel.block[1] * kernel.block[2],
                grid = kernel.grid[0] * kernel.grid[1] * kernel.grid[2];
  if (threadsPerBlock <= 0 || grid <= 0 || threads <= 0 || multiprocessors <= 0) return {};
  // Without registers, the theoretical value would be a guess
  if (kernel.registers <= 0) return {};
  const int64_t warps = (threadsPerBlock + kWarp - 1) / kWarp, allWarps = threads / kWarp;
  int64_t resident = std::min<int64_t>(blocks, allWarps / warps);
  const int64_t registersPerWarp = roundUp(kernel.registers * kWarp, kRegisterPiece);
  const int64_t warpsByRegisters = registers / registersPerWarp / kWarpPiece * kWarpPiece;
  resident = std::min(resident, warpsByRegisters / warps);
  if (const int64_t shared = static_cast<int64_t>(kernel.sharedBytes) + reservedSharedBytes;
      shared > 0)
    resident = std::min(resident, sharedBytes / roundUp(shared, kSharedPiece));
  if (resident <= 0) return {};
  Occupancy result;
  result.theoretical = static_cast<double>(resident * warps) / static_cast<double>(allWarps);
  // The grid runs in waves of equally long blocks, and the last wave may not fill the card
  const int64_t wave = resident * multiprocessors, waves = (grid + wave - 1) / wave;
  result.average = result.theoretical * static_cast<double>(grid) /
                   (static_cast<double>(waves) * static_cast<double>(wave));
  return result;
}

}  // namespace strata::cuda
