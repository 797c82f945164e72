// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/program.h"

#include <doctest/doctest.h>

#include <atomic>
#include <cmath>
#include <thread>

#include "gpu/autodiff/autodiff.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "gpu/base/thread_pool.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "gpu/reference/reference_device.h"
#include "tests/support/allocation_count.h"
#include "tests/support/held_thread.h"
#include "tests/support/sample_graphs.h"
#include "tests/support/skip.h"
#include "tests/support/test_devices.h"

using namespace strata;

namespace {

std::unique_ptr<Device> reference(int threads) {
  DeviceOptions options;
  options.threads = threads;
  return makeReferenceDevice(options);
}

/// Returns a graph with state, inputs and an output. It computes w -= rate * (sum of x over the
/// batch).
Graph tinyGraph(int64_t batch) {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {batch, 4}});
  const ValueId rate = g.addInput("rate", {DType::F32, {}});
  const ValueId w = g.addVariable("w", {DType::F32, {4}}, Category::Parameter, true);
  ValueId loss, gradient;
  {
    const Scope scope(g, "layer", Phase::Forward, Category::Activation);
    loss = sumAll(g, multiply(g, x, w));
  }
  {
    const Scope scope(g, "layer", Phase::Backward, Category::Gradient);
    gradient = reduceSum(g, x, {0});
  }
  {
    const Scope scope(g, "layer", Phase::Update, Category::Parameter);
    g.setNext("w", update(g, "sgd_update", {w, gradient, rate}, {}).front());
  }
  g.addOutput("loss", loss);
  return g;
}

struct Results {
  NamedTensors outputs, variables;
};

void fill(Program& program, State& state, const NamedTensors& inputs,
          const NamedTensors& variables) {
  for (const auto& [name, value] : inputs)
    program.writeInput(name, value);
  for (const auto& [name, value] : variables)
    state.write(name, value);
}

Results readResults(const Program& program, const State& state) {
  Results results;
  for (const NamedValue& output : program.graph().outputs())
    results.outputs.emplace(output.name, program.readOutput(output.name));
  for (const std::string& name : state.names())
    results.variables.emplace(name, state.read(name));
  return results;
}

bool isBitEqual(const NamedTensors& a, const NamedTensors& b) {
  if (a.size() != b.size()) return false;
  for (const auto& [name, value] : a)
    if (const auto other = b.find(name); other == b.end() || !value.isBitEqual(other->second))
      return false;
  return true;
}
bool isBitEqual(const Results& a, const Results& b) {
  return isBitEqual(a.outputs, b.outputs) && isBitEqual(a.variables, b.variables);
}

double largestDifference(const NamedTensors& a, const NamedTensors& b) {
  double largest = 0;
  for (const auto& [name, value] : a)
    for (size_t i = 0; i < static_cast<size_t>(value.numElements()); ++i) {
      const double x = value.as<float>()[i], y = b.at(name).as<float>()[i];
      largest = std::max(largest, std::abs(x - y) / (1 + std::abs(y)));
    }
  return largest;
}

struct StepOptions {
  int workers = 1;
  bool inPlace = true, canaries = false;
  size_t workspaceBytes = 0;
  std::function<void(MemoryPlan&)> alterPlan;
};

Results runStep(const Graph& graph, const StepOptions& options) {
  test::HookedDevice device(options.workers, {}, options.workspaceBytes);
  State state(device);
  auto program = Program::build(graph, device, state, options.inPlace, options.alterPlan);
  program->bind();
  program->setCanaries(options.canaries);
  fill(*program, state, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
  const Program::Outcome outcome = program->run();
  CHECK(outcome == Program::Outcome::Done);
  return readResults(*program, state);
}

}  // namespace

TEST_SUITE_BEGIN("program");

TEST_CASE(
    "a step reads inputs, updates state and writes outputs, and other batch sizes share the "
    "state") {
  for (int workers : {1, 2, 3}) {
    auto device = reference(workers);
    State state(*device);
    auto full = Program::build(tinyGraph(8), *device, state);
    auto ragged = Program::build(tinyGraph(3), *device, state);
    full->bind();
    ragged->bind();
    CHECK(state.names() == std::vector<std::string>{"w"});
    state.write("w", Tensor::from<float>({4}, std::vector<float>{1, 2, 3, 4}));
    std::vector<float> expected{1, 2, 3, 4};
    for (int step = 0; step < 4; ++step) {
      Program& program = step % 2 ? *ragged : *full;
      const int64_t batch = step % 2 ? 3 : 8;
      const Tensor x = test::randomTensor({DType::F32, {batch, 4}}, static_cast<uint64_t>(step));
      program.writeInput("x", x);
      program.writeInput("rate", Tensor::scalar(0.5f));
      double loss = 0;
      for (int64_t i = 0; i < batch * 4; ++i)
        loss += x.as<float>()[static_cast<size_t>(i)] * expected[static_cast<size_t>(i % 4)];
      CHECK(program.run() == Program::Outcome::Done);
      CHECK(program.readOutput("loss").as<float>()[0] == doctest::Approx(loss).epsilon(1e-5));
      for (size_t j = 0; j < 4; ++j) {
        double sum = 0;
        for (int64_t i = 0; i < batch; ++i)
          sum += x.as<float>()[static_cast<size_t>(i * 4) + j];
        expected[j] -= static_cast<float>(0.5 * sum);
        CHECK(state.read("w").as<float>()[j] == doctest::Approx(expected[j]).epsilon(1e-5));
      }
    }
  }
}

TEST_CASE(
    "a planned step equals the evaluation of its graph value by value, with and without in-place, "
    "on 1 to 3 workers, with canaries") {
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const Graph graph = test::randomStep(seed, 5 + static_cast<int>(seed), 24);
    const Evaluation oracle =
        evaluateGraph(graph, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
    for (const int workers : {1, 2, 3}) {
      StepOptions options;
      options.workers = workers;
      options.workspaceBytes = 100;
      const Results plain = runStep(graph, options);
      CHECK(largestDifference(plain.outputs, oracle.outputs) < 1e-5);
      CHECK(largestDifference(plain.variables, oracle.variables) < 1e-5);
      if (workers == 1) CHECK(isBitEqual(plain.outputs, oracle.outputs));
      // Every run gives the same bits.
      CHECK(isBitEqual(plain, runStep(graph, options)));
      options.inPlace = false;
      CHECK(isBitEqual(plain, runStep(graph, options)));
      options.canaries = true;
      CHECK(isBitEqual(plain, runStep(graph, options)));
      options.inPlace = true;
      CHECK(isBitEqual(plain, runStep(graph, options)));
    }
  }
}

TEST_CASE(
    "a plan in which a storage is 64 bytes too short or ends one op too early changes results") {
  int shorter = 0, earlier = 0;
  for (uint64_t seed = 0; seed < 6; ++seed) {
    const Graph graph = test::randomStep(seed, 6, 24);
    StepOptions options;
    options.canaries = true;
    const Results good = runStep(graph, options);
    const MemoryPlan plan = planMemory(graph, {});
    const int last = static_cast<int>(graph.order().size()) - 1;
    for (size_t i = 0; i < plan.storages.size(); ++i) {
      const Storage& storage = plan.storages[i];
      if (storage.lane != Storage::Lane::Transient || storage.end == storage.begin) continue;
      options.alterPlan = [i](MemoryPlan& altered) {
        altered.storages[i].bytes -= std::min<size_t>(64, altered.storages[i].bytes);
      };
      // A kernel then writes past the end of its storage, and the canary at this place detects it.
      CHECK_THROWS_AS(runStep(graph, options), Error);
      ++shorter;
      // Storages that live until the end of the step, such as those of outputs, are not shortened
      // in time.
      if (storage.end == last) continue;
      options.alterPlan = [i](MemoryPlan& altered) {
        --altered.storages[i].end;
      };
      bool differs = false;
      try {
        differs = !isBitEqual(runStep(graph, options), good);
      }
      catch (const Error&) {
        differs = true;
      }
      CHECK(differs);
      ++earlier;
    }
  }
  CHECK(shorter > 40);
  CHECK(earlier > 40);
}

TEST_CASE("two overlapping storages change results") {
  const Graph graph = test::randomStep(2, 8, 24);
  StepOptions options;
  options.inPlace = false;
  const Results good = runStep(graph, options);
  const MemoryPlan plan = planMemory(graph, {}, false);
  int tried = 0;
  for (size_t a = 0; a < plan.storages.size(); ++a)
    for (size_t b = a + 1; b < plan.storages.size(); ++b) {
      const Storage &x = plan.storages[a], &y = plan.storages[b];
      if (x.lane != Storage::Lane::Transient || y.lane != x.lane || x.bytes < 1000 ||
          y.bytes < 1000 || y.begin <= x.begin || y.begin >= x.end)
        continue;
      options.alterPlan = [a, b](MemoryPlan& altered) {
        altered.storages[b].offset = altered.storages[a].offset;
      };
      CHECK_FALSE(isBitEqual(runStep(graph, options), good));
      ++tried;
    }
  CHECK(tried > 5);
}

TEST_CASE("the error about a kernel that writes outside its operands names it") {
  class Careless final : public HostKernel {
   public:
    void run(const KernelArguments& arguments, int, int worker) const override {
      // This byte is the first byte after the scalar.
      if (worker == 0) arguments.outputs[0][8] = std::byte{1};
    }
    std::string implementation() const override { return "careless"; }
  };
  class CarelessDevice final : public HostDevice {
   public:
    CarelessDevice() : HostDevice({2, 0}) {}
    std::string name() const override { return "careless"; }
    DeviceTraits traits() const override { return processorTraits(); }
    std::unique_ptr<HostKernel> createHostKernel(const Graph& graph, NodeId node) override {
      if (graph.node(node).op->name == "exp") return std::make_unique<Careless>();
      return createReferenceKernel(graph, node, 2);
    }
  };
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {1000}});
  {
    const Scope scope(g, "culprit", Phase::Forward, Category::Activation);
    g.addOutput("y", exp(g, sumAll(g, negate(g, x))));
  }
  CarelessDevice device;
  State state(device);
  auto program = Program::build(g, device, state);
  program->bind();
  program->run();
  program->setCanaries(true);
  try {
    program->run();
    FAIL("no error");
  }
  catch (const Error& error) {
    CHECK(error.subject() == "culprit");
    CHECK(std::string(error.what()).find("careless") != std::string::npos);
  }
}

TEST_CASE("the predicted peak equals the allocated memory") {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    auto device = reference(2);
    State state(*device);
    auto program = Program::build(test::randomStep(seed, 10, 32), *device, state);
    program->bind();
    program->run();
    CHECK(program->memory().peakBytes() == state.allocatedBytes() + program->ownBytes());
    CHECK(planProgram(program->graph(), *device).peakBytes() == program->memory().peakBytes());
  }
}

TEST_CASE("steps allocate nothing from the third one on") {
  if (!test::canRun(test::whyNoAllocationCount())) return;
  {
    test::startCountingAllocations();
    ::operator delete(::operator new(100));
    // The allocation above checks that the counter works.
    REQUIRE(test::stopCountingAllocations() > 0);
  }
  for (const int workers : {1, 2, 3}) {
    test::HookedDevice device(workers);
    State state(device);
    const Graph graph = test::randomStep(4, 12, 24);
    auto program = Program::build(graph, device, state);
    auto ragged = Program::build(test::randomStep(4, 12, 7), device, state);
    program->bind();
    ragged->bind();
    fill(*program, state, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
    const Tensor other = test::randomTensor({DType::F32, {24, 20}}, 8);
    std::stop_source source;
    const auto step = [&](int i) {
      program->setProfiling(i % 2 == 1);
      program->feed("x", i % 3 == 0 ? other.data() : nullptr);
      program->run(source.get_token());
      ragged->run(source.get_token());
    };
    for (int i = 0; i < 2; ++i)
      step(i);
    test::startCountingAllocations();
    for (int i = 2; i < 12; ++i)
      step(i);
    CHECK(test::stopCountingAllocations() == 0);
  }
}

TEST_CASE(
    "a step that is stopped before its first write leaves the state unchanged, and otherwise "
    "finishes") {
  for (const int workers : {1, 2, 3}) {
    const Graph graph = test::randomStep(7, 9, 24);
    const NamedTensors variables = test::randomVariables(graph, 3);
    StepOptions options;
    options.workers = workers;
    const Results whole = runStep(graph, options);
    test::HookedDevice device(workers);
    State state(device);
    auto program = Program::build(graph, device, state);
    program->bind();
    int stopped = 0, done = 0;
    for (int stopAt = 0; stopAt < program->numInstructions(); ++stopAt) {
      fill(*program, state, test::randomInputs(graph, 3), variables);
      std::stop_source source;
      int calls = 0;
      device.setHook([&](const std::string&, const std::string&, int stage, int worker) {
        if (worker == 0 && stage == 0 && calls++ == stopAt) source.request_stop();
      });
      const bool isDone = program->run(source.get_token()) == Program::Outcome::Done;
      (isDone ? done : stopped) += 1;
      const Results results = readResults(*program, state);
      CHECK(isBitEqual(results.variables, isDone ? whole.variables : variables));
      if (isDone) CHECK(isBitEqual(results, whole));
    }
    CHECK(stopped > 5);
    CHECK(done > 0);
    std::stop_source before;
    before.request_stop();
    CHECK(program->run(before.get_token()) == Program::Outcome::Stopped);
  }
}

TEST_CASE(
    "an exception in a kernel ends the step and names the layer, and the program can run again") {
  for (const int workers : {1, 2, 3})
    for (int thrower = 0; thrower < workers; ++thrower) {
      const Graph graph = test::randomStep(11, 9, 24);
      test::HookedDevice device(workers);
      State state(device);
      auto program = Program::build(graph, device, state);
      program->bind();
      fill(*program, state, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
      for (int kind = 0; kind < 3; ++kind) {
        device.setHook([&](const std::string&, const std::string& layer, int, int worker) {
          if (worker != thrower || layer != "layer4") return;
          if (kind == 0) throw std::runtime_error("broken");
          if (kind == 1) throw std::bad_alloc();
          throw Error(ErrorCode::NonFinite, "", "not a number");
        });
        try {
          program->run();
          FAIL("no error");
        }
        catch (const Error& error) {
          CHECK(error.subject() == "layer4");
          CHECK(error.code() == std::array{ErrorCode::DeviceFailure, ErrorCode::OutOfMemory,
                                           ErrorCode::NonFinite}[static_cast<size_t>(kind)]);
        }
      }
      device.setHook({});
      fill(*program, state, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
      CHECK(program->run() == Program::Outcome::Done);
      StepOptions options;
      options.workers = workers;
      CHECK(isBitEqual(readResults(*program, state), runStep(graph, options)));
    }
}

TEST_CASE("late workers do not change the results") {
  const Graph graph = test::randomStep(13, 12, 24);
  StepOptions options;
  options.workers = 3;
  const Results expected = runStep(graph, options);
  test::HookedDevice device(3);
  State state(device);
  auto program = Program::build(graph, device, state);
  program->bind();
  for (int round = 0; round < 20; ++round) {
    fill(*program, state, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
    device.setHook([round](const std::string& op, const std::string&, int, int worker) {
      if ((op.size() + static_cast<size_t>(worker) + static_cast<size_t>(round)) % 3 == 0)
        std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
    program->run();
    REQUIRE(isBitEqual(readResults(*program, state), expected));
  }
}

TEST_CASE(
    "others execute the shares of a worker that does not get a processor, with the same bits") {
  if (!test::HeldThread::canHold()) {
    MESSAGE("skipped: threads cannot be held with ThreadSanitizer");
    return;
  }
  for (const int workers : {2, 3}) {
    const Graph graph = test::randomStep(11, 9, 24);
    StepOptions options;
    options.workers = workers;
    const Results expected = runStep(graph, options);
    test::HookedDevice device(workers);
    State state(device);
    auto program = Program::build(graph, device, state);
    program->bind();
    pthread_t last{};
    device.pool().run([&](int worker) {
      device.pool().barrier().wait();
      if (worker == workers - 1) last = pthread_self();
      device.pool().barrier().wait();
    });
    std::atomic<int> byHeld{0};
    std::array<std::atomic<int>, 3> calls{};
    device.setHook([&](const std::string&, const std::string&, int, int worker) {
      ++calls[static_cast<size_t>(worker)];
      if (pthread_equal(pthread_self(), last)) ++byHeld;
    });
    for (const bool isProfiled : {false, true}) {
      const test::HeldThread held(last);
      fill(*program, state, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
      program->setProfiling(isProfiled);
      CHECK(program->run() == Program::Outcome::Done);
      CHECK(isBitEqual(readResults(*program, state), expected));
    }
    CHECK(byHeld == 0);
    CHECK(calls[0] > 20);
    for (int worker = 1; worker < workers; ++worker)
      CHECK(calls[static_cast<size_t>(worker)] == calls[0]);
    // Failures and stop requests end the step as usual
    const test::HeldThread held(last);
    fill(*program, state, test::randomInputs(graph, 3), test::randomVariables(graph, 3));
    device.setHook([&](const std::string&, const std::string& layer, int, int worker) {
      if (layer == "layer4" && worker == workers - 1) throw std::runtime_error("broken");
    });
    CHECK_THROWS_WITH_AS(program->run(), doctest::Contains("broken"), Error);
    std::stop_source source;
    device.setHook(
        [&](const std::string&, const std::string&, int, int) { source.request_stop(); });
    CHECK(program->run(source.get_token()) == Program::Outcome::Stopped);
  }
}

TEST_CASE("an input may use the caller's memory, and its own memory again afterwards") {
  auto device = reference(2);
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {4}});
  // When the input moves to the memory of the caller, its view must use that memory, too.
  g.addOutput("sum", sumAll(g, reshape(g, x, {2, 2})));
  g.addOutput("same", x);
  State state(*device);
  auto program = Program::build(g, *device, state);
  program->bind();
  const auto sum = [&] {
    program->run();
    return program->readOutput("sum").as<float>()[0];
  };
  program->writeInput("x", Tensor::from<float>({4}, std::vector<float>{1, 2, 3, 4}));
  CHECK(sum() == 10);
  const Tensor other = Tensor::from<float>({4}, std::vector<float>{10, 20, 30, 40});
  program->feed("x", other.data());
  CHECK(sum() == 100);
  CHECK(program->readOutput("same").isBitEqual(other));
  program->feed("x", nullptr);
  CHECK(sum() == 10);
  program->feed("x", other.data());
  program->writeInput("x", Tensor::from<float>({4}, std::vector<float>{1, 1, 1, 1}));
  CHECK(sum() == 4);
  CHECK(other.as<float>()[0] == 10);
  CHECK_THROWS_AS(program->writeInput("x", other.reshaped({2, 2})), Error);
  CHECK_THROWS_AS(program->writeInput("z", other), Error);
  CHECK_THROWS_AS((void)program->readOutput("z"), Error);
}

TEST_CASE("programs can be bound after a larger one, and state keeps its type and address") {
  auto device = reference(1);
  State state(*device);
  auto small = Program::build(tinyGraph(2), *device, state);
  small->bind();
  const DeviceAddress address = state.address("w");
  state.write("w", Tensor::from<float>({4}, std::vector<float>{1, 2, 3, 4}));
  auto large = Program::build(test::randomStep(1, 6, 64), *device, state);
  CHECK(state.address("w") == address);
  CHECK(state.read("w").as<float>()[3] == 4);
  CHECK(small->run() == Program::Outcome::Done);
  CHECK_THROWS_AS(large->run(), Error);
  large->bind();
  CHECK_THROWS_AS(small->run(), Error);
  small->bind();
  CHECK(small->run() == Program::Outcome::Done);
  CHECK(address.bits() % 64 == 0);
  Graph other;
  other.addVariable("w", {DType::F32, {5}}, Category::Parameter, true);
  CHECK_THROWS_AS(state.ensureVariables(other), Error);
  CHECK_THROWS_AS(state.write("w", Tensor(DType::F32, {5})), Error);
  CHECK_THROWS_AS((void)state.read("unknown"), Error);
  CHECK(state.category("w") == Category::Parameter);
}

TEST_CASE(
    "a step that does not fit in memory is refused before allocation, and the largest layer is "
    "named") {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {1 << 20}});
  {
    const Scope scope(g, "huge", Phase::Forward, Category::Activation);
    g.addOutput("y", sumAll(g, exp(g, broadcastTo(g, x, {1 << 20, 1 << 20}))));
  }
  test::NullDevice device(1);
  State state(device);
  try {
    Program::build(g, device, state);
    FAIL("no error");
  }
  catch (const Error& error) {
    CHECK(error.code() == ErrorCode::OutOfMemory);
    CHECK(error.subject() == "huge");
  }
  CHECK(state.allocatedBytes() == 0);
}

TEST_SUITE_END();
