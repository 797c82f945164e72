// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/process_sums.h"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>

#include "gpu/base/error.h"
#include "tests/support/memory_links.h"

namespace strata {
namespace {

float valueOf(int replica, size_t operand, int64_t at) {
  return 1.0f / static_cast<float>(1 + replica + 3 * at + 7 * static_cast<int64_t>(operand));
}

/// Adds the own elements as the kernel does.
template <class T>
void addOwn(ProcessSums& sums, size_t operand) {
  const ProcessSums::Range own = sums.own(operand);
  T* const to = reinterpret_cast<T*>(sums.sums(operand));
  for (int64_t i = 0; i < own.end - own.begin; ++i) {
    T sum = reinterpret_cast<const T*>(sums.received(0, operand))[i];
    for (int replica = 1; replica < sums.numReplicas(); ++replica)
      sum = sum + reinterpret_cast<const T*>(sums.received(replica, operand))[i];
    to[i] = sum;
  }
}

/// Sums f32[first] and f64[second] over processes with several replicas, and compares the results
/// with sums in the order of the ranks.
void checkSums(int processes, int replicas, int64_t first, int64_t second) {
  std::atomic<int> wrong{0};
  runLinked(processes, [&](ProcessLink& link) {
    ProcessSums sums(link, replicas);
    const ProcessSums::Operand operands[] = {{DType::F32, first}, {DType::F64, second}};
    std::vector<std::vector<float>> singles;
    std::vector<std::vector<double>> doubles;
    std::vector<std::vector<std::byte*>> places;
    for (int replica = 0; replica < replicas; ++replica) {
      const int number = link.rank() * replicas + replica;
      auto& single = singles.emplace_back(static_cast<size_t>(first));
      auto& twice = doubles.emplace_back(static_cast<size_t>(second));
      for (size_t i = 0; i < single.size(); ++i)
        single[i] = valueOf(number, 0, static_cast<int64_t>(i));
      for (size_t i = 0; i < twice.size(); ++i)
        twice[i] = static_cast<double>(valueOf(number, 1, static_cast<int64_t>(i)));
    }
    for (size_t i = 0; i < singles.size(); ++i)
      places.push_back({reinterpret_cast<std::byte*>(singles[i].data()),
                        reinterpret_cast<std::byte*>(doubles[i].data())});
    const std::vector<std::span<std::byte* const>> values(places.begin(), places.end());
    sums.begin();
    sums.exchange(3, operands, values);
    addOwn<float>(sums, 0);
    addOwn<double>(sums, 1);
    sums.gather();
    for (int share = 0; share < sums.numShares(); ++share) {
      const ProcessSums::Range range = sums.rangeOf(share, 0);
      for (int64_t i = range.begin; i < range.end; ++i) {
        float expected = valueOf(0, 0, i);
        for (int number = 1; number < processes * replicas; ++number)
          expected = expected + valueOf(number, 0, i);
        wrong +=
            reinterpret_cast<const float*>(sums.results(share, 0))[i - range.begin] != expected;
      }
      const ProcessSums::Range second_ = sums.rangeOf(share, 1);
      for (int64_t i = second_.begin; i < second_.end; ++i) {
        auto expected = static_cast<double>(valueOf(0, 1, i));
        for (int number = 1; number < processes * replicas; ++number)
          expected = expected + static_cast<double>(valueOf(number, 1, i));
        wrong +=
            reinterpret_cast<const double*>(sums.results(share, 1))[i - second_.begin] != expected;
      }
    }
  });
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("Sums over processes are those in the order of the ranks") {
  // Few elements take another way than many
  for (const int64_t count : {1, 17, 1000, 20'000, 100'003})
    for (const int processes : {2, 3, 4})
      for (const int replicas : {1, 2}) {
        CAPTURE(count);
        CAPTURE(processes);
        CAPTURE(replicas);
        checkSums(processes, replicas, count, 5);
      }
}

TEST_CASE("Empty operands have no sums") { checkSums(2, 1, 0, 0); }

TEST_CASE("A process that leaves a collective ends it for all") {
  std::atomic<int> stopped{0}, failed{0};
  for (const ProcessState state : {ProcessState::Stopped, ProcessState::Failed})
    runLinked(3, [&](ProcessLink& link) {
      ProcessSums sums(link, 1);
      sums.begin();
      if (link.rank() == 1) return sums.leave(state, "no memory");
      float value = 1;
      std::byte* const place = reinterpret_cast<std::byte*>(&value);
      const ProcessSums::Operand operand{DType::F32, 1};
      const std::span<std::byte* const> values(&place, 1);
      try {
        sums.exchange(0, {&operand, 1}, {&values, 1});
      }
      catch (const Error& error) {
        stopped += error.code() == ErrorCode::Stopped;
        failed += std::string(error.what()) == "no memory";
      }
    });
  CHECK(stopped == 2);
  CHECK(failed == 2);
}

TEST_CASE("Processes at different collectives are an error") {
  std::atomic<int> failed{0};
  runLinked(2, [&](ProcessLink& link) {
    ProcessSums sums(link, 1);
    sums.begin();
    float value = 1;
    std::byte* const place = reinterpret_cast<std::byte*>(&value);
    const ProcessSums::Operand operand{DType::F32, 1};
    const std::span<std::byte* const> values(&place, 1);
    try {
      sums.exchange(link.rank(), {&operand, 1}, {&values, 1});
    }
    catch (const Error& error) {
      failed += error.code() == ErrorCode::Internal;
    }
  });
  CHECK(failed == 2);
}

TEST_CASE("Texts reach all processes") {
  std::atomic<int> right{0};
  runLinked(3, [&](ProcessLink& link) {
    const std::string own = std::string(static_cast<size_t>(link.rank()), 'x');
    right += link.gather(own) == std::vector<std::string>{"", "x", "xx"};
    right += link.broadcast(link.isFirst() ? "the first" : own) == "the first";
    right += link.broadcast(std::string()).empty();
  });
  CHECK(right == 9);
}

TEST_CASE("A broken link ends a wait with its reason") {
  SentTexts sent;
  MemoryLink link(sent, 0, 2);
  link.breakOff("process 1 is gone.");
  CHECK_THROWS_WITH_AS(link.gather("a"), "process 1 is gone.", Error);
}

}  // namespace strata
