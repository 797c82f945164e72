// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/base/machine.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace strata {
namespace {

inline void pauseProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  _mm_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Makes this thread treat denormals as zero. The destructor restores the previous mode.
class FlushDenormals {
 public:
#if defined(__x86_64__) || defined(__i386__)
  FlushDenormals() : m_saved(_mm_getcsr()) { _mm_setcsr(m_saved | 0x8040u); }
  ~FlushDenormals() { _mm_setcsr(m_saved); }
#elif defined(__aarch64__)
  FlushDenormals() {
    asm volatile("mrs %0, fpcr" : "=r"(m_saved));
    asm volatile("msr fpcr, %0" : : "r"(m_saved | (uint64_t{1} << 24)));
  }
  ~FlushDenormals() { asm volatile("msr fpcr, %0" : : "r"(m_saved)); }
#else
  FlushDenormals() = default;
  ~FlushDenormals() {}
#endif
  FlushDenormals(const FlushDenormals&) = delete;
  FlushDenormals& operator=(const FlushDenormals&) = delete;

 private:
#if defined(__aarch64__)
  uint64_t m_saved = 0;
#else
  unsigned m_saved = 0;
#endif
};

constexpr std::chrono::microseconds kSpin{80};

/// Spins until `ready()` returns true or kSpin has passed. If `maySpin` is false, calls `ready()`
/// only once. Returns the last result of `ready()`.
template <class Ready>
bool spinUntil(const Ready& ready, bool maySpin) {
  if (ready()) return true;
  if (!maySpin) return false;
  const auto start = std::chrono::steady_clock::now();
  do {
    for (int i = 0; i < 32; ++i) {
      pauseProcessor();
      if (ready()) return true;
    }
  } while (std::chrono::steady_clock::now() - start < kSpin);
  return false;
}

}  // namespace

// If there are more workers than processors, a spinning worker may occupy the processor that the
// late worker needs. Workers then yield without spinning.
SpinBarrier::SpinBarrier(int count)
    : m_count(count), m_spins(count <= usableProcessors() ? 2000 : 0) {}

void SpinBarrier::wait() {
  if (m_count == 1) return;
  const unsigned generation = m_generation.load(std::memory_order_relaxed);
  if (m_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == m_count) {
    m_arrived.store(0, std::memory_order_relaxed);
    // Sequentially consistent, because notify_all() must not check for sleeping workers before the
    // new generation is visible
    m_generation.fetch_add(1, std::memory_order_seq_cst);
    m_generation.notify_all();
    return;
  }
  for (int i = 0; i < m_spins; ++i) {
    if (m_generation.load(std::memory_order_acquire) != generation) return;
    pauseProcessor();
  }
  for (int i = 0; i < 200; ++i) {
    if (m_generation.load(std::memory_order_acquire) != generation) return;
    sched_yield();
  }
  while (m_generation.load(std::memory_order_acquire) == generation)
    m_generation.wait(generation, std::memory_order_acquire);
}

struct ThreadPool::Impl {
  Impl(int workers, int nice)
      : numWorkers(workers),
        niceness(nice),
        maySpin(workers <= usableProcessors()),
        barrier(workers),
        failures(static_cast<size_t>(workers)) {}

  const int numWorkers;
  const int niceness;
  const bool maySpin;
  SpinBarrier barrier;
  // The caller writes these before it changes `generation`; the workers read them afterwards
  void (*function)(void*, int) = nullptr;
  void* context = nullptr;
  bool isStopping = false;
  // The exception of each worker, or null
  std::vector<std::exception_ptr> failures;
  alignas(64) std::atomic<unsigned> generation{0};
  alignas(64) std::atomic<int> remaining{0};
  std::vector<std::thread> threads;

  void call(int worker) noexcept {
    try {
      function(context, worker);
    }
    catch (...) {
      failures[static_cast<size_t>(worker)] = std::current_exception();
    }
  }

  void start(int count) {
    remaining.store(count, std::memory_order_relaxed);
    generation.fetch_add(1, std::memory_order_seq_cst);
    generation.notify_all();
  }

  void work(int worker) {
    pthread_setname_np(pthread_self(), ("strata-" + std::to_string(worker)).c_str());
    if (niceness != 0) setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), niceness);
    const FlushDenormals flush;
    unsigned seen = 0;
    for (;;) {
      const auto isNew = [&] {
        return generation.load(std::memory_order_acquire) != seen;
      };
      if (!spinUntil(isNew, maySpin))
        while (!isNew())
          generation.wait(seen, std::memory_order_acquire);
      ++seen;
      if (isStopping) return;
      call(worker);
      if (remaining.fetch_sub(1, std::memory_order_seq_cst) == 1) remaining.notify_one();
    }
  }

  void stop() {
    isStopping = true;
    start(static_cast<int>(threads.size()));
    for (std::thread& thread : threads)
      thread.join();
  }
};

ThreadPool::ThreadPool(int numWorkers, int niceness) {
  if (numWorkers < 1)
    throw Error(ErrorCode::InvalidArgument, "threads",
                "the number of threads is too small (expected 1 or more, got " +
                    std::to_string(numWorkers) + "). Use at least 1 thread.");
  m_impl = std::make_unique<Impl>(numWorkers, niceness);
  m_impl->threads.reserve(static_cast<size_t>(numWorkers - 1));
  try {
    for (int worker = 1; worker < numWorkers; ++worker)
      m_impl->threads.emplace_back([impl = m_impl.get(), worker] { impl->work(worker); });
  }
  catch (const std::system_error&) {
    m_impl->stop();
    throw Error(ErrorCode::DeviceFailure, "threads",
                "the system could not start thread " + std::to_string(m_impl->threads.size() + 1) +
                    " of " + std::to_string(numWorkers - 1) + ". Use fewer threads.");
  }
  catch (...) {
    m_impl->stop();
    throw;
  }
}

ThreadPool::~ThreadPool() { m_impl->stop(); }

int ThreadPool::numWorkers() const { return m_impl->numWorkers; }
SpinBarrier& ThreadPool::barrier() { return m_impl->barrier; }

void ThreadPool::run(void (*function)(void*, int), void* context, bool isAlone) {
  Impl& impl = *m_impl;
  const bool hasOthers = impl.numWorkers > 1 && !isAlone;
  impl.function = function;
  impl.context = context;
  if (hasOthers) impl.start(impl.numWorkers - 1);
  {
    const FlushDenormals flush;
    impl.call(0);
  }
  if (hasOthers) {
    const auto isDone = [&] {
      return impl.remaining.load(std::memory_order_acquire) == 0;
    };
    if (!spinUntil(isDone, impl.maySpin))
      for (int left; (left = impl.remaining.load(std::memory_order_acquire)) != 0;)
        impl.remaining.wait(left, std::memory_order_acquire);
  }
  std::exception_ptr first;
  for (std::exception_ptr& failure : impl.failures)
    if (failure) {
      if (!first) first = failure;
      failure = nullptr;
    }
  if (first) std::rethrow_exception(first);
}

WorkRange shareOf(int64_t count, int worker, int numWorkers, int64_t grain) {
  const int64_t blocks = (count + grain - 1) / grain;
  const auto edge = [&](int64_t w) {
    return std::min(
        count, blocks / numWorkers * w * grain + std::min<int64_t>(blocks % numWorkers, w) * grain);
  };
  return {edge(worker), edge(worker + 1)};
}

}  // namespace strata
