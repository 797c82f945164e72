// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <thread>

#include "gpu/base/clock.h"
#include "gpu/base/machine.h"
#include "gpu/cost/card_clock.h"
#include "gpu/cost/present_speed.h"
#include "gpu/cost/roofline.h"
#include "gpu/cost/waiting.h"
#include "gpu/cpu/cpu_device.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/memory/estimate.h"
#include "gpu/ops/build.h"

using namespace strata;
using Ints = std::vector<int64_t>;

namespace {

TensorType f32(Shape shape) { return {DType::F32, shape}; }

cpu::KernelSetup setupOf(const std::string& name, Attributes attributes,
                         std::vector<TensorType> inputs, int workers) {
  const OpDef& op = opNamed(name);
  cpu::KernelSetup setup;
  setup.op = name;
  setup.inputs = std::move(inputs);
  setup.attributes = std::move(attributes);
  for (const AttributeSpec& spec : op.attributes)
    if (!setup.attributes.has(spec.name)) setup.attributes.set(spec.name, spec.defaultValue);
  setup.outputs = op.infer(ShapeContext{op, setup.inputs, setup.attributes});
  setup.numWorkers = workers;
  // Every machine has this instruction set.
  setup.loops = usableLoops().back();
  return setup;
}

/// Returns a calibration in which memory has the same speed for every reuse distance. Its prices
/// are round numbers.
Calibration evenCalibration() {
  Calibration calibration;
  calibration.threads = 1;
  calibration.flopsPerSecond = 1e9;
  calibration.stepSeconds = 1e-6;
  calibration.memory = {{1e3, 1e9}, {1e9, 1e9}};
  calibration.families["step activation relu"] = {{2e-9, 0, 0, 0, 1e-7}, 1e3, -1, 0};
  calibration.families["step exp"] = {{5e-9, 0, 0, 0, 3e-7}, 1e3, -1, 0};
  return calibration;
}

/// Returns a graph that computes relu and then exp of 10,000 numbers.
Graph reluAndExp() {
  Graph graph;
  const ValueId x = graph.addInput("x", f32({10000}));
  graph.addOutput("y", exp(graph, activation(graph, x, "relu")));
  return graph;
}

}  // namespace

TEST_SUITE("cost") {
  TEST_CASE("the work of a product is split by the longer side and counts whole vectors") {
    const double width = usableLoops().back()->width;
    const auto lanes = [&](double n) {
      return std::ceil(n / width) * width;
    };
    const auto work = workOf(setupOf("matmul", {}, {f32({100, 30}), f32({30, 50})}, 2),
                             "gemm by rows plain", false);
    REQUIRE(work.parts.size() == 1);
    CHECK(work.parts[0].family == "gemm nn");
    CHECK(work.parts[0].amounts ==
          Amounts{50 * lanes(50) * 30, 30 * lanes(50), 50 * lanes(50), 50 * 30, 1});
    const auto alone =
        workOf(setupOf("matmul", {{"transpose_b", true}}, {f32({3, 5}), f32({7, 5})}, 2),
               "gemm alone plain", true);
    CHECK(alone.parts[0].family == "gemm nt");
    CHECK(alone.parts[0].amounts == Amounts{3 * lanes(7) * 5, 5 * lanes(7), 3 * lanes(7), 15, 1});
    // An activation that is not computed in the register tile is a separate part.
    const auto gelu = workOf(
        setupOf("matmul", {{"activation", std::string("gelu")}}, {f32({4, 8}), f32({8, 16})}, 1),
        "gemm alone plain", true);
    REQUIRE(gelu.parts.size() == 2);
    CHECK(gelu.parts[1].family == "step activation gelu");
    CHECK(gelu.parts[1].amounts[0] == 4 * lanes(16));
  }

  TEST_CASE("the work of a convolution is that of the worker with the most images") {
    const Attributes padding{{"padding_before", Ints{1, 1}}, {"padding_after", Ints{1, 1}}};
    const cpu::KernelSetup setup =
        setupOf("conv2d", padding, {f32({5, 8, 6, 32}), f32({3, 3, 32, 64})}, 2);
    const auto direct = workOf(setup, "direct plain", false);
    CHECK(direct.parts[0].family == "conv2d direct");
    // The worker has 3 of 5 images, with 48 pixels, 9 filter positions, 32 input and 64 output
    // channels.
    CHECK(direct.parts[0].amounts ==
          Amounts{3.0 * 48 * 9 * 32 * 64, 3 * 48 * 32, 3 * 48 * 64, 9 * 32 * 64 / 2.0, 1});
    const auto tiles = workOf(setup, "winograd plain", false);
    // An image has 2 x 2 tiles with 36 products each.
    CHECK(tiles.parts[0].amounts ==
          Amounts{3.0 * 4 * 36 * 32 * 64, 3 * 4 * 36 * 32, 3 * 4 * 36 * 64, 36 * 32 * 64 / 2.0, 1});
    // With four slices, inputs are transformed four times.
    const auto sliced = workOf(setup, "winograd in 4 slices plain", false);
    CHECK(sliced.parts[0].amounts == Amounts{3.0 * 4 * 36 * 32 * 64, 4 * 3 * 4 * 36 * 32,
                                             3 * 4 * 36 * 64, 36 * 32 * 64 / 2.0, 1});
  }

  TEST_CASE("the cost of a chain of elementwise operations is the sum of its steps") {
    const auto work =
        workOf(setupOf("fused_pointwise",
                       {{"program", std::string("multiply x0 x1; activation silu 0 t0")}},
                       {f32({64}), f32({64})}, 1),
               "fused plain", true);
    REQUIRE(work.parts.size() == 2);
    CHECK(work.parts[0].family == "step multiply");
    CHECK(work.parts[1].family == "step activation silu");
    CHECK(work.parts[1].amounts[0] == 64);
    CHECK(work.streams);
  }

  TEST_CASE(
      "every kernel of the calibration can be created, has one family, and has finite amounts") {
    for (const int workers : {1, 2, 3}) {
      int count = 0;
      for (const ReferenceKernel& kernel : referenceKernels(workers)) {
        cpu::KernelSetup setup = setupOf(kernel.op, kernel.attributes, kernel.inputs, workers);
        setup.loops = &loops();
        const auto made = cpu::createKernel(setup);
        const NodeWork work = workOf(setup, made->implementation(), made->isSolo());
        REQUIRE_MESSAGE(work.parts.size() == 1, kernel.op);
        for (const double amount : work.parts[0].amounts)
          CHECK_MESSAGE((std::isfinite(amount) && amount >= 0), kernel.op);
        CHECK(work.parts[0].amounts[kAmounts - 1] == 1);
        ++count;
      }
      CHECK(count > 200);
    }
  }

  TEST_CASE(
      "fitted prices equal those behind the examples, are never negative, and the first is at "
      "least its limit") {
    std::vector<PricedExample> examples;
    for (const double a : {1e3, 5e4, 2e6})
      for (const double b : {1e2, 7e5})
        examples.push_back({{a, b, 0, 0, 1}, 2e-9 * a + 3e-8 * b + 1e-6});
    FamilyPrice price = fitPrices(examples);
    CHECK(price.seconds[0] == doctest::Approx(2e-9).epsilon(0.02));
    CHECK(price.seconds[1] == doctest::Approx(3e-8).epsilon(0.02));
    CHECK(price.seconds[4] == doctest::Approx(1e-6).epsilon(0.05));
    CHECK(price.seconds[2] == 0);
    CHECK(price.error < 0.02);
    // Even if less work takes longer, no price may be negative.
    price = fitPrices({{{100, 0, 0, 0, 1}, 3e-6}, {{1e4, 0, 0, 0, 1}, 1e-6}});
    for (const double seconds : price.seconds)
      CHECK(seconds >= 0);
    price = fitPrices(examples, 5e-9);
    CHECK(price.seconds[0] >= 5e-9 * 0.999);
    CHECK(fitPrices({}).seconds == Amounts{});
  }

  TEST_CASE("the cost of bytes grows with the logarithm of the distance to their last use") {
    Calibration calibration;
    CHECK(calibration.secondsPerByte(1e6) == 0);
    calibration.memory = {{1e4, 1e11}, {1e6, 1e10}};
    CHECK(calibration.secondsPerByte(10) == doctest::Approx(1e-11));
    CHECK(calibration.secondsPerByte(1e5) == doctest::Approx((1e-11 + 1e-10) / 2));
    CHECK(calibration.secondsPerByte(1e15) == doctest::Approx(1e-10));
    // Written bytes are first loaded and later written back, so they count twice.
    CHECK(farSeconds(calibration, 100, 10, 1e7, 1e3) == doctest::Approx(120 * (1e-10 - 1e-11)));
    CHECK(farSeconds(calibration, 100, 10, 1e3, 1e3) == 0);
  }

  TEST_CASE("the time of a step is the sum of its nodes and its start-up time") {
    const Graph graph = reluAndExp();
    const auto device = openDevice("cpu", {1, 0});
    const Calibration calibration = evenCalibration();
    const MemoryPlan plan = planProgram(graph, *device);
    const StepPrediction prediction = predictStep(graph, plan, *device, calibration);
    REQUIRE(prediction.nodes.size() == 2);
    CHECK(prediction.nodes[0].seconds == doctest::Approx(10000 * 2e-9 + 1e-7));
    CHECK(prediction.nodes[1].seconds == doctest::Approx(10000 * 5e-9 + 3e-7));
    CHECK(prediction.nodes[0].memorySeconds == 0);
    CHECK(prediction.seconds == doctest::Approx(7e-5 + 4e-7 + 1e-6));
    // If memory is slower beyond 100 KB, loading the 40 KB of the first node takes additional time.
    // The input of the second node is still in fast memory.
    Calibration uneven = calibration;
    uneven.memory = {{1e5, 1e9}, {1.0001e5, 1e8}};
    const double far = predictStep(graph, plan, *device, uneven).nodes[0].memorySeconds;
    CHECK(far > 0);
    CHECK(predictStep(graph, plan, *device, uneven).seconds > prediction.seconds);
    // A family without a measured price still has a cost.
    Calibration bare = calibration;
    bare.families.clear();
    CHECK(predictStep(graph, plan, *device, bare).nodes[0].seconds > 0);
  }

  TEST_CASE("passes report times when a calibration is given") {
    const auto device = openDevice("cpu", {1, 0});
    const Graph graph = reluAndExp();
    Calibration slow = evenCalibration();
    slow.threads = 1;
    for (auto& [family, price] : slow.families)
      for (double& seconds : price.seconds)
        seconds *= 1000;
    const double plain = estimateStep(graph, true).seconds,
                 even = estimateStep(graph, true, calibratedSeconds(*device, evenCalibration()))
                            .seconds,
                 slower = estimateStep(graph, true, calibratedSeconds(*device, slow)).seconds;
    CHECK(even != plain);
    CHECK(slower > 100 * even);
  }

  TEST_CASE("equal nodes share one kernel") {
    struct Counting final : HostDevice {
      Counting() : HostDevice({1, 0}) {}
      int made = 0;
      std::string name() const override { return "counting"; }
      std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
        ++made;
        return createCpuKernel(graph, node, 1);
      }
      DeviceTraits traits() const override { return cpuTraits(); }
      std::vector<Pass> passes() const override { return cpuPasses(); }
    };
    Graph graph;
    ValueId value = graph.addInput("x", f32({100}));
    for (int i = 0; i < 5; ++i)
      value = activation(graph, exp(graph, value), "relu");
    graph.addOutput("y", value);
    Counting device;
    const MemoryPlan plan = planProgram(graph, device);
    device.made = 0;
    CHECK(predictStep(graph, plan, device, evenCalibration()).nodes.size() == 10);
    CHECK(device.made == 2);
  }

  TEST_CASE("a process detects that other programs use the cores") {
    if (!std::filesystem::exists("/proc/self/schedstat")) {
      MESSAGE("skipped: this system does not say how long a thread waits for a core");
      return;
    }
    std::vector<pid_t> others;
    for (unsigned i = 0; i < 2 * std::max(1u, std::thread::hardware_concurrency()); ++i) {
      const pid_t child = ::fork();
      REQUIRE(child >= 0);
      if (child == 0)
        while (secondsSince(Clock::time_point()) > 0) {
        }
      others.push_back(child);
    }
    const double before = secondsWaitedForCores();
    const auto start = Clock::now();
    while (secondsSince(start) < 1) {
    }
    const double waited = secondsWaitedForCores() - before;
    for (const pid_t child : others) {
      ::kill(child, SIGKILL);
      ::waitpid(child, nullptr, 0);
    }
    CHECK(waited > 0.1);
  }

  TEST_CASE(
      "this machine is calibrated in a few seconds, and predictions are close to measurements") {
    const auto device = openDevice("cpu", {1, 0});
    const Calibration calibration = calibrate(device->pool());
    CHECK(calibration.threads == 1);
    CHECK(calibration.flopsPerSecond > 1e8);
    REQUIRE(calibration.memory.size() > 3);
    for (size_t i = 1; i < calibration.memory.size(); ++i)
      CHECK(calibration.memory[i].bytes > calibration.memory[i - 1].bytes);
    for (const char* family : {"gemm nn", "gemm tn", "gemm nt", "step exp", "adam_update 3",
                               "max_pool2d", "batch_norm", "softmax_cross_entropy"})
      CHECK_MESSAGE(calibration.families.contains(family), family);
    CHECK(calibration.families.at("batch_norm").exposed >= 0);
    // A product with four times the work takes longer, even on a busy machine.
    const auto secondsOfProduct = [&](int64_t k) {
      Graph graph;
      graph.addOutput("y", matmul(graph, graph.addInput("a", f32({64, k})),
                                  graph.addInput("b", f32({k, 256}))));
      return predictStep(graph, planProgram(graph, *device), *device, calibration).seconds;
    };
    CHECK(secondsOfProduct(2048) > 1.5 * secondsOfProduct(512));

    // measureSpeed() runs the most expensive kernels. It must detect that the machine is three
    // times as slow as in an outdated calibration.
    Calibration outdated = calibration;
    constexpr double kSlower = 3;
    for (auto& [family, price] : outdated.families)
      for (double& seconds : price.seconds)
        seconds /= kSlower;
    for (MemorySpeed& level : outdated.memory)
      level.bytesPerSecond *= kSlower;
    Graph graph;
    const ValueId product =
        matmul(graph, graph.addInput("a", f32({64, 1024})), graph.addInput("b", f32({1024, 256})));
    graph.addOutput("y", exp(graph, product));
    const MemoryPlan plan = planProgram(graph, *device);
    double ratio = 0;
    // Another program may use the core during a measurement. Therefore up to five measurements are
    // made until the ratio is plausible.
    for (int tries = 0; tries < 5 && (ratio <= 0.5 || ratio >= 2); ++tries) {
      const PresentSpeed now = measureSpeed(graph, plan, *device, calibration),
                         later = measureSpeed(graph, plan, *device, outdated);
      CHECK(later.share > 0.9);
      CHECK(later.byFamily.contains("gemm nn"));
      ratio = predictStep(graph, plan, *device, outdated, &later).seconds /
              predictStep(graph, plan, *device, calibration, &now).seconds;
    }
    CHECK(ratio > 0.5);
    CHECK(ratio < 2);
    CHECK(predictStep(graph, plan, *device, outdated).seconds <
          0.5 * predictStep(graph, plan, *device, calibration).seconds);
  }

  TEST_CASE("waiting for a core is noticed") {
    const WaitingWatch quiet;
    CHECK_FALSE(quiet.wasDisturbed(1'000'000));
    // Far more threads than cores, each of which wants a core all the time
    const WaitingWatch busy;
    const auto end = Clock::now() + std::chrono::milliseconds(400);
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4 * usableProcessors() + 4; ++i)
      threads.emplace_back([&] {
        while (Clock::now() < end)
          continue;
      });
    while (Clock::now() < end)
      std::this_thread::yield();
    // The times of threads that have ended are not counted
    CHECK((secondsWaitedForCores() == 0 || busy.wasDisturbed(1)));
  }

  TEST_CASE("the clock of a card") {
    const double rates[4] = {100, 400, 0, 0};
    // Arithmetic takes longer than the bytes, at the rate of the precision if the card has it
    CHECK(NodeClock(1000, 10, true, 0, rates, 50).take() == doctest::Approx(10));
    CHECK(NodeClock(1000, 10, true, 1, rates, 50).take() == doctest::Approx(2.5));
    CHECK(NodeClock(1000, 10, false, 1, rates, 50).take() == doctest::Approx(10));
    CHECK(NodeClock(1000, 10, true, 2, rates, 50).take() == doctest::Approx(10));
    CHECK(NodeClock(1, 500, true, 0, rates, 50).take() == doctest::Approx(10));
    // Further kernels of a node take only their launches, and no kernel takes less
    NodeClock clock(1000, 10, true, 0, rates, 50);
    CHECK(clock.take(1.5) == doctest::Approx(15));
    CHECK(clock.take() == kLaunchSeconds);
    CHECK(clock.take(2) == doctest::Approx(10 + kLaunchSeconds));
    CHECK(NodeClock(1e-9, 0, false, 0, rates, 50).take() == kLaunchSeconds);
    CHECK(copySeconds(100, 50) == doctest::Approx(2));
    CHECK(microsecondsOf(1.2345678e-6) == 1.235);
  }

  TEST_CASE("the minimum time of a product follows from the limits of a device") {
    Graph graph;
    const ValueId a = graph.addInput("a", f32({2, 3})), b = graph.addInput("b", f32({3, 4}));
    graph.addOutput("y", exp(graph, matmul(graph, a, b)));
    DeviceLimits limits{4.8e1, 8, 1.04e2, 0.25, 1};
    std::vector<NodeBound> nodes = boundStep(graph, limits);
    REQUIRE(nodes.size() == 2);
    // The product has 24 multiply-adds and moves 6 + 12 + 8 numbers.
    CHECK(nodes[0].computeSeconds == doctest::Approx(1));
    CHECK(nodes[0].memorySeconds == doctest::Approx(1));
    CHECK(nodes[0].limit() == Limit::Compute);
    CHECK(nodes[1].memorySeconds == doctest::Approx(64 / 104.0));
    CHECK(nodes[1].seconds() >= nodes[1].computeSeconds);
    limits.launchSeconds = 5;
    nodes = boundStep(graph, limits);
    CHECK(nodes[0].seconds() == 5);
    CHECK(bindingLimit(nodes) == Limit::Launch);
    limits = {1e12, 1e12, 1, 0, 0.5};
    nodes = boundStep(graph, limits);
    CHECK(nodes[0].memorySeconds == doctest::Approx(52));
    CHECK(bindingLimit(nodes) == Limit::Memory);
    CHECK(limitName(Limit::Memory) == "memory");
  }
}
