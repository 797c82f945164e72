// SPDX-License-Identifier: Apache-2.0
// Runs one kernel repeatedly on artificial operands to measure its time. calibration.h and
// present_speed.h choose the kernels and use the times.
// Thread: only the thread that may use the pool.
#pragma once

#include <memory>
#include <string>

#include "gpu/base/thread_pool.h"
#include "gpu/base/tries.h"
#include "gpu/cost/work.h"
#include "gpu/tensor/tensor.h"

namespace strata {

/// Memory that trials use one after another. Its pages are allocated only once, so that trials do
/// not measure page faults.
class Room {
 public:
  /// Allocates the memory. Fails: OutOfMemory.
  explicit Room(size_t bytes);
  /// Returns the next `bytes` bytes, which must be available.
  std::byte* take(size_t bytes);
  /// Makes all memory available again.
  void clear() { m_used = 0; }
  size_t size() const { return m_bytes.size(); }
  std::byte* data() { return m_bytes.data(); }

 private:
  AlignedBytes m_bytes;
  size_t m_used = 0;
};

class Trial {
 public:
  /// Creates the kernel and computes its work. Fails: UnsupportedOp.
  Trial(cpu::KernelSetup setup, ThreadPool& pool);

  /// Returns the number of bytes that run() takes from the room at most, including alignment.
  size_t bytes() const;
  /// Runs the kernel for about `seconds`, at least twice, with the barriers of a step. Adds the
  /// times of all runs except the first to `tries`.
  void run(Room& room, double seconds, Tries& tries);

  /// Returns op, shapes and implementation, for display.
  std::string name() const;
  const NodeWork& work() const { return m_work; }
  double readBytes() const { return static_cast<double>(m_readBytes); }
  double writtenBytes() const { return static_cast<double>(m_writtenBytes); }
  double workspaceBytes() const { return static_cast<double>(m_kernel->workspaceBytes()); }

 private:
  static const std::byte* fill(std::byte* place, const TensorType& type);

  ThreadPool& m_pool;
  const cpu::KernelSetup m_setup;
  std::unique_ptr<HostKernel> m_kernel;
  NodeWork m_work;
  size_t m_readBytes = 0, m_writtenBytes = 0;
};

}  // namespace strata
