// SPDX-License-Identifier: Apache-2.0
#include "gpu/detached/detached_device.h"

#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <cstring>

#include "gpu/cpu/cpu_device.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "tests/support/guarded_step.h"
#include "tests/support/sample_graphs.h"

using namespace strata;
using test::boundGuardedStep;
using test::guardedBatch;

namespace {

// Nothing that reads memory accepts an address of a device
template <class Address>
concept CanBeRead = requires(Address address) {
  *address;
}
|| requires(Address address) { address[0]; }
|| requires(Address address, std::byte* to) { std::memcpy(to, address, 1); }
|| requires(Address address) { static_cast<const std::byte*>(address); }
|| requires(Address address) { reinterpret_cast<const std::byte*>(address); };
static_assert(CanBeRead<const std::byte*>);
static_assert(!CanBeRead<DeviceAddress>);
static_assert(!CanBeRead<const DeviceAddress&>);
static_assert(!std::is_convertible_v<DeviceAddress, const void*>);

std::unique_ptr<Device> detached() { return makeDetachedDevice({2, 0}); }

}  // namespace

TEST_SUITE("detached") {
  TEST_CASE("a host read of its memory ends the program by a fault") {
    const auto device = detached();
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    state.write("w", Tensor::from<float>({3}, std::vector<float>{1, 2, 3}));
    const auto signalOf = [&](auto&& read) {
      const pid_t child = fork();
      REQUIRE(child >= 0);
      if (child == 0) {
        signal(SIGSEGV, SIG_DFL);
        read();
        _exit(0);
      }
      int status = 0;
      waitpid(child, &status, 0);
      return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    };
    const auto bits = static_cast<uintptr_t>(state.address("w").bits());
    CHECK(signalOf([&] { (void)*reinterpret_cast<volatile const char*>(bits); }) == SIGSEGV);
    CHECK(signalOf([&] { *reinterpret_cast<volatile char*>(bits) = 1; }) == SIGSEGV);
    CHECK(signalOf([&] { state.read("w"); }) == 0);
    CHECK(device->hostMemory(state.address("w")) == nullptr);
    CHECK(program->hostInput("x") == nullptr);
    CHECK(state.read("w").as<float>()[1] == 2);
  }

  TEST_CASE("steps are done several submissions late, in order, with the bits of the cpu") {
    const auto run = [](Device& device, bool isLate) {
      State state(device);
      const auto program = boundGuardedStep(device, state);
      std::vector<Tensor> batches;
      for (int i = 0; i < 8; ++i)
        batches.push_back(guardedBatch(0.25f * static_cast<float>(i + 1)));
      std::vector<Ticket> tickets;
      for (int i = 0; i < 8; ++i) {
        program->setScalar("rate", 1.0f / static_cast<float>(i + 2));
        program->feed("x", batches[static_cast<size_t>(i)].data());
        tickets.push_back(program->submit());
        for (int j = 0; j <= i; ++j)
          CHECK(tickets[static_cast<size_t>(j)].isDone() == (!isLate || i - j >= 3));
      }
      std::vector<float> losses;
      for (Ticket& ticket : tickets) {
        CHECK(ticket.wait() == StepOutcome::Done);
        losses.push_back(ticket.result("loss")[0]);
        CHECK(ticket.result("finite")[0] == 1);
      }
      const Tensor weights = state.read("w");
      for (const float weight : weights.as<float>())
        losses.push_back(weight);
      return losses;
    };
    const auto late = detached();
    const auto cpu = makeCpuDevice({2, 0});
    const std::vector<float> lateResults = run(*late, true), results = run(*cpu, false);
    REQUIRE(lateResults.size() == results.size());
    for (size_t i = 0; i < results.size(); ++i)
      CHECK(lateResults[i] == results[i]);
  }

  TEST_CASE("after a bad step, the steps after it are skipped until somebody knows") {
    const auto device = detached();
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    const Tensor good = guardedBatch(1), bad = guardedBatch(HUGE_VALF);
    std::vector<Ticket> tickets;
    for (int i = 0; i < 7; ++i) {
      program->feed("x", i == 2 ? bad.data() : good.data());
      tickets.push_back(program->submit());
    }
    CHECK(tickets[0].wait() == StepOutcome::Done);
    CHECK(tickets[1].wait() == StepOutcome::Done);
    CHECK(tickets[2].wait() == StepOutcome::NonFinite);
    CHECK(tickets[2].result("finite")[0] == 0);
    for (size_t i = 3; i < tickets.size(); ++i)
      CHECK(tickets[i].wait() == StepOutcome::Skipped);
    // Two updates of 4 * 0.5 took place
    CHECK(state.read("w").as<float>()[0] == -4);
    program->feed("x", good.data());
    CHECK(program->run() == StepOutcome::Done);
    CHECK(state.read("w").as<float>()[0] == -6);
  }

  TEST_CASE("a stop request ends the steps that have not begun") {
    const auto device = detached();
    State state(*device);
    const auto program = boundGuardedStep(*device, state);
    program->writeInput("x", guardedBatch(1));
    std::stop_source source;
    std::vector<Ticket> tickets;
    for (int i = 0; i < 5; ++i)
      tickets.push_back(program->submit(source.get_token()));
    source.request_stop();
    CHECK(tickets[1].wait() == StepOutcome::Done);
    CHECK(tickets[2].wait() == StepOutcome::Stopped);
    CHECK(tickets[4].wait() == StepOutcome::Skipped);
    CHECK(state.read("w").as<float>()[0] == -4);
  }

  TEST_CASE("random steps give the bits of the cpu, also through a snapshot") {
    for (uint64_t seed = 0; seed < 12; ++seed) {
      CAPTURE(seed);
      const Graph graph = test::randomStep(seed, 10, 24);
      const auto run = [&](Device& device) {
        State state(device);
        const auto program = Program::build(graph, device, state);
        program->bind();
        for (const auto& [name, value] : test::randomVariables(graph, seed))
          state.write(name, value);
        for (const auto& [name, value] : test::randomInputs(graph, seed))
          program->writeInput(name, value);
        for (int i = 0; i < 5; ++i)
          program->run();
        std::map<std::string, Tensor> result;
        const Snapshot snapshot = state.snapshot();
        for (const auto& [name, view] : snapshot.views()) {
          Tensor copy(view.type);
          if (copy.bytes() > 0) std::memcpy(copy.data(), view.data, copy.bytes());
          CHECK(copy.isBitEqual(state.read(name)));
          result.emplace(name, std::move(copy));
        }
        for (const NamedValue& output : graph.outputs())
          result.emplace("output " + output.name, program->readOutput(output.name));
        return result;
      };
      const auto late = run(*detached()), cpu = run(*makeCpuDevice({2, 0}));
      REQUIRE(late.size() == cpu.size());
      for (const auto& [name, value] : late) {
        CAPTURE(name);
        CHECK(value.isBitEqual(cpu.at(name)));
      }
    }
  }

  TEST_CASE("it can be opened, but is not offered") {
    CHECK(openDevice("detached", {1, 0})->name() == "detached");
    for (const DeviceInfo& info : listDevices())
      CHECK(info.name != "detached");
  }
}

TEST_CASE("variables of one kind are contiguous, also if some are added later") {
  for (const char* name : {"cpu", "detached"}) {
    CAPTURE(name);
    const auto device = openDevice(name, {1, 0});
    State state(*device);
    const auto add = [](Graph& g, const char* variable, int64_t size, Category category,
                        bool isTrained) {
      g.addVariable(variable, {DType::F32, {size}}, category, isTrained);
    };
    Graph first;
    add(first, "a", 16, Category::Parameter, true);
    add(first, "mean", 16, Category::Parameter, false);
    add(first, "a:m", 16, Category::Optimizer, false);
    add(first, "b", 16, Category::Parameter, true);
    add(first, "b:m", 16, Category::Optimizer, false);
    state.ensureVariables(first);
    CHECK(state.moves() == 0);
    state.write("b", Tensor::from<float>({16}, std::vector<float>(16, 7.f)));
    Graph second = first;
    add(second, "variance", 16, Category::Parameter, false);
    add(second, "c", 16, Category::Parameter, true);
    add(second, "c:m", 16, Category::Optimizer, false);
    state.ensureVariables(second);
    CHECK(state.moves() > 0);
    const auto distance = [&](const char* from, const char* to) {
      return state.address(to) - state.address(from);
    };
    CHECK(distance("a", "b") == 64);
    CHECK(distance("b", "c") == 64);
    CHECK(distance("mean", "variance") == 64);
    CHECK(distance("a:m", "b:m") == 64);
    CHECK(distance("b:m", "c:m") == 64);
    CHECK(state.read("b").as<float>()[15] == 7);
    CHECK(state.read("c").as<float>()[15] == 0);
    CHECK(state.allocatedBytes() == 8 * 64);
  }
}
