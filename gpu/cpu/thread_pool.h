// SPDX-License-Identifier: Apache-2.0
// A persistent pool: workers spin a moment, then sleep. The caller of run() is worker 0, so a pool of 1 has no thread.
// Thread: run() from one thread at a time.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>

namespace strata {

/// Sense-reversing spin barrier for a fixed number of workers; yields after a while so that oversubscribed machines go on.
class SpinBarrier {
 public:
  explicit SpinBarrier(int count) : m_count(count) {}
  void wait();

 private:
  const int m_count;
  alignas(64) std::atomic<int> m_arrived{0};
  alignas(64) std::atomic<unsigned> m_generation{0};
};

class ThreadPool {
 public:
  /// niceness: of the workers (not of the caller). Denormals are flushed in every worker, the caller included while it runs.
  explicit ThreadPool(int numWorkers, int niceness = 0);
  ~ThreadPool();
  int numWorkers() const;
  SpinBarrier& barrier();  // for code inside run(): all workers meet
  /// Calls function(context, worker) on every worker and returns when all are done. Allocates nothing.
  void run(void (*function)(void* context, int worker), void* context);
  template <class F>
  void run(F&& f) {
    run([](void* context, int worker) { (*static_cast<std::remove_reference_t<F>*>(context))(worker); }, &f);
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

/// Share `worker` of 0..count, in multiples of `grain`, as a half-open range; depends on its arguments only.
struct WorkRange { int64_t begin, end; };
WorkRange shareOf(int64_t count, int worker, int numWorkers, int64_t grain = 1);

}  // namespace strata
