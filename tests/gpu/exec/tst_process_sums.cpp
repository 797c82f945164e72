// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/process_sums.h"

#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <thread>

#include "gpu/base/error.h"
#include "tests/support/memory_links.h"

namespace strata {
namespace {

float valueOf(int replica, size_t operand, int64_t at) {
  return 1.0f / static_cast<float>(1 + replica + 3 * at + 7 * static_cast<int64_t>(operand));
}

std::vector<TensorType> typesOf(int64_t first, int64_t second) {
  return {{DType::F32, Shape{first}}, {DType::F64, Shape{second}}};
}

/// The operands of a replica, and its buffer.
struct Operands {
  Operands(const SumLayout& layout, int replica, int64_t firstCount, int64_t secondCount)
      : first(static_cast<size_t>(firstCount)),
        second(static_cast<size_t>(secondCount)),
        buffer(layout.bufferBytes()) {
    for (size_t i = 0; i < first.size(); ++i)
      first[i] = valueOf(replica, 0, static_cast<int64_t>(i));
    for (size_t i = 0; i < second.size(); ++i)
      second[i] = static_cast<double>(valueOf(replica, 1, static_cast<int64_t>(i)));
    places = {reinterpret_cast<std::byte*>(first.data()),
              reinterpret_cast<std::byte*>(second.data())};
  }
  std::vector<float> first;
  std::vector<double> second;
  std::vector<std::byte> buffer;
  std::vector<std::byte*> places;
};

/// Counts the sums that are not those in the order of the ranks.
int wrongIn(const Operands& sums, int numReplicas) {
  int wrong = 0;
  for (size_t i = 0; i < sums.first.size(); ++i) {
    float expected = valueOf(0, 0, static_cast<int64_t>(i));
    for (int replica = 1; replica < numReplicas; ++replica)
      expected = expected + valueOf(replica, 0, static_cast<int64_t>(i));
    wrong += sums.first[i] != expected;
  }
  for (size_t i = 0; i < sums.second.size(); ++i) {
    auto expected = static_cast<double>(valueOf(0, 1, static_cast<int64_t>(i)));
    for (int replica = 1; replica < numReplicas; ++replica)
      expected = expected + static_cast<double>(valueOf(replica, 1, static_cast<int64_t>(i)));
    wrong += sums.second[i] != expected;
  }
  return wrong;
}

/// Runs two steps of two sums of f32[first] and f64[second] over processes with several replicas.
void checkSums(int processes, int replicas, int64_t first, int64_t second) {
  std::atomic<int> wrong{0};
  runLinked(processes, [&](ProcessLink& link) {
    ProcessSums sums(link, replicas);
    const SumLayout layout(typesOf(first, second), processes);
    for (int step = 0; step < 2; ++step) {
      sums.begin();
      std::vector<std::vector<Operands>> all(2);
      for (std::vector<Operands>& each : all)
        for (int replica = 0; replica < replicas; ++replica)
          each.emplace_back(layout, link.rank() * replicas + replica, first, second);
      for (size_t number = 0; number < all.size(); ++number)
        for (int replica = 0; replica < replicas; ++replica) {
          Operands& own = all[number][static_cast<size_t>(replica)];
          sums.start(static_cast<int64_t>(number), 2, layout, replica, own.places,
                     own.buffer.data());
        }
      for (size_t number = 0; number < all.size(); ++number) {
        wrong += sums.await(static_cast<int64_t>(number)).data() == nullptr;
        wrong += wrongIn(all[number].front(), sums.numReplicas());
      }
    }
  });
  CHECK(wrong == 0);
}

/// Begins one sum of f32[1], and returns the error of awaiting it.
std::optional<Error> errorOf(ProcessSums& sums, int64_t number) {
  const SumLayout layout(typesOf(1, 1), sums.link().size());
  Operands own(layout, sums.link().rank(), 1, 1);
  sums.begin();
  for (int64_t each = 0; each <= number; ++each)
    sums.start(each, number + 1, layout, 0, own.places, own.buffer.data());
  try {
    (void)sums.await(number);
  }
  catch (const Error& error) {
    return error;
  }
  return std::nullopt;
}

}  // namespace

TEST_CASE("Some steps compute before they communicate, and can be left") {
  constexpr int kApart = 4;
  std::atomic<int> wrong{0}, stopped{0};
  runLinked(2, [&](ProcessLink& link) {
    ProcessSums sums(link, 1);
    const SumLayout layout(typesOf(9, 9), 2);
    for (int step = 0; step <= kApart; ++step) {
      sums.begin();
      Operands first(layout, link.rank(), 9, 9), second(layout, link.rank(), 9, 9);
      sums.start(0, 2, layout, 0, first.places, first.buffer.data());
      // The sum begins at once, or when it is awaited
      for (int tries = 0; tries < 1000 && step < kApart && sums.times().sums == 0; ++tries)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      if (step == kApart) std::this_thread::sleep_for(std::chrono::milliseconds(50));
      wrong += sums.times().sums != (step < kApart ? 1 : 0);
      wrong += sums.times().isApart != (step == kApart);
      if (step == kApart && link.rank() == 0) return sums.leave(ProcessState::Stopped, "");
      sums.start(1, 2, layout, 0, second.places, second.buffer.data());
      try {
        wrong += sums.await(1).data() == nullptr || wrongIn(second, 2) > 0;
      }
      catch (const Error& error) {
        stopped += error.code() == ErrorCode::Stopped;
      }
    }
  });
  CHECK(wrong == 0);
  CHECK(stopped == 1);
}

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
      if (link.rank() == 1) {
        sums.begin();
        return sums.leave(state, "no memory");
      }
      const std::optional<Error> error = errorOf(sums, 0);
      stopped += error && error->code() == ErrorCode::Stopped;
      failed += error && std::string(error->what()) == "no memory";
      // Nobody waits for a process that leaves after another one
      sums.leave(ProcessState::Stopped, "");
    });
  CHECK(stopped == 2);
  CHECK(failed == 2);
}

TEST_CASE("A process can leave after some of the sums") {
  std::atomic<int> stopped{0};
  runLinked(2, [&](ProcessLink& link) {
    ProcessSums sums(link, 1);
    const SumLayout layout(typesOf(40, 3), 2);
    Operands own(layout, link.rank(), 40, 3), other(layout, link.rank(), 40, 3);
    sums.begin();
    sums.start(0, 2, layout, 0, own.places, own.buffer.data());
    if (link.rank() == 1) return sums.leave(ProcessState::Stopped, "");
    sums.start(1, 2, layout, 0, other.places, other.buffer.data());
    try {
      (void)sums.await(1);
    }
    catch (const Error& error) {
      stopped += error.code() == ErrorCode::Stopped;
    }
    sums.leave(ProcessState::Stopped, "");
    // The next step is not affected
    sums.begin();
  });
  CHECK(stopped == 1);
}

TEST_CASE("Nobody waits for a process that leaves after all sums") {
  runLinked(2, [](ProcessLink& link) {
    ProcessSums sums(link, 1);
    CHECK_FALSE(errorOf(sums, 1));
    if (link.rank() == 1) sums.leave(ProcessState::Failed, "too late");
    CHECK_FALSE(errorOf(sums, 0));
  });
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
