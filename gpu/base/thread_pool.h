// SPDX-License-Identifier: Apache-2.0
// A persistent thread pool. Idle workers spin for a moment, then sleep. The thread that calls run()
// is worker 0, so a pool of one worker starts no thread.
// Work is divided into shares, one for each worker. If a worker is late, because another program
// uses its processor, a worker that is done takes its share. If a worker is interrupted in the
// middle of a share, a worker that waits for it lends it its processor. Which thread does a share
// never changes the result.
// Not here: the work itself (gpu/host/host_runner.cpp runs a whole step in one call).
// Thread: only one thread at a time may call run().
#pragma once

#include <atomic>
#include <concepts>
#include <cstdint>
#include <memory>
#include <type_traits>

#include "gpu/base/awaited_number.h"

namespace strata {

/// A barrier for all workers. A waiting worker first spins, then sleeps. The workers therefore make
/// progress even on a machine with fewer cores than workers.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count);
  /// Returns when all `count` workers have called wait(). Each worker then sees everything that the
  /// others wrote before their calls.
  void wait();

 private:
  const int m_count;
  const bool m_maySpin;
  alignas(64) std::atomic<int> m_arrived{0};
  AwaitedNumber m_generation;
};

/// Work in parts that follow each other. A part has a share for each worker, or only share 0.
class PartedWork {
 public:
  enum class Part { None, Solo, Shared };
  virtual ~PartedWork() = default;
  /// Begins the first or the next part, and returns whether it has only share 0 (Solo) or the
  /// shares of all workers (Shared). None ends the work. One thread calls it after all shares of
  /// the part before. It sees everything that these wrote, and the next shares see what it writes.
  virtual Part nextPart() noexcept = 0;
  /// Does a share of the part: 0 <= share < numWorkers(). Each share is done once, by any worker.
  /// Shares of a part may be done at the same time, and must not wait for each other.
  virtual void runShare(int share) noexcept = 0;
};

class ThreadPool {
 public:
  /// Starts numWorkers - 1 threads with this niceness. The calling thread keeps its niceness. All
  /// workers flush denormals to zero. The caller does so only inside run().
  /// Fails: InvalidArgument if numWorkers < 1, DeviceFailure if the system cannot start a thread.
  explicit ThreadPool(int numWorkers, int niceness = 0);
  ~ThreadPool();
  int numWorkers() const;
  /// Returns the barrier of all workers, for functions that run() calls.
  SpinBarrier& barrier();
  /// Does all parts of the work and returns after the last one. If isAlone is true, only the caller
  /// works, and does only share 0 of each part. run() does not allocate.
  void run(PartedWork& work, bool isAlone = false);
  /// Calls function(context, worker) once for every worker and returns when all calls have
  /// returned. Worker 0 is the caller, but a worker that is done makes the call of a late one. If
  /// isAlone is true, only the caller calls the function, as worker 0. run() does not allocate. If
  /// calls throw, it rethrows the exception of the worker with the lowest number.
  /// A function that uses barrier() must use it in all calls. Each worker then makes its own call,
  /// because no worker is done before all have begun. The function must not throw before its last
  /// barrier, because the other workers would wait forever.
  void run(void (*function)(void* context, int worker), void* context, bool isAlone = false);
  template <std::invocable<int> F>
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
