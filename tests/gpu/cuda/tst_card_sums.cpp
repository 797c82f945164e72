// SPDX-License-Identifier: Apache-2.0
// Sums over replicas on several simulated cards.
#include <doctest/doctest.h>

#include <stop_token>
#include <thread>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_device.h"
#include "gpu/cuda/plugin.h"
#include "gpu/exec/program.h"
#include "gpu/exec/replica_group.h"
#include "gpu/ops/build.h"
#include "tests/gpu/cuda/test_card.h"
#include "tests/support/skip.h"

namespace strata {
namespace {

constexpr int64_t kSize = 3000;

/// A replica whose step adds the sum of all replicas' values, weight + rank, to its weight.
struct SummingReplica {
  SummingReplica(ReplicaGroup& group, int rank)
      : device(makeSimulatedDevice(test::testCard("card of sums"),
                                   {.threads = 1, .replica = {&group, rank}})),
        state(*device) {
    Graph graph;
    const ValueId weight =
        graph.addVariable("w", {DType::F32, Shape{kSize}}, Category::Parameter, true);
    const ValueId own = add(
        graph, weight, constantFill(graph, {DType::F32, Shape{kSize}}, static_cast<float>(rank)));
    const ValueId sum = allReduce(graph, {own}, 0)[0];
    graph.setNext("w", assign(graph, weight, sum));
    graph.addOutput("first", reduceSum(graph, sum, {0}, false));
    program = Program::build(std::move(graph), *device, state);
    program->setResults({"first"});
    program->bind();
    Tensor ones(DType::F32, Shape{kSize});
    for (float& value : ones.as<float>())
      value = 1;
    state.write("w", ones);
  }

  std::unique_ptr<Device> device;
  State state;
  std::unique_ptr<Program> program;
};

/// Runs steps of all replicas side by side. Returns the outcomes of the last step, by rank.
std::vector<StepOutcome> runSteps(ReplicaGroup& group,
                                  std::vector<std::unique_ptr<SummingReplica>>& replicas, int steps,
                                  int stopped = -1) {
  std::vector<StepOutcome> outcomes(replicas.size());
  for (int step = 0; step < steps; ++step) {
    group.begin();
    std::vector<std::jthread> threads;
    for (size_t rank = 0; rank < replicas.size(); ++rank)
      threads.emplace_back([&, rank] {
        std::stop_source stop;
        if (static_cast<int>(rank) == stopped) stop.request_stop();
        Ticket ticket = replicas[rank]->program->submit(stop.get_token());
        outcomes[rank] = ticket.wait();
        group.leave(static_cast<int>(rank));
      });
  }
  return outcomes;
}

}  // namespace

TEST_SUITE("card") {
  TEST_CASE("replicas on several cards get the same sums, captured and uncaptured") {
    if (!test::canRun(cuda::pluginProblem())) return;
    constexpr int kReplicas = 3, kSteps = 6;
    ReplicaGroup group(kReplicas);
    std::vector<std::unique_ptr<SummingReplica>> replicas;
    for (int rank = 0; rank < kReplicas; ++rank)
      replicas.push_back(std::make_unique<SummingReplica>(group, rank));
    runSteps(group, replicas, kSteps);
    float expected = 1;
    for (int step = 0; step < kSteps; ++step)
      expected = (expected + (expected + 1)) + (expected + 2);
    for (const auto& replica : replicas) {
      const Tensor weight = replica->state.read("w");
      for (const float value : weight.as<float>())
        REQUIRE(value == expected);
    }
  }

  TEST_CASE("no replica on a card changes a value if one has stopped") {
    if (!test::canRun(cuda::pluginProblem())) return;
    ReplicaGroup group(2);
    std::vector<std::unique_ptr<SummingReplica>> replicas;
    for (int rank = 0; rank < 2; ++rank)
      replicas.push_back(std::make_unique<SummingReplica>(group, rank));
    runSteps(group, replicas, 4);
    const float before = replicas[0]->state.read("w").as<float>()[0];
    for (const int stopped : {0, 1}) {
      for (const StepOutcome outcome : runSteps(group, replicas, 1, stopped))
        CHECK(outcome != StepOutcome::Done);
      for (const auto& replica : replicas)
        CHECK(replica->state.read("w").as<float>()[0] == before);
    }
    runSteps(group, replicas, 1);
    CHECK(replicas[0]->state.read("w").as<float>()[0] == 2 * before + 1);
    CHECK(replicas[1]->state.read("w").as<float>()[0] == 2 * before + 1);
  }
}

}  // namespace strata
