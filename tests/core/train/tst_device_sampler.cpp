// SPDX-License-Identifier: Apache-2.0
// Samples of the device during a run.
#include <doctest/doctest.h>

#include <atomic>
#include <stdexcept>

#include "core/train/device_sampler.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

struct SampleRecorder : Recorder {
  void onDeviceState(const DeviceSample& sample) override {
    CHECK(outcomes == 0);
    samples.push_back(sample);
  }
  std::vector<DeviceSample> samples;
};

}  // namespace

TEST_SUITE("device sampler") {
  TEST_CASE("a sampler reads at once, again and again, and at the end") {
    std::atomic<size_t> reads{0};
    DeviceSampler sampler(
        "card", true,
        [&] {
          DeviceState state;
          state.ownBytes = ++reads;
          return state;
        },
        10, 1ms);
    while (reads < 3)
      std::this_thread::yield();
    sampler.stop();
    REQUIRE(sampler.hasSamples());
    const std::vector<DeviceSample> samples = sampler.take();
    CHECK_FALSE(sampler.hasSamples());
    CHECK(samples.size() == reads);
    double last = 10;
    for (size_t i = 0; i < samples.size(); ++i) {
      CHECK(samples[i].state.ownBytes == i + 1);
      CHECK(samples[i].device == "card");
      CHECK(samples[i].isSimulated);
      CHECK(samples[i].seconds >= last);
      last = samples[i].seconds;
    }
    CHECK(sampler.summary().samples == static_cast<int64_t>(samples.size()));
    CHECK(sampler.summary().ownPeakBytes == samples.size());
  }

  TEST_CASE("a paused sampler takes no sample but the last one, and its time stands still") {
    std::atomic<int> reads{0};
    const auto begin = std::chrono::steady_clock::now();
    DeviceSampler sampler(
        "cpu", false,
        [&] {
          ++reads;
          return DeviceState();
        },
        0, 1ms);
    sampler.setPaused(true);
    const std::chrono::duration<double> atMost = std::chrono::steady_clock::now() - begin;
    // At most one reading has begun before the pause
    std::this_thread::sleep_for(20ms);
    CHECK(reads <= atMost.count() * 1000 + 2);
    int before = -1;
    for (int tries = 0; tries < 50 && reads != before; ++tries) {
      before = reads;
      std::this_thread::sleep_for(50ms);
    }
    CHECK(reads == before);
    sampler.stop();
    CHECK(reads == before + 1);
    CHECK(sampler.take().back().seconds <= atMost.count());
  }

  TEST_CASE("a reading that fails ends the samples, but not the run") {
    DeviceSampler sampler(
        "cpu", false, []() -> DeviceState { throw std::runtime_error("no"); }, 0, 1ms);
    sampler.stop();
    CHECK(sampler.take().empty());
  }

  TEST_CASE("a run has samples, in its events, its outcome and its profile") {
    const TemporaryFolder folder;
    SampleRecorder recorder;
    SessionOptions options = optionsFor(smallProject(), folder / "run");
    options.isProfiling = true;
    const RunOutcome outcome = trainAll(options, recorder);
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    REQUIRE_FALSE(recorder.samples.empty());
    CHECK(recorder.samples.front().device == "reference");
    CHECK(recorder.samples.front().state.ownBytes);
    REQUIRE(outcome.devices.size() == 1);
    CHECK(outcome.devices[0].samples == static_cast<int64_t>(recorder.samples.size()));
    CHECK_FALSE(readDeviceSamples((folder / "run").string()).empty());
    REQUIRE(recorder.profile);
    REQUIRE(recorder.profile->devices.size() == 1);
    CHECK(recorder.profile->devices[0].samples == outcome.devices[0].samples);
  }

  TEST_CASE("a run that fails keeps its samples") {
    SampleRecorder recorder;
    const Project project = smallProjectWith({{"/training/optimizer/learning_rate", "1e30"}});
    const RunOutcome outcome = trainAll(optionsFor(project), recorder);
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK_FALSE(recorder.samples.empty());
    CHECK(outcome.devices.size() == 1);
  }
}
