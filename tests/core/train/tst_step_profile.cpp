// SPDX-License-Identifier: Apache-2.0
// Times of steps: what a short last batch counts in.
#include <doctest/doctest.h>

#include "core/train/network.h"
#include "core/train/step_profile.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("step profile") {
  TEST_CASE("a short last batch counts in the totals, and the mean of plain steps is of full batches") {
    Network network(smallProject(), {});
    network.prepare({16}, {});
    StepProfile profile;
    const std::array<std::chrono::nanoseconds, 3> full{300us, 400us, 200us}, brief{30us, 40us, 20us};
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
}
