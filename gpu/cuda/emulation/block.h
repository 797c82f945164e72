// SPDX-License-Identifier: Apache-2.0
// Runs the threads of one block of a kernel on the host: one call after the other, or, for
// cooperative kernels, one fiber per thread with barriers, shuffles and checked shared memory.
// Thread: one object per host thread.
#pragma once

#include <cstddef>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "gpu/cuda/emulation/emulation.h"

namespace strata::emulated {

/// An error in a kernel, with the number of the thread.
class KernelFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The order in which the threads of a block run. Results must not depend on it.
enum class ThreadOrder : uint8_t { Forward, Reverse, Shuffled };

class Block {
 public:
  Block();
  ~Block();
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  /// Runs all threads of a block. `seed` is for ThreadOrder::Shuffled.
  /// Fails: KernelFailure.
  void run(const Kernel& kernel, const void* bound, Index block, Index blockDim, Index gridDim,
           ThreadOrder order, uint64_t seed);

  // Called by the kernel through emulation.h:
  void syncThreads();
  void syncWarp();
  uint32_t exchange(uint32_t bits, int source);
  SharedMemory sharedMemory(const void* site, size_t elements, size_t elementBytes);

 private:
  struct Fiber;
  struct Warp;
  struct Shared;
  static void enter();
  void runCooperative();
  void arrangeThreads(Index blockDim, ThreadOrder order, uint64_t seed);
  Fiber* nextReady();
  void countEpoch();
  void waitFor(const uint32_t& generation);
  void switchFiber(Fiber* from, Fiber* to);
  void prepare(Fiber& fiber);

  const Kernel* m_kernel = nullptr;
  const void* m_bound = nullptr;
  struct {
    Index blockDim;
    ThreadOrder order = ThreadOrder::Forward;
    uint64_t seed = 0;
  } m_arranged;
  // By number of the thread
  std::vector<Index> m_indices;
  std::vector<int> m_order;
  std::vector<std::unique_ptr<Fiber>> m_fibers;
  std::vector<Warp> m_warps;
  std::vector<Shared> m_shared;
  // The fiber that runs, and its place in m_order
  Fiber* m_running = nullptr;
  size_t m_place = 0;
  void* m_schedulerStack = nullptr;
  // For sanitizers: the stack of the thread that runs the block
  const void* m_schedulerBottom = nullptr;
  [[maybe_unused]] size_t m_schedulerBytes = 0;
  [[maybe_unused]] void* m_sanitized = nullptr;
  int m_count = 0, m_exited = 0, m_arrived = 0;
  // Counts on from block to block, so that shadows of earlier blocks mean nothing
  uint32_t m_epoch = 0;
  std::string m_failure;
};

}  // namespace strata::emulated
