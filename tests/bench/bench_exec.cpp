// SPDX-License-Identifier: Apache-2.0
// Measures the overhead of the executor: the time of a barrier, of an instruction, of the profiler,
// and of a step with kernels that do nothing. The benchmark prints the minimum of several windows
// and never fails.
//   strata_exec_bench
#include <chrono>
#include <cstdio>
#include <functional>
#include <limits>

#include "gpu/base/thread_pool.h"
#include "gpu/exec/program.h"
#include "gpu/memory/plan.h"
#include "gpu/ops/build.h"
#include "tests/support/test_devices.h"

using namespace strata;

namespace {

double leastNanoseconds(int windows, int repeats, const std::function<void()>& body) {
  double least = std::numeric_limits<double>::max();
  // The deadline limits the time on a busy machine, where workers wait for each other.
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(3);
  for (int window = 0; window < windows && std::chrono::steady_clock::now() < deadline; ++window) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < repeats; ++i)
      body();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    least = std::min(least, time.count() / repeats);
  }
  return least;
}

/// Returns a graph of `count` instructions. In a chain, each instruction needs a barrier;
/// otherwise, no instruction needs one.
Graph manyOps(int count, bool isChain) {
  Graph g;
  const ValueId x = g.addInput("x", {DType::F32, {16}});
  ValueId y = x;
  for (int i = 0; i < count; ++i) {
    y = exp(g, isChain ? y : x);
    if (!isChain || i + 1 == count) g.addOutput("y" + std::to_string(i), y);
  }
  return g;
}

void reportProgram(const char* name, int workers, bool isChain, bool isSolo) {
  constexpr int kCount = 200;
  test::NullDevice device(workers, 1, 0, isSolo);
  State state(device);
  auto program = Program::build(manyOps(kCount, isChain), device, state);
  program->bind();
  const double plain = leastNanoseconds(200, 10, [&] { program->run(); }) / kCount;
  program->setProfiling(true);
  const double profiled = leastNanoseconds(200, 10, [&] { program->run(); }) / kCount;
  std::printf("%-46s %d workers %8.1f ns an instruction, %8.1f profiled\n", name, workers, plain,
              profiled);
}

}  // namespace

int main() {
  for (const int workers : {1, 2}) {
    ThreadPool pool(workers);
    std::printf("%-46s %d workers %8.1f ns\n", "ThreadPool::run of nothing", workers,
                leastNanoseconds(200, 200, [&] { pool.run([](int) {}); }));
    constexpr int kBarriers = 1000;
    const double barrier = leastNanoseconds(200, 1, [&] {
      pool.run([&](int) {
        for (int i = 0; i < kBarriers; ++i)
          pool.barrier().wait();
      });
    });
    std::printf("%-46s %d workers %8.1f ns\n", "SpinBarrier::wait", workers, barrier / kBarriers);
    reportProgram("program: dependent instructions", workers, true, false);
    reportProgram("program: independent instructions", workers, false, false);
    reportProgram("program: dependent solo instructions", workers, true, true);
  }
  return 0;
}
