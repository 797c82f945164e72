// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "core/runs/events.h"
#include "core/runs/layer_times.h"

using namespace strata;

TEST_SUITE("times of layers") {
  TEST_CASE("a Block includes its layers, and updates belong to no layer") {
    LayerTimes times;
    times.add("conv", Phase::Forward, 10);
    times.add("conv", Phase::Backward, 20);
    times.add("conv", Phase::Update, 4);
    times.add("", Phase::Forward, 3);
    times.add("b/0/d", Phase::Forward, 1);
    times.add("b/1/d", Phase::Backward, 2);
    CHECK(times.of("conv") == 30);
    CHECK(times.of("b") == 3);
    CHECK(times.of("b/d") == 3);
    CHECK(times.of("b/0/d") == 1);
    CHECK(times.of("b/1/d") == 2);
    CHECK(times.of("absent") == 0);
    CHECK(times.update == 4);
    CHECK(times.other == 3);
    // Equal sums have equal digits
    LayerTimes many;
    for (int i = 0; i < 10; ++i)
      many.add("x", Phase::Forward, 0.1);
    CHECK(many.of("x") == 1);
  }

  TEST_CASE("the times of a profile are means of its steps") {
    ProfileSnapshot profile;
    CHECK(layerTimesOf(profile).byLayer.empty());
    profile.steps = 4;
    profile.stepMicroseconds = 9;
    profile.rows.resize(2);
    profile.rows[0].layer = "a";
    profile.rows[0].total = std::chrono::nanoseconds(20'000);
    profile.rows[1].phase = Phase::Update;
    profile.rows[1].total = std::chrono::nanoseconds(16'000);
    const LayerTimes times = layerTimesOf(profile);
    CHECK(times.of("a") == 5);
    CHECK(times.update == 4);
    CHECK(times.step == 9);
  }
}
