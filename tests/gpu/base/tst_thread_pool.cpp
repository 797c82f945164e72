// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/thread_pool.h"

#include <doctest/doctest.h>
#include <pthread.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/base/thread_place.h"
#include "tests/support/held_thread.h"

using namespace strata;

namespace {

/// Returns the processors that a thread may use.
cpu_set_t allowedFor(int thread) {
  cpu_set_t allowed;
  CPU_ZERO(&allowed);
  sched_getaffinity(thread, sizeof allowed, &allowed);
  return allowed;
}

// Read before any test moves a thread
const cpu_set_t initiallyAllowed = allowedFor(0);

/// Returns the threads of the workers.
std::vector<pthread_t> threadsOf(ThreadPool& pool) {
  std::vector<pthread_t> threads(static_cast<size_t>(pool.numWorkers()));
  pool.run([&](int worker) {
    pool.barrier().wait();
    threads[static_cast<size_t>(worker)] = pthread_self();
    // No worker may take the call of another one
    pool.barrier().wait();
  });
  return threads;
}

/// Counts how often each share of each part is done. Every fourth part has only share 0.
class CountedWork final : public PartedWork {
 public:
  CountedWork(int numParts, int numWorkers, int maxRounds = 200)
      : m_numParts(numParts),
        m_numWorkers(numWorkers),
        m_maxRounds(maxRounds),
        m_counts(static_cast<size_t>(numParts * numWorkers)) {}
  Part nextPart() noexcept override {
    // All shares of a part are done once before the next part, and nobody works on that one yet
    for (int part = std::max(0, m_numBegun - 1); part < std::min(m_numParts, m_numBegun + 1);
         ++part)
      for (int share = 0; share < m_numWorkers; ++share)
        if (m_counts[at(part, share)] != (part < m_numBegun && hasShare(part, share) ? 1 : 0))
          ++m_numErrors;
    if (m_numBegun == m_numParts) return Part::None;
    ++m_numBegun;
    return isSolo(m_numBegun - 1) ? Part::Solo : Part::Shared;
  }
  void runShare(int share) noexcept override {
    // Not atomic, so that ThreadSanitizer reports two workers that do the same share
    ++m_counts[at(m_numBegun - 1, share)];
    for (int i = m_numBegun * 37 % m_maxRounds; i > 0; --i)
      pauseProcessor();
    if (m_slowPart == m_numBegun - 1 && share == 1)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (onShare) onShare(share);
  }
  /// Returns the number of shares that were not done once, or at the wrong time.
  int numErrors() const {
    int errors = m_numErrors;
    for (int part = 0; part < m_numBegun; ++part)
      for (int share = 0; share < m_numWorkers; ++share)
        if (m_counts[at(part, share)] != (hasShare(part, share) ? 1 : 0)) ++errors;
    return errors;
  }
  bool isDone() const { return m_numBegun == m_numParts; }
  void setSlowPart(int part) { m_slowPart = part; }
  std::function<void(int share)> onShare;

 private:
  static bool isSolo(int part) { return part % 4 == 3; }
  static bool hasShare(int part, int share) { return share == 0 || !isSolo(part); }
  size_t at(int part, int share) const { return static_cast<size_t>(part * m_numWorkers + share); }

  const int m_numParts, m_numWorkers, m_maxRounds;
  std::vector<int> m_counts;
  int m_numBegun = 0, m_numErrors = 0, m_slowPart = -1;
};

}  // namespace

TEST_SUITE_BEGIN("thread_pool");

TEST_CASE("every worker is called once per run, and the caller is worker 0") {
  for (int workers : {1, 2, 3, 5}) {
    ThreadPool pool(workers);
    CHECK(pool.numWorkers() == workers);
    std::vector<int> calls(static_cast<size_t>(workers), 0);
    const auto caller = std::this_thread::get_id();
    bool zeroIsCaller = true;
    for (int run = 0; run < 200; ++run)
      pool.run([&](int worker) {
        pool.barrier().wait();
        ++calls[static_cast<size_t>(worker)];
        if (worker == 0 && std::this_thread::get_id() != caller) zeroIsCaller = false;
      });
    CHECK(zeroIsCaller);
    for (int count : calls)
      CHECK(count == 200);
  }
}

TEST_CASE("a run on the caller alone calls no other worker, and all workers join the next run") {
  ThreadPool pool(3);
  std::array<int, 3> calls{};
  const auto count = [&](int worker) {
    ++calls[static_cast<size_t>(worker)];
  };
  for (int run = 0; run < 5; ++run)
    pool.run(count, true);
  CHECK(calls == std::array{5, 0, 0});
  CHECK_THROWS_AS(pool.run([](int) { throw std::runtime_error("alone"); }, true),
                  std::runtime_error);
  pool.run(count);
  CHECK(calls == std::array{6, 1, 1});
}

TEST_CASE("sleeping workers wake up again") {
  ThreadPool pool(2);
  int sum = 0;
  for (int run = 0; run < 5; ++run) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
    pool.run([&](int worker) {
      if (worker == 1) ++sum;
    });
  }
  CHECK(sum == 5);
}

TEST_CASE(
    "the barrier separates earlier writes from later reads, also with more workers than "
    "processors") {
  for (int workers : {2, 3, 4}) {
    ThreadPool pool(workers);
    std::vector<int> cells(static_cast<size_t>(workers) * 16, 0);
    std::array<int, 8> errors{};
    pool.run([&](int worker) {
      for (int round = 1; round <= 500; ++round) {
        cells[static_cast<size_t>(worker) * 16] = round;
        pool.barrier().wait();
        for (int other = 0; other < workers; ++other)
          if (cells[static_cast<size_t>(other) * 16] != round)
            ++errors[static_cast<size_t>(worker)];
        pool.barrier().wait();
      }
    });
    for (int count : errors)
      CHECK(count == 0);
  }
}

TEST_CASE("a barrier waits for a worker that is later than the spinning time") {
  ThreadPool pool(2);
  int value = 0, seen = 0;
  pool.run([&](int worker) {
    if (worker == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      value = 7;
    }
    pool.barrier().wait();
    if (worker == 0) seen = value;
  });
  CHECK(seen == 7);
}

TEST_CASE("denormals are flushed in every worker, and enabled again for the caller") {
  const auto half = [](float x) {
    volatile float value = x, factor = 0.5f;
    return value * factor;
  };
  const float smallest = 1.17549435e-38f;
  const bool before = half(smallest) != 0;
  ThreadPool pool(3);
  std::array<float, 3> results{1, 1, 1};
  for (int run = 0; run < 2; ++run) {
    pool.run([&](int worker) {
      pool.barrier().wait();
      results[static_cast<size_t>(worker)] = half(smallest);
    });
#if defined(__x86_64__) || defined(__aarch64__)
    for (float result : results)
      CHECK(result == 0.0f);
#endif
    CHECK((half(smallest) != 0) == before);
  }
}

TEST_CASE("niceness applies to the workers, not to the caller") {
  const auto niceness = [] {
    return getpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)));
  };
  const int own = niceness();
  ThreadPool pool(3, 19);
  std::array<int, 3> seen{};
  pool.run([&](int worker) {
    pool.barrier().wait();
    seen[static_cast<size_t>(worker)] = niceness();
  });
  CHECK(seen[0] == own);
  CHECK(seen[1] == 19);
  CHECK(seen[2] == 19);
  CHECK(niceness() == own);
}

TEST_CASE("a worker's exception reaches the caller, and the pool can be used again") {
  ThreadPool pool(3);
  CHECK_THROWS_WITH(pool.run([](int worker) {
    if (worker == 2) throw std::runtime_error("worker two");
  }),
                    "worker two");
  int calls = 0;
  pool.run([&](int worker) {
    if (worker == 2) ++calls;
  });
  CHECK(calls == 1);
}

TEST_CASE(
    "every share of every part is done once, after the part before, while threads are held up") {
  for (const int workers : {1, 2, 3, 5}) {
    ThreadPool pool(workers);
    const std::vector<pthread_t> threads = threadsOf(pool);
    std::atomic<bool> isEnding{false};
    // Interrupts all threads, the caller's too, at any place
    std::thread disturber([&] {
      for (size_t i = 0; !isEnding; ++i) {
        test::interrupt(threads[i % threads.size()], static_cast<int>(50 + i * 37 % 300));
        std::this_thread::sleep_for(std::chrono::microseconds(100 + i * 53 % 400));
      }
    });
    int errors = 0;
    for (int run = 0; run < 200; ++run) {
      CountedWork work(1 + run % 40, workers);
      work.setSlowPart(run % 50 == 3 ? run % 40 : -1);
      pool.run(work);
      errors += work.numErrors() + (work.isDone() ? 0 : 1);
    }
    isEnding = true;
    disturber.join();
    CHECK(errors == 0);
    // Workers that lent each other their processors may use all again
    std::atomic<int> differing{0};
    pool.run([&](int) {
      const cpu_set_t allowed = allowedFor(0);
      if (!CPU_EQUAL(&allowed, &initiallyAllowed)) ++differing;
    });
    CHECK(differing == 0);
  }
}

TEST_CASE("workers that race for the same shares do each of them once") {
  // With more workers than processors, workers take the shares of others at once
  for (const int workers : {2, 3, 8}) {
    ThreadPool pool(workers);
    CountedWork work(10000, workers, 128);
    pool.run(work);
    CHECK(work.isDone());
    CHECK(work.numErrors() == 0);
  }
}

TEST_CASE("alone, the caller does only share 0 of each part") {
  ThreadPool pool(3);
  CountedWork work(4, 1);
  const auto caller = std::this_thread::get_id();
  int others = 0;
  work.onShare = [&](int share) {
    if (share != 0 || std::this_thread::get_id() != caller) ++others;
  };
  pool.run(work, true);
  CHECK(work.isDone());
  CHECK(work.numErrors() == 0);
  CHECK(others == 0);
}

TEST_CASE("a worker that does not get a processor holds nobody up, and joins again later") {
  if (!test::HeldThread::canHold()) {
    MESSAGE("skipped: threads cannot be held with ThreadSanitizer");
    return;
  }
  for (const int workers : {2, 3}) {
    ThreadPool pool(workers);
    const std::vector<pthread_t> threads = threadsOf(pool);
    {
      const test::HeldThread held(threads[1]);
      std::atomic<int> byHeld{0}, calls{0};
      const auto count = [&](int) {
        ++calls;
        if (pthread_equal(pthread_self(), threads[1])) ++byHeld;
      };
      CountedWork work(50, workers);
      work.onShare = count;
      pool.run(work);
      CHECK(work.isDone());
      CHECK(work.numErrors() == 0);
      CHECK(calls == 38 * workers + 12);
      pool.run(count);
      CHECK(calls == 39 * workers + 12);
      CHECK(byHeld == 0);
      CHECK_THROWS_WITH(pool.run([](int worker) {
        if (worker == 1) throw std::runtime_error("of the held worker");
      }),
                        "of the held worker");
    }
    CHECK(threadsOf(pool) == threads);
  }
}

TEST_CASE("the time of a thread grows while it runs, and only threads of this process have one") {
  const int own = threadNumber();
  const auto before = processorTime(own);
  REQUIRE(before);
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::milliseconds(20)) {
  }
  const auto after = processorTime(own);
  REQUIRE(after);
  CHECK(*after > *before);
  std::atomic<int> number{0};
  std::atomic<bool> isEnding{false};
  std::thread sleeper([&] {
    number = threadNumber();
    while (!isEnding)
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
  });
  while (number == 0)
    std::this_thread::yield();
  // On a busy machine it takes some time until the thread sleeps
  bool sleeps = false;
  for (int i = 0; i < 1000 && !sleeps; ++i) {
    const auto first = processorTime(number);
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    sleeps = first && processorTime(number) == first;
  }
  CHECK(sleeps);
  isEnding = true;
  sleeper.join();
  // Linux releases a thread shortly after it has been joined
  for (int i = 0; i < 1000 && processorTime(number); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  CHECK_FALSE(processorTime(number));
  // The first process of the system
  CHECK_FALSE(processorTime(1));
}

TEST_CASE("a thread that is moved may use the same processors afterwards") {
  std::atomic<int> number{0};
  std::atomic<bool> isEnding{false};
  std::thread other([&] {
    number = threadNumber();
    while (!isEnding) {
    }
  });
  while (number == 0)
    std::this_thread::yield();
  int moved = 0;
  for (int i = 0; i < 20; ++i) {
    CHECK(moveHere(number) >= 0);
    const int before = sched_getcpu();
    leaveProcessor(before);
    if (sched_getcpu() != before) ++moved;
  }
  const cpu_set_t ownAfter = allowedFor(0), othersAfter = allowedFor(number);
  isEnding = true;
  other.join();
  CHECK(CPU_EQUAL(&ownAfter, &initiallyAllowed));
  CHECK(CPU_EQUAL(&othersAfter, &initiallyAllowed));
  if (CPU_COUNT(&initiallyAllowed) > 1) CHECK(moved > 0);
}

TEST_CASE("a pool without workers is refused") { CHECK_THROWS_AS(ThreadPool(0), Error); }

TEST_CASE(
    "shares cover the whole range once, in multiples of the grain, and differ by at most one "
    "grain") {
  for (int64_t count : {0, 1, 7, 16, 100, 1023})
    for (int workers : {1, 2, 3, 8})
      for (int64_t grain : {1, 4, 16}) {
        int64_t at = 0, least = count, most = 0;
        for (int worker = 0; worker < workers; ++worker) {
          const WorkRange share = shareOf(count, worker, workers, grain);
          REQUIRE(share.begin == at);
          REQUIRE(share.end >= share.begin);
          if (share.end != count) REQUIRE(share.end % grain == 0);
          at = share.end;
          least = std::min(least, share.end - share.begin);
          most = std::max(most, share.end - share.begin);
        }
        REQUIRE(at == count);
        REQUIRE(most - least <= 2 * grain - 1);
      }
}

TEST_SUITE_END();
