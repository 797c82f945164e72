// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/shared_kernels.h"

#include <doctest/doctest.h>

#include <thread>

#include "gpu/cpu/cpu_device.h"
#include "gpu/exec/program.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"
#include "tests/support/sample_graphs.h"

using namespace strata;

namespace {

/// Returns convolutions and sums in float32 and in 16 bits. oneDNN computes the first of them, if
/// this build includes it.
Graph convolutions() {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {4, 5, 5, 192}}),
                w = g.addInput("w", {DType::F32, {3, 3, 192, 192}});
  Window2D same;
  same.paddingBefore = same.paddingAfter = {1, 1};
  g.addOutput("full", conv2d(g, x, w, same));
  const ValueId low = conv2d(g, cast(g, x, DType::BF16), cast(g, w, DType::BF16), same);
  g.addOutput("low", reduceSum(g, low, {0}));
  return g;
}

}  // namespace

TEST_CASE("devices with the same identity share kernels and times") {
  const Graph graph = test::randomStep(3, 10, 16);
  const auto first = makeCpuDevice({1, 0}), second = makeCpuDevice({1, 0}),
             other = makeCpuDevice({2, 0});
  layOutStep(graph, *first);
  const auto shared = SharedKernels::of(*second);
  const int64_t made = shared->numMade();
  CHECK(made > 0);
  layOutStep(graph, *second);
  CHECK(shared->numMade() == made);
  CHECK(SharedKernels::of(*other) != shared);
  shared->addTimes("a kernel", {{"", 1, true}});
  CHECK(SharedKernels::of(*first)->times("a kernel")->front().seconds == 1);
  CHECK(!SharedKernels::of(*other)->times("a kernel"));
}

TEST_CASE("a kernel that keeps state during a call is shared only within a device") {
  const Graph graph = convolutions();
  const auto first = makeCpuDevice({1, 0}), second = makeCpuDevice({1, 0});
  const auto shared = SharedKernels::of(*first);
  for (const NodeId id : graph.order()) {
    const OpKind kind = graph.node(id).op->kind;
    if (kind == OpKind::Source || kind == OpKind::View) continue;
    const auto kernel = shared->kernelOf(*first, graph, id);
    CAPTURE(kernel->implementation());
    CHECK(shared->kernelOf(*first, graph, id) == kernel);
    CHECK((shared->kernelOf(*second, graph, id) == kernel) == kernel->isStateless());
  }
}

TEST_CASE("networks that share kernels may run at the same time") {
  const Graph graph = convolutions();
  const auto run = [&](uint64_t seed, int steps) {
    const auto device = makeCpuDevice({1, 0});
    State state(*device);
    const auto program = Program::build(graph, *device, state);
    program->bind();
    for (const auto& [name, value] : test::randomInputs(graph, seed))
      program->writeInput(name, value);
    std::vector<Tensor> results;
    for (int step = 0; step < steps; ++step) {
      program->run();
      for (const char* output : {"full", "low"})
        results.push_back(program->readOutput(output));
    }
    return results;
  };
  const std::vector<Tensor> alone[]{run(1, 1), run(2, 1)};
  constexpr int kSteps = 500;
  std::vector<Tensor> together[2];
  {
    std::vector<std::jthread> threads;
    for (size_t i = 0; i < 2; ++i)
      threads.emplace_back([&, i] { together[i] = run(i + 1, kSteps); });
  }
  for (size_t i = 0; i < 2; ++i) {
    REQUIRE(together[i].size() == 2 * kSteps);
    for (size_t k = 0; k < together[i].size(); ++k)
      CHECK(together[i][k].isBitEqual(alone[i][k % 2]));
  }
}
