// SPDX-License-Identifier: Apache-2.0
// Tests with given times that sampling takes at most its share of the time of steps.
#include <cmath>
#include <vector>

#include <doctest/doctest.h>

#include "core/layer_statistics/sampling_pace.h"

using namespace strata;
using std::chrono::microseconds;

namespace {

/// Trains with these times, and returns the sampled steps. Checks the share after each sampling
/// except the first one.
template <class StepTime, class SamplingTime>
std::vector<int64_t> sampledSteps(SamplingPace& pace, int64_t steps, StepTime stepTime,
                                  SamplingTime samplingTime, double maxShare) {
  std::vector<int64_t> sampled;
  for (int64_t step = 1; step <= steps; ++step) {
    const bool isSampled = pace.isDue(step);
    pace.addStep(stepTime(step));
    if (!isSampled) continue;
    pace.addSampling(step, samplingTime(step));
    sampled.push_back(step);
    if (sampled.size() > 1) CHECK(pace.share() <= maxShare);
  }
  return sampled;
}

}  // namespace

TEST_SUITE("layer_statistics") {
  TEST_CASE("sampling takes at most 3% of the time of steps, and uses the share") {
    SamplingPace pace;
    pace.begin(0);
    const std::vector<int64_t> sampled = sampledSteps(
        pace, 20000, [](int64_t) { return microseconds(1000); },
        [](int64_t) { return microseconds(4000); }, 0.03);
    CHECK(sampled.front() == 1);
    CHECK(pace.share() <= 0.03);
    CHECK(pace.share() > 0.029);
    // 4 ms are 3% of 134 steps
    CHECK(std::abs(static_cast<double>(sampled.size()) - 20000 * 0.03 / 4) < 3);
  }

  TEST_CASE("a sampling that becomes slower exceeds the share only once, by its own length") {
    SamplingPace pace;
    pace.begin(0);
    const std::vector<int64_t> sampled = sampledSteps(
        pace, 50000, [](int64_t) { return microseconds(100); },
        [](int64_t step) { return microseconds(step < 20000 ? 300 : 3000); }, 0.04);
    CHECK(pace.share() <= 0.03);
    CHECK(sampled.size() > 100);
  }

  TEST_CASE("steps that become faster are sampled less often") {
    SamplingPace pace;
    pace.begin(0);
    sampledSteps(
        pace, 30000, [](int64_t step) { return microseconds(step < 10000 ? 2000 : 100); },
        [](int64_t) { return microseconds(5000); }, 0.03);
    CHECK(pace.share() <= 0.03);
  }

  TEST_CASE("cheap samplings keep the smallest interval") {
    SamplingPace pace;
    pace.begin(100);
    CHECK_FALSE(pace.isDue(100));
    const std::vector<int64_t> sampled = sampledSteps(
        pace, 300, [](int64_t) { return microseconds(100000); },
        [](int64_t) { return microseconds(1); }, 0.03);
    REQUIRE(sampled.size() == 20);
    CHECK(sampled[0] == 101);
    CHECK(sampled[1] == 101 + SamplingPace::kMinInterval);
  }

  TEST_CASE("a run is long enough for its first sampling, or the user asks for it") {
    CHECK(SamplingPace::fitsInto(1000));
    CHECK_FALSE(SamplingPace::fitsInto(999));
    SamplingPace pace;
    pace.begin(0);
    pace.addStep(microseconds(100));
    pace.addSampling(1, microseconds(1000));
    CHECK_FALSE(pace.isDue(11));
    pace.ask(2);
    CHECK(pace.isDue(3));
    pace.addSampling(3, microseconds(1000));
    CHECK_FALSE(pace.isDue(20));
  }

  TEST_CASE("a fixed interval does not depend on time") {
    SamplingPace pace;
    pace.begin(0, 3);
    const std::vector<int64_t> sampled = sampledSteps(
        pace, 10, [](int64_t) { return microseconds(1); },
        [](int64_t) { return microseconds(1000); }, 1e9);
    CHECK(sampled == std::vector<int64_t>{1, 4, 7, 10});
  }
}
