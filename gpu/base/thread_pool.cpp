// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/thread_pool.h"

#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <exception>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/base/thread_place.h"

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace strata {
namespace {

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

// A worker that is done spins this often before it takes the share of another one. If all have
// their processors, the others have begun by then, and their cache lines are left alone.
constexpr int kPatience = 40;

// How often a worker spins for AwaitedNumber::kSpin while it observes that a late worker runs
constexpr int kMaxSpins = 2;

using Part = PartedWork::Part;
// The kinds of tickets besides those of parts
constexpr uint64_t kEnd = 3, kNumKinds = 4;
uint64_t kindOf(Part part) { return static_cast<uint64_t>(part); }

/// A function of run(): one part, in which each worker has a call.
class Calls final : public PartedWork {
 public:
  Calls(void (*function)(void*, int), void* context, std::vector<std::exception_ptr>& failures)
      : m_function(function), m_context(context), m_failures(failures) {}
  Part nextPart() noexcept override {
    m_hasBegun = !m_hasBegun;
    return m_hasBegun ? Part::Shared : Part::None;
  }
  void runShare(int share) noexcept override {
    try {
      m_function(m_context, share);
    }
    catch (...) {
      m_failures[static_cast<size_t>(share)] = std::current_exception();
    }
  }

 private:
  void (*const m_function)(void*, int);
  void* const m_context;
  // The exception of each worker, or null
  std::vector<std::exception_ptr>& m_failures;
  bool m_hasBegun = false;
};

}  // namespace

// If there are more workers than processors, a spinning worker may occupy the processor that the
// late worker needs. Workers then sleep without spinning.
SpinBarrier::SpinBarrier(int count) : m_count(count), m_maySpin(count <= usableProcessors()) {}

void SpinBarrier::wait() {
  if (m_count == 1) return;
  const uint64_t generation = m_generation.get();
  if (m_arrived.fetch_add(1, std::memory_order_acq_rel) + 1 < m_count) {
    if (m_maySpin && (m_generation.spin(generation) || m_generation.spin(generation))) return;
    m_generation.sleep(generation);
    return;
  }
  m_arrived.store(0, std::memory_order_relaxed);
  m_generation.set(generation + 1);
}

// Every part has a ticket: a number that only grows, with its kind (Part or kEnd) in the lowest
// bits. A worker claims a share by writing the ticket of the part to the share's entry. This fails
// if the entry has this ticket or a later one, so each share is claimed once. A worker that slept
// for several parts, or several runs, cannot claim a share of a part that is over: all of them are
// claimed. As long as a share is claimed but not done, its part, and the work, cannot end.
struct ThreadPool::Impl {
  Impl(int count, int nice)
      : numWorkers(count),
        niceness(nice),
        maySpin(count <= usableProcessors()),
        barrier(count),
        workers(static_cast<size_t>(count)),
        failures(static_cast<size_t>(count)) {}

  struct alignas(64) Worker {
    // The last ticket for which the share of this worker was claimed
    std::atomic<uint64_t> claimed{0};
    // The rest is not of the share but of the thread
    alignas(64) std::atomic<int> thread{0};
    // The part of which the thread does a share, or 0
    std::atomic<uint64_t> working{0};
    // The processor that the thread leaves to another worker, or -1
    std::atomic<int> toLeave{-1};
    // How often the thread spins before it takes the share of another worker
    int patience = kPatience;
  };

  const int numWorkers;
  const int niceness;
  const bool maySpin;
  SpinBarrier barrier;
  std::vector<Worker> workers;
  std::vector<std::exception_ptr> failures;
  // Written before the ticket of the first part, and read only while a share is claimed
  PartedWork* work = nullptr;
  AwaitedNumber ticket;
  // Whether the caller of run() is still in it
  alignas(64) std::atomic<bool> isRunning{false};
  // The number of workers that are moving the thread of another one
  std::atomic<int> numMovers{0};
  // The number of shares of the part that are done
  alignas(64) std::atomic<int> numDone{0};
  std::vector<std::thread> threads;

  bool claim(int share, uint64_t part) {
    std::atomic<uint64_t>& claimed = workers[static_cast<size_t>(share)].claimed;
    uint64_t last = claimed.load(std::memory_order_relaxed);
    return last < part && claimed.compare_exchange_strong(last, part, std::memory_order_acq_rel,
                                                          std::memory_order_relaxed);
  }

  /// Issues the next ticket.
  void issue(uint64_t kind) { ticket.set((ticket.get() / kNumKinds + 1) * kNumKinds + kind); }

  /// Does a claimed share. Whoever does the last one of a part begins the next part.
  void doShare(int worker, int share, uint64_t part) {
    std::atomic<uint64_t>& working = workers[static_cast<size_t>(worker)].working;
    working.store(part, std::memory_order_release);
    work->runShare(share);
    bool isLast = true;
    if (part % kNumKinds == kindOf(Part::Shared)) {
      isLast = numDone.fetch_add(1, std::memory_order_acq_rel) + 1 == numWorkers;
      if (isLast) numDone.store(0, std::memory_order_relaxed);
    }
    if (isLast) issue(kindOf(work->nextPart()));
    working.store(0, std::memory_order_relaxed);
  }

  /// Claims and does a share of another worker, if one is left.
  bool helpOthers(int worker, uint64_t part) {
    const int count = part % kNumKinds == kindOf(Part::Shared) ? numWorkers : 1;
    for (int i = 1; i <= count; ++i)
      if (const int share = (worker + i) % count; share != worker && claim(share, part)) {
        doShare(worker, share, part);
        return true;
      }
    return false;
  }

  /// Returns a worker for which `worker` waits, or -1.
  int lateWorker(int worker, uint64_t part) const {
    if (part % kNumKinds == kindOf(Part::None))
      return isRunning.load(std::memory_order_acquire) ? 0 : -1;
    for (int other = 0; other < numWorkers; ++other)
      if (other != worker &&
          workers[static_cast<size_t>(other)].working.load(std::memory_order_acquire) == part)
        return other;
    return -1;
  }

  /// Moves the thread of a late worker to the processor of this thread. Returns the processor, or
  /// -1. The caller of run() is moved only while it cannot leave run(), because threads that it
  /// starts would inherit its processors of that moment.
  int moveWorker(int late, int thread) {
    numMovers.fetch_add(1, std::memory_order_seq_cst);
    const bool mayMove = late > 0 || isRunning.load(std::memory_order_seq_cst);
    const int processor = mayMove ? moveHere(thread) : -1;
    numMovers.fetch_sub(1, std::memory_order_release);
    return processor;
  }

  /// Waits for the next ticket: spins as long as a late worker runs, but not for long, then sleeps.
  /// If the late worker does not get a processor, it gets the one of this worker.
  void waitForOthers(int worker, uint64_t part) {
    if (maySpin) {
      if (ticket.spin(part)) return;
      const int late = lateWorker(worker, part);
      const int thread =
          late < 0 ? 0 : workers[static_cast<size_t>(late)].thread.load(std::memory_order_relaxed);
      auto before = thread == 0 ? std::nullopt : processorTime(thread);
      for (int i = 0; i < (before ? kMaxSpins : 1); ++i) {
        if (ticket.spin(part)) return;
        const auto after = before ? processorTime(thread) : std::nullopt;
        if (after && *after - *before < AwaitedNumber::kSpin / 2) {
          // One of the two leaves later, but not the caller of run(): the next step begins there
          const int leaving = late > 0 ? late : worker;
          workers[static_cast<size_t>(leaving)].toLeave.store(moveWorker(late, thread),
                                                              std::memory_order_relaxed);
          break;
        }
        before = after;
      }
    }
    ticket.sleep(part);
  }

  /// Does shares of `worker`, and of late workers, until the work ends. Workers other than the
  /// caller of run() then wait for the next work, until the pool ends.
  void serve(int worker) {
    Worker& self = workers[static_cast<size_t>(worker)];
    for (;;) {
      if (const int processor = self.toLeave.load(std::memory_order_relaxed); processor >= 0) {
        self.toLeave.store(-1, std::memory_order_relaxed);
        leaveProcessor(processor);
      }
      const uint64_t part = ticket.get(), kind = part % kNumKinds;
      if (kind == kEnd || (worker == 0 && kind == kindOf(Part::None))) return;
      if (kind != kindOf(Part::None)) {
        if ((worker == 0 || kind == kindOf(Part::Shared)) && claim(worker, part)) {
          doShare(worker, worker, part);
          continue;
        }
        if (maySpin && ticket.spin(part, self.patience)) continue;
        if (helpOthers(worker, part)) {
          // The others are probably late again in the next part
          self.patience /= 2;
          continue;
        }
        self.patience = kPatience;
      }
      waitForOthers(worker, part);
    }
  }

  void runThread(int worker) {
    pthread_setname_np(pthread_self(), ("strata-" + std::to_string(worker)).c_str());
    if (niceness != 0) setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), niceness);
    const FlushDenormals flush;
    workers[static_cast<size_t>(worker)].thread.store(threadNumber(), std::memory_order_relaxed);
    serve(worker);
  }

  void stop() {
    issue(kEnd);
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
      m_impl->threads.emplace_back([impl = m_impl.get(), worker] { impl->runThread(worker); });
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

void ThreadPool::run(PartedWork& work, bool isAlone) {
  const FlushDenormals flush;
  if (isAlone || m_impl->numWorkers == 1) {
    while (work.nextPart() != Part::None)
      work.runShare(0);
    return;
  }
  m_impl->work = &work;
  m_impl->workers[0].thread.store(threadNumber(), std::memory_order_relaxed);
  m_impl->isRunning.store(true, std::memory_order_release);
  m_impl->issue(kindOf(work.nextPart()));
  m_impl->serve(0);
  m_impl->isRunning.store(false, std::memory_order_seq_cst);
  while (m_impl->numMovers.load(std::memory_order_seq_cst) > 0)
    sched_yield();
}

void ThreadPool::run(void (*function)(void*, int), void* context, bool isAlone) {
  Calls calls(function, context, m_impl->failures);
  run(calls, isAlone);
  std::exception_ptr first;
  for (std::exception_ptr& failure : m_impl->failures)
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
