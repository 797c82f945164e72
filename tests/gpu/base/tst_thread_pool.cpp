// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/thread_pool.h"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>
#include <vector>

#include "gpu/base/error.h"

using namespace strata;

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
    pool.run([&](int worker) { results[static_cast<size_t>(worker)] = half(smallest); });
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
  pool.run([&](int worker) { seen[static_cast<size_t>(worker)] = niceness(); });
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
