// SPDX-License-Identifier: Apache-2.0
// A persistent pool: workers spin a moment, then sleep. The caller of run() is worker 0, so a pool
// of 1 has no thread.
// Not here: what the workers do (gpu/exec/program.cpp runs a whole step as one call).
// Thread: run() from one thread at a time.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace strata {

/// Spins with the processor's pause; where a partner stays away it yields, then sleeps, so that
/// oversubscribed machines go on.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count);
  /// Returns when all `count` workers have called it; what they wrote before is visible after.
  void wait();

 private:
  const int m_count;
  const int m_spins;
  alignas(64) std::atomic<int> m_arrived{0};
  alignas(64) std::atomic<unsigned> m_generation{0};
};

class ThreadPool {
 public:
  /// niceness: of the workers (not of the caller). Denormals are flushed in every worker, the
  /// caller included while it runs.
  /// Requires: numWorkers >= 1 (Fails: InvalidArgument). Fails: DeviceFailure where the system has
  /// no more threads.
  explicit ThreadPool(int numWorkers, int niceness = 0);
  ~ThreadPool();
  int numWorkers() const;
  // For code inside run(): all workers meet
  SpinBarrier& barrier();
  /// Calls function(context, worker) on every worker and returns when all are done. Allocates
  /// nothing. An exception of a worker (the lowest that has one) comes out here; a function that
  /// uses barrier() must not throw between two of them, or the others wait for ever. isAlone: on
  /// the caller alone, as worker 0, and none of the others is woken or waited for.
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

/// Share `worker` of 0..count, in multiples of `grain`, as a half-open range; depends on its
/// arguments only.
struct WorkRange {
  int64_t begin, end;
  bool operator==(const WorkRange&) const = default;
};
WorkRange shareOf(int64_t count, int worker, int numWorkers, int64_t grain = 1);

}  // namespace strata
