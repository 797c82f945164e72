// SPDX-License-Identifier: Apache-2.0
// Tests predictions for several devices: their times follow from buckets, links and algorithms.
#include <doctest/doctest.h>

#include "core/train/replica_plan.h"
#include "gpu/base/error.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("plans for several devices") {
  TEST_CASE("the backward pass hides sums that are there early") {
    // 1 s of computing, and a sum of 1 MB at 0.2 s and at 1 s
    const TimedStep step{{{1'000'000, 0.2}, {1'000'000, 1}}, 1, 0.1};
    const LinkSpeed slow{"slow", 2e6, 0}, fast{"fast", 1e12, 0};
    // Two replicas send half of the bytes in each of two rounds
    const ReplicaPrediction two = predictOver(step, 2, slow, false);
    CHECK(two.algorithm == "shares");
    CHECK(two.communicationSeconds == doctest::Approx(1));
    CHECK(two.exposedSeconds == doctest::Approx(0.5));
    CHECK(two.stepSeconds == doctest::Approx(1.6));
    CHECK(two.efficiency() == doctest::Approx(1.1 / 1.6));
    // Four send three quarters twice, so the first sum delays the second one
    const ReplicaPrediction four = predictOver(step, 4, slow, false);
    CHECK(four.communicationSeconds == doctest::Approx(1.5));
    CHECK(four.exposedSeconds == doctest::Approx(0.75));
    CHECK(predictOver(step, 4, fast, false).stepSeconds == doctest::Approx(1.1));
  }

  TEST_CASE("cards use rings for large sums, and trees for many cards with small ones") {
    const LinkSpeed link{"link", 1e9, 1e-5};
    const TimedStep large{{{1'000'000'000, 0}}, 0, 0}, small{{{1000, 0}}, 0, 0};
    CHECK(predictOver(large, 8, link, true).algorithm == "ring");
    CHECK(predictOver(large, 8, link, true).stepSeconds == doctest::Approx(1.75).epsilon(0.01));
    CHECK(predictOver(small, 64, link, true).algorithm == "tree");
    CHECK(predictOver(small, 64, link, true).stepSeconds == doctest::Approx(122e-6).epsilon(0.01));
  }

  TEST_CASE("a plan measures a share of the batch, and knows the sums of the step") {
    const CheckedProject project(smallProject());
    ReplicaPlanOptions options;
    options.device = "cpu";
    options.threads = 1;
    const std::vector<LinkSpeed> links{networkOf(1), networkOf(0.001)};
    const auto plans = planReplicas(project, 4, links, options);
    REQUIRE(plans.size() == 2);
    CHECK(plans[0].computeSeconds > 0);
    CHECK(plans[0].computeSeconds == plans[1].computeSeconds);
    // 1.5 times 1,956 bytes, the loss and two statistics over 75 kB/s
    CHECK(plans[1].exposedSeconds == doctest::Approx(0.04).epsilon(0.2));
    CHECK(plans[1].efficiency() < 0.5);
    CHECK_THROWS_WITH_AS(planReplicas(project, 17, links, options),
                         doctest::Contains("has fewer samples than 17 replicas"), Error);
  }
}
