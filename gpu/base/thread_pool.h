// SPDX-License-Identifier: Apache-2.0
// A persistent thread pool. Idle workers spin for a moment, then sleep. The thread that calls run()
// is worker 0, so a pool of one worker starts no thread.
// Not here: the work itself (gpu/host/host_runner.cpp runs a whole step in one call).
// Thread: only one thread at a time may call run().
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <type_traits>

namespace strata {

/// A barrier for all workers. A waiting worker first spins, then yields, then sleeps. The workers
/// therefore make progress even on a machine with fewer cores than workers.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count);
  /// Returns when all `count` workers have called wait(). Each worker then sees everything that the
  /// others wrote before their calls.
  void wait();

 private:
  const int m_count;
  const int m_spins;
  alignas(64) std::atomic<int> m_arrived{0};
  alignas(64) std::atomic<unsigned> m_generation{0};
};

class ThreadPool {
 public:
  /// Starts numWorkers - 1 threads with this niceness. The calling thread keeps its niceness. All
  /// workers flush denormals to zero. The caller does so only inside run().
  /// Fails: InvalidArgument if numWorkers < 1, DeviceFailure if the system cannot start a thread.
  explicit ThreadPool(int numWorkers, int niceness = 0);
  ~ThreadPool();
  int numWorkers() const;
  /// Returns the barrier of all workers. Only functions that run() executes on all workers may use
  /// it.
  SpinBarrier& barrier();
  /// Calls function(context, worker) on every worker and returns when all calls have returned. If
  /// isAlone is true, only the caller runs the function, as worker 0. run() does not allocate. If
  /// workers throw, it rethrows the exception of the worker with the lowest number. A function that
  /// uses barrier() must not throw before its last barrier, because the other workers would wait
  /// forever.
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

/// A half-open range of indices.
struct WorkRange {
  int64_t begin, end;
  bool operator==(const WorkRange&) const = default;
};
/// Returns the part of the range [0, count) that `worker` handles. Parts are multiples of `grain`,
/// except at the end of the range. The result depends only on the arguments.
WorkRange shareOf(int64_t count, int worker, int numWorkers, int64_t grain = 1);

}  // namespace strata
