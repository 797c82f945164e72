// SPDX-License-Identifier: Apache-2.0
// A persistent thread pool. Idle workers spin for a moment, then sleep. The caller of run() is
// worker 0, so a pool of one worker starts no thread.
// Not here: the work itself (gpu/exec/program.cpp runs a whole step as one call).
// Thread: run() from one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace strata {

/// A barrier that spins first. If a worker does not arrive it yields, then sleeps, so that a
/// machine with too few cores still makes progress.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count);
  /// Returns when all `count` workers have called it. What they wrote before is visible afterwards.
  void wait();

 private:
  const int m_count;
  const int m_spins;
  alignas(64) std::atomic<int> m_arrived{0};
  alignas(64) std::atomic<unsigned> m_generation{0};
};

class ThreadPool {
 public:
  /// niceness: of the workers, not of the caller. Every worker flushes denormals to zero, also the
  /// caller while it is inside run().
  /// Requires: numWorkers >= 1 (Fails: InvalidArgument). Fails: DeviceFailure if the system cannot
  /// start a thread.
  explicit ThreadPool(int numWorkers, int niceness = 0);
  ~ThreadPool();
  int numWorkers() const;
  // For code inside run(): waits for all workers
  SpinBarrier& barrier();
  /// Calls function(context, worker) on every worker and returns when all are done. Allocates
  /// nothing. Rethrows the exception of the first worker that threw one. A function that uses
  /// barrier() must not throw before the last barrier, because the other workers would wait
  /// forever. isAlone: runs only on the caller, as worker 0, without waking the others.
  void run(void (*function)(void* context, int worker), void* context, bool isAlone = false);
  template <class F>
  void run(F&& f, bool isAlone = false) {
    run([](void* context,
           int worker) { (*static_cast<std::remove_reference_t<F>*>(context))(worker); },
        const_cast<void*>(static_cast<const void*>(std::addressof(f))), isAlone);
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

/// The part of 0..count that `worker` handles, in multiples of `grain`, as a half-open range. It
/// depends only on its arguments.
struct WorkRange {
  int64_t begin, end;
  bool operator==(const WorkRange&) const = default;
};
WorkRange shareOf(int64_t count, int worker, int numWorkers, int64_t grain = 1);

}  // namespace strata
