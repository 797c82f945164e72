// SPDX-License-Identifier: Apache-2.0
// Tests the instructions of a program: the barriers between them, and the times of their profile.
#include <chrono>
#include <thread>

#include <doctest/doctest.h>

#include "gpu/exec/program.h"
#include "gpu/ops/build.h"
#include "tests/support/sample_graphs.h"
#include "tests/support/test_devices.h"

using namespace strata;

TEST_SUITE_BEGIN("instructions");

TEST_CASE("only dependent instructions need a barrier between them, and none if both are solo") {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {64}});
  const ValueId a = exp(g, x), b = negate(g, x), c = square(g, x);
  g.addOutput("sum", add(g, add(g, a, b), c));
  const auto barriers = [&](int workers, int stages, bool solo) {
    test::NullDevice device(workers, stages, 0, solo);
    State state(device);
    auto program = Program::build(g, device, state);
    program->bind();
    CHECK(program->numInstructions() == 5);
    return program->numBarriers();
  };
  // There is a barrier before each add and none between the first three instructions.
  CHECK(barriers(2, 1, false) == 2);
  // There is always a barrier between the stages of an instruction.
  CHECK(barriers(2, 2, false) == 2 + 5);
  CHECK(barriers(2, 1, true) == 0);
  // If all instructions are solo, the caller runs the step alone.
  CHECK(barriers(2, 2, true) == 0);
  CHECK(barriers(1, 1, false) == 0);
}

TEST_CASE("the profile has a row with a time for each instruction, and the phases cover the step") {
  const Graph graph = test::randomStep(7, 9, 24);
  test::HookedDevice device(2, [](const std::string& op, const std::string&, int, int worker) {
    if (op == "softmax" && worker == 1) std::this_thread::sleep_for(std::chrono::milliseconds(2));
  });
  State state(device);
  auto program = Program::build(graph, device, state);
  program->bind();
  program->setProfiling(true);
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < 3; ++i)
    program->run();
  const auto wall = std::chrono::steady_clock::now() - start;
  const auto rows = program->profile();
  CHECK(static_cast<int>(rows.size()) == program->numInstructions());
  std::chrono::nanoseconds total{0};
  for (const ProfileRow& row : rows) {
    CHECK(row.calls == 3);
    CHECK(row.implementation == "hooked reference");
    CHECK(row.bytesOut > 0);
    if (row.op == "softmax") CHECK(row.total >= std::chrono::milliseconds(6));
    total += row.total;
  }
  CHECK(total <= wall);
  CHECK(total.count() > 0.5 * static_cast<double>(std::chrono::nanoseconds(wall).count()));
  program->setProfiling(false);
  program->run();
  const auto phases = program->lastPhases();
  for (const auto phase : phases)
    CHECK(phase.count() > 0);
  CHECK(program->profile().front().calls == 3);
  program->resetProfile();
  CHECK(program->profile().front().calls == 0);
  // The records are those of the last profiled step, whose sums somebody else has taken
  CHECK(program->lastRecords().records.size() == rows.size());
}

TEST_SUITE_END();
