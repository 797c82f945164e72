// SPDX-License-Identifier: Apache-2.0
// Steps on a simulated card: order, guard, stop, times, memory, and what the card itself refuses.
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/exec/program.h"
#include "gpu/ops/build.h"
#include "gpu/reference/reference_device.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/guarded_step.h"
#include "tests/support/skip.h"

using namespace strata;
using test::boundGuardedStep;
using test::cardOf;
using test::guardedBatch;
using test::openNewTestCard;
using test::trainGuarded;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// A driver of one GPU whose clocks it does not report, as drivers of parts of a GPU do.
template <int Major>
cuda::Driver driverWithoutClocks() {
  StrataDriverTable table{};
  table.deviceGet = [](CUdevice* device, int ordinal) {
    *device = ordinal;
    return 0;
  };
  table.deviceGetName = [](char* name, int, CUdevice) {
    std::strcpy(name, "part of a GPU");
    return 0;
  };
  table.deviceTotalMem = [](size_t* bytes, CUdevice) {
    *bytes = size_t{10} << 30;
    return 0;
  };
  table.deviceGetAttribute = [](int* value, int attribute, CUdevice) {
    *value = attribute == STRATA_CUDA_MAJOR ? Major : 0;
    if (attribute == STRATA_CUDA_MULTIPROCESSORS) *value = 14;
    return 0;
  };
  return {table, "cuda:0"};
}

}  // namespace

TEST_SUITE("card") {
  TEST_CASE("a simulated card can be opened any number of times") {
    if (!test::canRun(cuda::pluginProblem())) return;
    CardData data = strata::test::testCard("card of 64 GiB");
    data.memoryBytes = size_t{64} << 30;
    for (int i = 0; i < 100; ++i) {
      const std::unique_ptr<Device> device = makeSimulatedDevice(data, {.threads = 1});
      const DeviceMemory memory(*device, size_t{1} << 20);
      CHECK_FALSE(memory.address().isNull());
    }
  }

  TEST_CASE("the types that a GPU computes with do not depend on its clocks") {
    const CardData part = cuda::dataOfCard(driverWithoutClocks<9>(), 0),
                   old = cuda::dataOfCard(driverWithoutClocks<7>(), 0);
    CHECK(part.megahertz == 0);
    for (const double rate : part.flopsPerSecond)
      CHECK(rate > 0);
    // TF32 and bfloat16 came with compute capability 8.0
    CHECK(old.flopsPerSecond[0] > 0);
    CHECK(old.flopsPerSecond[1] == 0);
    CHECK(old.flopsPerSecond[2] == 0);
    CHECK(old.flopsPerSecond[3] > 0);
  }

  TEST_CASE("a host read of its memory ends the program by a fault") {
    const auto device = test::openTestCard();
    if (!device) return;
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      signal(SIGSEGV, SIG_DFL);
      (void)*reinterpret_cast<volatile const char*>(
          static_cast<uintptr_t>(state.address("w").bits()));
      _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGSEGV);
  }

  TEST_CASE("what is written to the memory of a card is read again") {
    const auto device = test::openTestCard();
    if (!device) return;
    CHECK(device->isSimulated() == device->name().starts_with(kSimulatedPrefix));
    const auto before = *device->memoryUse();
    {
      constexpr size_t kBytes = 1 << 20;
      DeviceMemory memory(*device, kBytes);
      const auto stream = device->makeStream();
      std::vector<std::byte> out(kBytes), in(kBytes);
      for (size_t i = 0; i < kBytes; ++i)
        out[i] = static_cast<std::byte>(i * 7);
      stream->upload(memory.address(), out.data(), kBytes);
      stream->download(in.data(), memory.address(), kBytes);
      stream->wait();
      CHECK(in == out);
      CHECK(device->memoryUse()->freeBytes <= before.freeBytes - kBytes);
    }
    CHECK(device->memoryUse()->freeBytes == before.freeBytes);
    CHECK(before.contextBytes > 0);
    CHECK(before.contextBytes < before.totalBytes);
  }

  TEST_CASE("a download is done when it returns, also to memory that is not pinned") {
    const auto device = test::openTestCard();
    if (!device) return;
    constexpr size_t kBytes = 4096;
    const DeviceMemory memory(*device, kBytes);
    const auto stream = device->makeStream();
    std::vector<std::byte> out(kBytes), in(kBytes);
    for (int round = 0; round < 3; ++round) {
      for (size_t i = 0; i < kBytes; ++i)
        out[i] = static_cast<std::byte>(i * 7 + static_cast<size_t>(round));
      stream->upload(memory.address(), out.data(), kBytes);
      stream->download(in.data(), memory.address(), kBytes);
      CHECK(in == out);
    }
  }

  TEST_CASE("steps that run ahead give the bits of steps one after the other") {
    const auto device = test::openTestCard();
    if (!device) return;
    const std::vector<float> together = trainGuarded(*device, 40, 12),
                             alone = trainGuarded(*device, 40, 0);
    CHECK(together == alone);
    const auto reference = makeReferenceDevice({1, 0});
    const std::vector<float> expected = trainGuarded(*reference, 40, 0);
    REQUIRE(together.size() == expected.size());
    for (size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(i);
      CHECK(std::abs(together[i] - expected[i]) <= 1e-5f * std::max(1.0f, std::abs(expected[i])));
    }
  }

  TEST_CASE("a bad step stops the steps after it until somebody has waited") {
    const auto device = test::openTestCard();
    if (!device) return;
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor good = guardedBatch(1), bad = guardedBatch(kNaN);
    std::vector<Ticket> tickets;
    for (int i = 0; i < 9; ++i) {
      program->feed("x", (i == 4 ? bad : good).data());
      tickets.push_back(program->submit());
    }
    for (size_t i = 0; i < tickets.size(); ++i) {
      CAPTURE(i);
      StepOutcome expected = StepOutcome::Done;
      if (i == 4) expected = StepOutcome::NonFinite;
      if (i > 4) expected = StepOutcome::Skipped;
      // The steps after the bad one are waited for first, which must not start the stream again
      if (i == 4)
        for (size_t later = 5; later < tickets.size(); ++later)
          CHECK(tickets[later].wait() == StepOutcome::Skipped);
      CHECK(tickets[i].wait() == expected);
    }
    // Four steps of 0.5 * 4
    CHECK(state.read("w").as<float>()[0] == -8);
    program->feed("x", good.data());
    CHECK(program->run() == StepOutcome::Done);
    CHECK(state.read("w").as<float>()[0] == -10);
  }

  TEST_CASE("a stop before a step leaves the state alone") {
    const auto device = test::openTestCard();
    if (!device) return;
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor batch = guardedBatch(1);
    program->feed("x", batch.data());
    CHECK(program->run() == StepOutcome::Done);
    std::stop_source source;
    source.request_stop();
    Ticket stopped = program->submit(source.get_token()), behind = program->submit();
    CHECK(stopped.wait() == StepOutcome::Stopped);
    CHECK(behind.wait() == StepOutcome::Skipped);
    CHECK(state.read("w").as<float>()[0] == -2);
    CHECK(program->run() == StepOutcome::Done);
    CHECK(state.read("w").as<float>()[0] == -4);
  }

  TEST_CASE("a stop while steps run leaves the state alone") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor batch = guardedBatch(1);
    float expected = 0;
    // The first steps run without a graph
    for (int step = 0; step < 4; ++step) {
      CAPTURE(step);
      program->feed("x", batch.data());
      CHECK(program->run() == StepOutcome::Done);
      expected -= 2;
      std::stop_source source;
      // The card runs submitted work when somebody waits for it
      Ticket stopped = program->submit(source.get_token());
      Ticket behind = program->submit(source.get_token()), other = program->submit();
      source.request_stop();
      CHECK(stopped.wait() == StepOutcome::Stopped);
      CHECK(behind.wait() == StepOutcome::Skipped);
      CHECK(other.wait() == StepOutcome::Skipped);
      CHECK(state.read("w").as<float>()[0] == expected);
    }
  }

  TEST_CASE("a step stops before each instruction that may be stopped, and before no other") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    const cuda::Card& card = cardOf(*device);
    const cuda::Driver& driver = card.driver();
    card.use();
    CUstream stream = nullptr;
    driver.streamCreate(&stream, STRATA_CUDA_STREAM_NON_BLOCKING);
    constexpr int kWorks = 5, kStoppable = 3;
    constexpr float kRunning = 1;
    CUdeviceptr done = 0, running = 0;
    driver.memAlloc(&done, kWorks + 1);
    driver.memAlloc(&running, sizeof kRunning);
    for (int stopAt = 0; stopAt <= kWorks; ++stopAt) {
      CAPTURE(stopAt);
      driver.memsetD8Async(done, 0, kWorks + 1, stream);
      driver.memcpyHtoDAsync(running, &kRunning, sizeof kRunning, stream);
      int asked = 0;
      struct Question {
        int* asked;
        int stopAt;
      } question{&asked, stopAt};
      card.setStop(stream, {[](const void* step) {
                              const auto* own = static_cast<const Question*>(step);
                              return (*own->asked)++ >= own->stopAt ? 1 : 0;
                            },
                            &question});
      StrataWork work{};
      work.running = running;
      for (int i = 0; i < kWorks; ++i) {
        work.isStoppable = i < kStoppable ? 1 : 0;
        card.annotate(stream, &work);
        driver.memsetD8Async(done + static_cast<CUdeviceptr>(i), 1, 1, stream);
      }
      card.annotate(stream, nullptr);
      driver.memsetD8Async(done + kWorks, 1, 1, stream);
      std::array<unsigned char, kWorks + 1> ran{};
      float isRunning = -1;
      driver.memcpyDtoHAsync(ran.data(), done, ran.size(), stream);
      driver.memcpyDtoHAsync(&isRunning, running, sizeof isRunning, stream);
      driver.streamSynchronize(stream);
      const bool isStopped = stopAt < kStoppable;
      CHECK(isRunning == (isStopped ? 0.0f : 1.0f));
      for (int i = 0; i < kWorks; ++i)
        CHECK(ran[static_cast<size_t>(i)] == (!isStopped || i < stopAt ? 1 : 0));
      // Other work runs
      CHECK(ran[kWorks] == 1);
    }
    driver.streamDestroy(stream);
  }

  TEST_CASE("events in a graph have the times of the nodes between them") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    const cuda::Card& card = cardOf(*device);
    const cuda::Driver& driver = card.driver();
    card.use();
    CUstream stream = nullptr;
    CUevent begin = nullptr, end = nullptr;
    driver.streamCreate(&stream, STRATA_CUDA_STREAM_NON_BLOCKING);
    driver.eventCreate(&begin, 0);
    driver.eventCreate(&end, 0);
    constexpr size_t kBytes = size_t{64} << 20;
    CUdeviceptr memory = 0;
    driver.memAlloc(&memory, kBytes);
    CUgraph graph = nullptr;
    driver.streamBeginCapture(stream, STRATA_CUDA_CAPTURE_THREAD_LOCAL);
    driver.memsetD8Async(memory, 0, kBytes, stream);
    driver.eventRecord(begin, stream, STRATA_CUDA_EVENT_RECORD_EXTERNAL);
    driver.memsetD8Async(memory, 1, kBytes / 2, stream);
    driver.eventRecord(end, stream, STRATA_CUDA_EVENT_RECORD_EXTERNAL);
    driver.streamEndCapture(stream, &graph);
    CUgraphExec executable = nullptr;
    driver.graphInstantiate(&executable, graph, 0);
    driver.graphDestroy(graph);
    for (int launch = 0; launch < 2; ++launch) {
      driver.graphLaunch(executable, stream);
      driver.streamSynchronize(stream);
      float milliseconds = 0;
      driver.eventElapsedTime(&milliseconds, begin, end);
      const double expected = copySeconds(kBytes / 2, test::testCard().bytesPerSecond);
      CHECK(milliseconds == doctest::Approx(1e3 * expected).epsilon(1e-3));
    }
    driver.graphExecDestroy(executable);
    driver.eventDestroy(begin);
    driver.eventDestroy(end);
    driver.memFree(memory);
    driver.streamDestroy(stream);
  }

  TEST_CASE("phases and instructions have times") {
    const auto device = test::openTestCard();
    if (!device) return;
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor batch = guardedBatch(1);
    program->feed("x", batch.data());
    const auto total = [&] {
      std::chrono::nanoseconds sum{0};
      for (const auto phase : program->lastPhases())
        sum += phase;
      return sum.count();
    };
    // A kernel takes at least 2 us on a simulated card, and the times are predicted from the graph
    const int64_t least = 2000 * program->numInstructions();
    int64_t first = 0;
    for (int step = 0; step < 40; ++step) {
      CAPTURE(step);
      REQUIRE(program->run() == StepOutcome::Done);
      CHECK(total() >= least);
      if (step == 0) first = total();
      CHECK(total() == first);
    }
    program->setProfiling(true);
    for (int step = 0; step < 3; ++step)
      REQUIRE(program->run() == StepOutcome::Done);
    for (const ProfileRow& row : program->profile()) {
      CAPTURE(row.op);
      CHECK(row.calls == 3);
      CHECK(row.total.count() >= 3 * 2000);
    }
    CHECK(state.read("w").as<float>()[0] == -86);
  }

  TEST_CASE("the memory of the context contains what libraries take when they first compute") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard(size_t{8} << 30);
    const size_t free = device->memoryUse()->freeBytes, context = device->memoryUse()->contextBytes;
    Graph graph;
    const ValueId x = graph.addInput("x", {DType::F32, Shape{2, 4, 4, 3}}),
                  w = graph.addInput("w", {DType::F32, Shape{3, 3, 3, 5}}),
                  a = graph.addInput("a", {DType::F32, Shape{6, 4}}),
                  b = graph.addInput("b", {DType::F32, Shape{4, 5}});
    graph.addOutput("y", conv2d(graph, x, w, {}));
    graph.addOutput("z", matmul(graph, a, b));
    {
      State state(*device);
      const auto program = Program::build(graph, *device, state);
      program->bind();
      for (int step = 0; step < 4; ++step)
        REQUIRE(program->run() == StepOutcome::Done);
      CHECK(device->memoryUse()->contextBytes == context);
    }
    // Nothing stays: the libraries had taken theirs before the context was measured
    CHECK(device->memoryUse()->freeBytes == free);
  }

  TEST_CASE("the memory of the context is measured again after the first steps") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard(size_t{8} << 30);
    cuda::Card& card = cardOf(*device);
    card.use();
    const size_t context = device->memoryUse()->contextBytes;
    constexpr size_t kTaken = size_t{64} << 20;
    for (const size_t taken : {size_t{0}, kTaken}) {
      State state(*device);
      const auto program = boundGuardedStep(*device, state);
      const Tensor batch = guardedBatch(1);
      program->feed("x", batch.data());
      // As a library that loads kernels, without telling
      cuda::MemoryHandle kernels;
      if (taken > 0) kernels = cuda::allocateMemory(card, taken);
      for (int step = 0; step < 4; ++step)
        REQUIRE(program->run() == StepOutcome::Done);
      const size_t grown = device->memoryUse()->contextBytes - context;
      // Up to the rounding of allocations
      constexpr size_t kRounding = size_t{8} << 20;
      CHECK(grown <= taken + (taken > 0 ? kRounding : 0));
      CHECK(grown + kRounding >= taken);
    }
  }

  TEST_CASE("a fill sets every number of 32 bits, and no byte more") {
    if (!test::canRun(cuda::pluginProblem())) return;
    const auto device = openNewTestCard();
    const cuda::Driver& driver = cardOf(*device).driver();
    cardOf(*device).use();
    CUstream stream = nullptr;
    CUdeviceptr memory = 0;
    driver.streamCreate(&stream, 0);
    driver.memAlloc(&memory, 64);
    driver.memsetD8Async(memory, 9, 64, stream);
    driver.memsetD32Async(memory + 4, 0x01020304, 3, stream);
    std::array<uint32_t, 5> words{};
    driver.memcpyDtoHAsync(words.data(), memory, sizeof words, stream);
    driver.streamSynchronize(stream);
    const std::array<uint32_t, 5> expected{0x09090909, 0x01020304, 0x01020304, 0x01020304,
                                           0x09090909};
    CHECK(words == expected);
    driver.memFree(memory);
    driver.streamDestroy(stream);
  }

  TEST_CASE("the card refuses unordered accesses to the same bytes") {
    if (!test::canRun(cuda::pluginProblem())) return;
    for (const bool isOrdered : {false, true}) {
      const auto device = openNewTestCard();
      const cuda::Driver& driver = cardOf(*device).driver();
      cardOf(*device).use();
      CUstream first = nullptr, second = nullptr;
      CUevent event = nullptr;
      CUdeviceptr memory = 0;
      driver.streamCreate(&first, 0);
      driver.streamCreate(&second, 0);
      driver.eventCreate(&event, STRATA_CUDA_EVENT_NO_TIMING);
      driver.memAlloc(&memory, 64);
      driver.memsetD8Async(memory, 1, 64, first);
      driver.eventRecord(event, first, 0);
      if (isOrdered) driver.streamWaitEvent(second, event, 0);
      if (isOrdered)
        driver.memsetD8Async(memory, 2, 64, second);
      else
        CHECK_THROWS_WITH_AS(driver.memsetD8Async(memory, 2, 64, second),
                             doctest::Contains("nothing orders the two"), Error);
    }
  }
}
