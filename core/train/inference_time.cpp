// SPDX-License-Identifier: Apache-2.0
#include "core/train/inference_time.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/cost/waiting.h"

namespace strata {

InferenceTime inferenceTime(Network& network, int64_t batch, double seconds,
                            const std::stop_token& stop) {
  // Kernels settle in the first steps
  constexpr int kWarmUp = 2;
  constexpr int64_t kFewest = 5, kMost = 100'000;
  InferenceTime time;
  time.batch = std::min(batch, network.steps().evaluatedSamples());
  network.prepare({}, {time.batch});
  Program* program = nullptr;
  try {
    program = &network.evaluateProgram(time.batch);
  }
  catch (const std::out_of_range&) {
    throw Error(ErrorCode::UnsupportedOp, "batch",
                "cannot be predicted as a whole, because the loss sums over micro-batches.");
  }
  const NetworkState::FreshCarriedStates fresh(network.state());
  for (int i = 0; i < kWarmUp; ++i)
    program->run();
  const WaitingWatch watch;
  const Clock::time_point begin = Clock::now();
  std::vector<double> times;
  for (int64_t i = 0; i < kMost; ++i) {
    if (stop.stop_requested())
      throw Error(ErrorCode::Stopped, "inference time", "the measurement was stopped.");
    const Clock::time_point start = Clock::now();
    program->run();
    const Clock::time_point end = Clock::now();
    times.push_back(std::chrono::duration<double>(end - start).count());
    if (i + 1 >= kFewest && std::chrono::duration<double>(end - begin).count() >= seconds) break;
  }
  time.wasDisturbed = watch.wasDisturbed(network.steps().device().numWorkers());
  time.repetitions = static_cast<int64_t>(times.size());
  std::ranges::sort(times);
  time.minSeconds = times.front();
  time.maxSeconds = times.back();
  time.medianSeconds = times[times.size() / 2];
  return time;
}

}  // namespace strata
