// SPDX-License-Identifier: Apache-2.0
// Tests profiles of training steps. The smaller last batch must not change the mean time of a step.
#include <doctest/doctest.h>

#include "core/train/network.h"
#include "core/train/step_profile.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("step profile") {
  TEST_CASE("a smaller last batch counts in the totals, but not in the mean of steps") {
    Network network(smallProject(), {});
    network.prepare({16}, {});
    StepProfile profile;
    const std::array<std::chrono::nanoseconds, 3> full{300us, 400us, 200us},
        brief{30us, 40us, 20us};
    profile.add(false, true, 1000us, 100us, full, 0);
    profile.add(false, true, 1000us, 100us, full, 0);
    profile.add(false, false, 100us, 10us, brief, 0);
    CHECK(profile.phases().steps == 3);
    CHECK(profile.phases().stepSeconds == doctest::Approx(2.1e-3));
    CHECK(profile.phases().forwardSeconds == doctest::Approx(0.63e-3));
    const auto snapshot = profile.takeSnapshot(network.trainProgram(16), 3, false, true);
    REQUIRE(snapshot);
    CHECK(snapshot->stepMicroseconds == doctest::Approx(1000));
    CHECK(snapshot->backwardFraction == doctest::Approx(0.4));
    CHECK(snapshot->dataWaitFraction == doctest::Approx(0.1));
  }

  TEST_CASE("a run's profile is the mean of its parts, weighted by measured steps") {
    Network network(smallProject(), {});
    network.prepare({16}, {});
    Program& program = network.trainProgram(16);
    StepProfile profile;
    CHECK(!profile.ofRun());
    network.state().initialize(1);
    program.setProfiling(true);
    const auto addPart = [&](int measured, std::chrono::nanoseconds step,
                             std::chrono::nanoseconds data) {
      profile.add(false, true, step, data, {step / 5, step / 5, step / 5}, 0);
      for (int i = 0; i < measured; ++i) {
        setStep(program, i + 1, 1e-4, 1, 0, 1);
        REQUIRE(program.run() == Program::Outcome::Done);
        profile.add(true, true, step, data, {step / 5, step / 5, step / 5}, 0);
      }
      return profile.takeSnapshot(program, measured, true, true);
    };
    const auto first = addPart(1, 1000us, 100us);
    REQUIRE(first);
    const auto last = addPart(3, 3000us, 600us);
    REQUIRE(last);
    CHECK(last->stepMicroseconds == doctest::Approx(3000));
    const auto all = profile.ofRun();
    REQUIRE(all);
    CHECK(all->steps == 4);
    CHECK(all->step == 3);
    CHECK(all->stepMicroseconds == doctest::Approx(2500));
    CHECK(all->dataWaitFraction == doctest::Approx((100 + 3 * 600) / 10000.0));
    REQUIRE(all->rows.size() == first->rows.size());
    REQUIRE(!all->rows.empty());
    for (size_t i = 0; i < all->rows.size(); ++i) {
      CHECK(all->rows[i].calls == 4);
      CHECK(all->rows[i].total == first->rows[i].total + last->rows[i].total);
    }
  }
}
