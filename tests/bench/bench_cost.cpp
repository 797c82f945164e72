// SPDX-License-Identifier: Apache-2.0
// Compares the predicted and the measured time of projects' training steps, in total and by node.
//   strata_cost_bench [-v] [-t THREADS] PROJECT.json...
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "core/train/network.h"
#include "gpu/base/machine.h"
#include "gpu/cost/present_speed.h"
#include "gpu/graph/op.h"

using namespace strata;
using Clock = std::chrono::steady_clock;

namespace {

constexpr int kWindows = 7;

double secondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

void compare(const char* path, int threads, const Calibration& calibration, bool isVerbose) {
  const Project project = loadProject(path).value();
  NetworkOptions options;
  options.device = "cpu";
  options.threads = threads;
  Network network(project, options);
  const int64_t batch = network.steps().batchSize();
  network.prepare({batch}, {});
  network.state().initialize(1);
  Program& program = network.trainProgram(batch);
  const auto asked = Clock::now();
  const StepPrediction plain =
      predictStep(program.graph(), program.memory(), network.steps().device(), calibration);
  const double asking = secondsSince(asked);
  StepPrediction prediction;
  PresentSpeed speed;
  int64_t step = 0;
  const auto run = [&](double seconds) {
    const auto start = Clock::now();
    int64_t count = 0;
    for (; count == 0 || secondsSince(start) < seconds; ++count) {
      setStep(program, ++step, 1e-4, 1, 0);
      program.run();
    }
    return secondsSince(start) / static_cast<double>(count);
  };
  run(0.1);
  // The speed of a machine may change within seconds. Therefore each window is compared with a
  // prediction that was made immediately before the window.
  std::vector<double> windows, ratios;
  for (int i = 0; i < kWindows; ++i) {
    speed = measureSpeed(program.graph(), program.memory(), network.steps().device(), calibration);
    prediction = predictStep(program.graph(), program.memory(), network.steps().device(),
                             calibration, &speed);
    windows.push_back(run(0.3));
    ratios.push_back(prediction.seconds / windows.back());
  }
  std::sort(windows.begin(), windows.end());
  std::sort(ratios.begin(), ratios.end());
  const double measured = windows[windows.size() / 2];
  const std::string name = std::string(path).substr(std::string(path).rfind('/') + 1);
  std::printf(
      "%-20s measured %9.1f us (%.1f to %.1f), predicted %.3f of it (%.3f to %.3f), by the "
      "calibration alone %.3f; asking took %.1f ms, "
      "measuring %.0f%% of the kernels %.0f ms\n",
      name.c_str(), 1e6 * measured, 1e6 * windows.front(), 1e6 * windows.back(),
      ratios[ratios.size() / 2], ratios.front(), ratios.back(), plain.seconds / measured,
      1e3 * asking, 100 * speed.share, 1e3 * speed.secondsSpent);
  if (!isVerbose) return;
  program.setProfiling(true);
  run(0);
  program.resetProfile();
  run(0.3);
  double sum = 0;
  for (const ProfileRow& row : program.profile())
    sum += static_cast<double>(row.total.count()) / static_cast<double>(row.calls);
  for (const ProfileRow& row : program.profile())
    for (const NodePrediction& node : prediction.nodes) {
      if (node.node != row.node) continue;
      const double own =
          static_cast<double>(row.total.count()) / static_cast<double>(row.calls) / sum * measured;
      if (std::max(own, node.seconds) > 0.01 * measured)
        std::printf("  %8.1f us measured, %8.1f predicted (%7.1f far)  %5.2f  %s %s | %s\n",
                    1e6 * own, 1e6 * node.seconds, 1e6 * node.memorySeconds, node.seconds / own,
                    row.op.c_str(), row.layer.c_str(), row.implementation.c_str());
    }
}

}  // namespace

int main(int argc, char** argv) {
  int threads = usableProcessors(), first = 1;
  bool isVerbose = false;
  for (; first < argc && argv[first][0] == '-'; ++first) {
    if (std::strcmp(argv[first], "-v") == 0) isVerbose = true;
    if (std::strcmp(argv[first], "-t") == 0 && first + 1 < argc) threads = std::atoi(argv[++first]);
  }
  Calibration calibration;
  std::vector<MeasuredKernel> measured;
  {
    ThreadPool pool(threads);
    const auto start = Clock::now();
    calibration = calibrate(pool, &measured);
    std::printf(
        "calibrated in %.2f s, disturbance %.2f, waiting %.3f, %.0f GFLOP/s, step %.2f us, meeting "
        "%.2f us\n",
        secondsSince(start), calibration.disturbance, calibration.waiting,
        1e-9 * calibration.flopsPerSecond, 1e6 * calibration.stepSeconds,
        1e6 * calibration.barrierSeconds);
  }
  for (const MemorySpeed& level : calibration.memory)
    std::printf("  %8.0f KiB %6.1f GB/s\n", level.bytes / 1024, 1e-9 * level.bytesPerSecond);
  if (isVerbose)
    for (const auto& [family, price] : calibration.families) {
      std::printf("  %-40s error %5.3f, %8.0f KiB, exposed %5.2f:", family.c_str(), price.error,
                  price.footprintBytes / 1024, price.exposed);
      for (const double seconds : price.seconds)
        std::printf(" %9.3g", 1e9 * seconds);
      std::printf("\n");
    }
  if (isVerbose)
    for (const MeasuredKernel& kernel : measured) {
      NodeWork work;
      work.parts.push_back(kernel.work);
      std::printf("  example %5.2f of %9.2f us  %-34s %s\n",
                  secondsOf(work, calibration) / kernel.seconds, 1e6 * kernel.seconds,
                  kernel.work.family.c_str(), kernel.name.c_str());
    }
  for (int i = first; i < argc; ++i)
    compare(argv[i], threads, calibration, isVerbose);
}
