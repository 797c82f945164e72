// SPDX-License-Identifier: Apache-2.0
// What a step on a card adds to its instructions: one copy and one launch for its inputs, one
// launch for its results.
#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>

#include "gpu/devices/simulated_step.h"
#include "gpu/ops/build.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/guarded_step.h"

using namespace strata;

namespace {

/// Returns how often each kernel or copy ran in a step of the program that the card records.
std::map<std::string, int> recordCounts(Program& program) {
  // The first steps run without a graph, and their records have no instructions
  for (int step = 0; step < 2; ++step)
    REQUIRE(program.run() == StepOutcome::Done);
  program.setProfiling(true);
  REQUIRE(program.run() == StepOutcome::Done);
  program.setProfiling(false);
  std::map<std::string, int> counts;
  for (const KernelRecord& record : program.lastRecords().records)
    ++counts[record.name];
  return counts;
}

int totalOf(const std::map<std::string, int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0,
                         [](int sum, const auto& each) { return sum + each.second; });
}

/// A program whose outputs are all results.
std::unique_ptr<Program> boundProgram(Graph graph, Device& device, State& state) {
  std::vector<std::string> results;
  for (const NamedValue& output : graph.outputs())
    results.push_back(output.name);
  auto program = Program::build(std::move(graph), device, state);
  program->setResults(results);
  program->bind();
  return program;
}

Tensor counted(DType dtype, const Shape& shape, double first) {
  std::vector<double> numbers(static_cast<size_t>(shape.numElements()));
  std::iota(numbers.begin(), numbers.end(), first);
  return Tensor::from<double>(shape, numbers).converted(dtype);
}

KeptRows keptRows(Device& device, State& state, const Tensor& values) {
  KeptRows rows;
  rows.dtype = values.dtype();
  rows.rows = values.shape()[0];
  rows.elements = values.shape().numElements() / rows.rows;
  rows.memory = DeviceMemory(device, values.bytes());
  state.stream().upload(rows.memory.address(), values.data(), values.bytes());
  return rows;
}

}  // namespace

TEST_SUITE("launches on cards") {
  TEST_CASE("fed inputs and scalars take one copy and one launch, results one launch") {
    const auto device = test::openTestCard();
    if (!device) return;
    State state(*device);
    const auto program = test::boundGuardedStep(*device, state);
    const Tensor batch = test::guardedBatch(1);
    program->feed("x", batch.data());
    const auto counts = recordCounts(*program);
    CHECK(counts.at("copy to the card") == 1);
    CHECK(counts.at("place_inputs") == 1);
    CHECK(counts.at("finish_step") == 1);
    CHECK(counts.at("observe_gradients") == 1);
    CHECK(totalOf(counts) == program->numInstructions() + 3);
  }

  TEST_CASE("kept rows take one copy of indices and scalars, and one launch") {
    const auto device = test::openTestCard();
    if (!device) return;
    State state(*device);
    const auto program = test::boundGuardedStep(*device, state);
    const KeptRows rows = keptRows(*device, state, counted(DType::U8, {16, 3}, 0));
    const std::vector<int32_t> indices{3, 0, 15, 7};
    program->gather("x", rows, indices.data());
    const auto counts = recordCounts(*program);
    CHECK(counts.at("copy to the card") == 1);
    CHECK(counts.at("place_inputs") == 1);
    CHECK(totalOf(counts) == program->numInstructions() + 3);
  }

  TEST_CASE("inputs and results take the predicted time") {
    const auto device = test::openTestCard();
    if (!device || !device->isSimulated()) return;
    // Inputs that take longer than the shortest kernel
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {4000, 1000}}),
                  y = g.addInput("y", {DType::F32, {}});
    {
      const Scope scope(g, "layer", Phase::Forward, Category::Activation);
      g.addOutput("z", multiply(g, sumAll(g, x), y));
    }
    State state(*device);
    const auto program = boundProgram(g, *device, state);
    const Tensor batch(DType::F32, {4000, 1000});
    program->feed("x", batch.data());
    recordCounts(*program);
    std::chrono::nanoseconds around{0}, whole{0};
    for (const KernelRecord& record : program->lastRecords().records) {
      if (record.stream != "compute") continue;
      whole += record.duration;
      if (record.instruction < 0) around += record.duration;
    }
    CHECK(around > std::chrono::microseconds(2 + 9));
    CHECK(around == transferTime(program->graph(), program->memory(), *device));
    const StepPrediction step = predictSimulatedStep(program->graph(), program->memory(), *device);
    CHECK(std::llround(1e9 * step.seconds) == whole.count());
  }

  TEST_CASE("many inputs of all sizes and sources reach their places") {
    const auto device = test::openTestCard();
    if (!device) return;
    // More than one launch takes, and sizes that are no multiple of 16 bytes
    const std::vector<int64_t> widths{1,  2,   3, 4,  5,  9,  0,  1000, 6000, 16,
                                      33, 100, 8, 40, 41, 42, 43, 2000, 48};
    constexpr int64_t kRows = 6;
    Graph g;
    for (size_t i = 0; i < widths.size(); ++i) {
      const std::string name = std::to_string(i);
      const Scope scope(g, "layer", Phase::Forward, Category::Activation);
      const DType dtype = i % 3 == 2 ? DType::I32 : DType::F32;
      const ValueId x = g.addInput("x" + name, {dtype, {kRows, widths[i]}});
      g.addOutput("y" + name, i % 3 == 2 ? cast(g, x, DType::F32) : negate(g, x));
    }
    State state(*device);
    const auto program = Program::build(g, *device, state);
    program->bind();
    std::vector<Tensor> fed(widths.size());
    std::vector<KeptRows> kept(widths.size());
    const std::vector<int32_t> indices{9, 0, 4, 4, 1, 8};
    for (int step = 0; step < 4; ++step) {
      CAPTURE(step);
      for (size_t i = 0; i < widths.size(); ++i) {
        const std::string name = "x" + std::to_string(i);
        const DType dtype = i % 3 == 2 ? DType::I32 : DType::F32;
        fed[i] = counted(dtype, {kRows, widths[i]}, static_cast<double>(i) * 7 + step);
        program->feed(name, fed[i].data());
        // Half of the inputs come from rows that the card keeps, of 1 or 4 bytes per element. The
        // input is one element wider.
        if (i % 2 == 0 || widths[i] < 2) continue;
        const Tensor rows = counted(i % 4 == 1 ? DType::U8 : dtype, {10, widths[i] - 1}, 1);
        kept[i] = keptRows(*device, state, rows);
        program->gather(name, kept[i], indices.data());
        const Tensor source = rows.converted(DType::F64);
        std::vector<double> numbers(static_cast<size_t>(kRows * widths[i]));
        for (int64_t row = 0; row < kRows; ++row)
          for (int64_t column = 0; column + 1 < widths[i]; ++column)
            numbers[static_cast<size_t>(row * widths[i] + column)] =
                source.as<double>()[static_cast<size_t>(
                    indices[static_cast<size_t>(row)] * (widths[i] - 1) + column)];
        fed[i] = Tensor::from<double>({kRows, widths[i]}, numbers).converted(dtype);
      }
      REQUIRE(program->run() == StepOutcome::Done);
      for (size_t i = 0; i < widths.size(); ++i) {
        CAPTURE(i);
        const Tensor got = program->readOutput("y" + std::to_string(i)).converted(DType::F64),
                     expected = fed[i].converted(DType::F64);
        REQUIRE(got.shape() == expected.shape());
        for (size_t e = 0; e < got.as<double>().size(); ++e)
          REQUIRE(got.as<double>()[e] == (i % 3 == 2 ? 1 : -1) * expected.as<double>()[e]);
      }
    }
    // One input is empty, and the others are more than one launch takes
    CHECK(recordCounts(*program).at("place_inputs") == 2);
  }

  TEST_CASE("results of all sizes are those of the step") {
    const auto device = test::openTestCard();
    if (!device) return;
    for (const int64_t width : {1, 100, 3000}) {
      CAPTURE(width);
      Graph g;
      const ValueId x = g.addInput("x", {DType::F32, {width}});
      constexpr int kResults = 20;
      for (int i = 0; i < kResults; ++i) {
        const Scope scope(g, "layer", Phase::Forward, Category::Activation);
        g.addOutput("y" + std::to_string(i), multiply(g, x, constantScalar(g, DType::F32, i)));
      }
      State state(*device);
      const auto program = boundProgram(g, *device, state);
      std::vector<Tensor> batches;
      std::vector<Ticket> tickets;
      for (int step = 0; step < 6; ++step) {
        batches.push_back(counted(DType::F32, {width}, step));
        program->feed("x", batches.back().data());
        tickets.push_back(program->submit());
      }
      for (size_t step = 0; step < tickets.size(); ++step) {
        CAPTURE(step);
        REQUIRE(tickets[step].wait() == StepOutcome::Done);
        for (int i = 0; i < kResults; ++i) {
          const auto got = tickets[step].result("y" + std::to_string(i));
          REQUIRE(got.size() == static_cast<size_t>(width));
          for (size_t e = 0; e < got.size(); ++e)
            REQUIRE(got[e] == batches[step].as<float>()[e] * static_cast<float>(i));
        }
      }
      tickets.clear();
      const auto counts = recordCounts(*program);
      CHECK(counts.at("finish_step") == 1);
      // Twenty results are more than one launch takes, and one block copies only small ones
      CHECK(counts.at("gather_results") == (width == 3000 ? 2 : 1));
    }
  }

  TEST_CASE("all_finite is one launch for as many tensors as its parameters describe") {
    const auto device = test::openTestCard();
    if (!device) return;
    for (const int tensors : {1, 66, 160, 161}) {
      CAPTURE(tensors);
      Graph g;
      std::vector<ValueId> operands;
      // Tensors without elements take no place
      for (int i = 0; i < tensors; ++i) {
        operands.push_back(g.addInput("x" + std::to_string(i), {DType::F32, {3}}));
        operands.push_back(g.addInput("e" + std::to_string(i), {DType::F32, {0}}));
      }
      {
        const Scope scope(g, "layer", Phase::Forward, Category::Activation);
        g.addOutput("finite", allFinite(g, operands));
      }
      State state(*device);
      const auto program = boundProgram(g, *device, state);
      CHECK(recordCounts(*program).at("observe_gradients") == (tensors > 160 ? 2 : 1));
      // A flag does not depend on those of earlier steps
      for (const int bad : {-1, 0, tensors - 1, -1, -1}) {
        CAPTURE(bad);
        const std::string name = "x" + std::to_string(std::max(bad, 0));
        Tensor x(DType::F32, {3});
        if (bad >= 0) x.as<float>()[1] = std::numeric_limits<float>::infinity();
        program->writeInput(name, x);
        Ticket ticket = program->submit();
        REQUIRE(ticket.wait() == StepOutcome::Done);
        CHECK(ticket.result("finite")[0] == (bad < 0 ? 1 : 0));
        program->writeInput(name, Tensor(DType::F32, {3}));
      }
    }
  }

  TEST_CASE("all_finite of no elements is 1") {
    const auto device = test::openTestCard();
    if (!device) return;
    Graph g;
    const ValueId x = g.addInput("x", {DType::F32, {0}});
    {
      const Scope scope(g, "layer", Phase::Forward, Category::Activation);
      g.addOutput("finite", allFinite(g, {x}));
    }
    State state(*device);
    const auto program = boundProgram(g, *device, state);
    Ticket ticket = program->submit();
    REQUIRE(ticket.wait() == StepOutcome::Done);
    CHECK(ticket.result("finite")[0] == 1);
  }
}
