// SPDX-License-Identifier: Apache-2.0
// Tests the figures of collectives: sums by kind, bus bandwidth, and the JSON that keeps them.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/runs/replica_figures.h"

using namespace strata;

namespace {

/// Two steps of four devices.
ReplicaReport report() {
  ReplicaReport report;
  report.steps = 2;
  for (const char* name : {"cpu:0", "cpu:1", "cpu:2", "cpu:3"})
    report.replicas.push_back({.name = name, .computeSeconds = 1});
  // 1000 bytes in each of 4 calls, which take 4 us, of which 1 us is waiting
  report.collectives.push_back({"all_reduce", 0, 4, 1000, 4e-6, 16e-6, 4e-6});
  report.collectives.push_back({"all_reduce", 1, 2, 3000, 3e-6, 6e-6, 0});
  report.collectives.push_back({"all_gather", 2, 2, 4000, 40e-6, 80e-6, 20e-6});
  return report;
}

}  // namespace

TEST_SUITE("replica figures") {
  TEST_CASE("bus bandwidth is that of nccl-tests, without the time of waiting") {
    const ReplicaReport all = report();
    // 2 (n - 1) / n of the bytes for a sum, (n - 1) / n for gathering
    CHECK(all.collectives[0].busBytesPerSecond(4) == doctest::Approx(1.5 * 1000 / 3e-6));
    CHECK(all.collectives[2].busBytesPerSecond(4) == doctest::Approx(0.75 * 4000 / 30e-6));
    CHECK(CollectiveFigures{"receive", 0, 1, 100, 0, 1e-6, 0}.busBytesPerSecond(2) ==
          doctest::Approx(100 / 1e-6));
    // A run of an earlier version has no times
    CHECK(CollectiveFigures{"all_reduce", 0, 4, 1000, 4e-6}.busBytesPerSecond(4) == 0);
  }

  TEST_CASE("the collectives of a step are added up by kind, the longest first") {
    const std::vector<CollectiveSum> sums = collectiveSums(report());
    REQUIRE(sums.size() == 2);
    CHECK(sums[0].op == "all_gather");
    CHECK(sums[1].op == "all_reduce");
    CHECK(sums[1].calls == 3);
    CHECK(sums[1].bytes == 5000);
    CHECK(sums[1].seconds == doctest::Approx(11e-6));
    CHECK(sums[1].waitingSeconds == doctest::Approx(2e-6));
    // 4 calls of 1000 bytes in 12 us, and 2 of 3000 bytes in 6 us
    CHECK(sums[1].busBytesPerSecond == doctest::Approx(1.5 * 10000 / 18e-6));
  }

  TEST_CASE("what one device alone does counts for its share of the devices") {
    ReplicaReport all = report();
    all.collectives = {{"receive", 0, 2, 100, 4e-6, 8e-6, 4e-6, 0.25}};
    for (const ReplicaReport& each : {all, replicaReportFromJson(toJson(all))}) {
      const CollectiveSum sum = collectiveSums(each).at(0);
      CHECK(sum.calls == 0.25);
      CHECK(sum.bytes == 25);
      CHECK(sum.seconds == doctest::Approx(1e-6));
      CHECK(sum.waitingSeconds == doctest::Approx(0.5e-6));
      CHECK(sum.busBytesPerSecond == doctest::Approx(100 / 2e-6));
    }
  }

  TEST_CASE("JSON keeps the figures, and reads those of earlier versions") {
    ReplicaReport all = report();
    all.equalStep = 500;
    const ReplicaReport read = replicaReportFromJson(toJson(all));
    REQUIRE(read.collectives.size() == 3);
    CHECK(read.collectives[2].totalSeconds == doctest::Approx(80e-6));
    CHECK(read.collectives[2].waitingSeconds == doctest::Approx(20e-6));
    CHECK(read.equalStep == 500);
    Json old = toJson(report());
    CHECK_FALSE(old.contains("equal_after_step"));
    for (Json& each : old["collectives"]) {
      each.erase("total_us");
      each.erase("waiting_us");
    }
    const ReplicaReport earlier = replicaReportFromJson(old);
    CHECK(earlier.collectives[0].totalSeconds == 0);
    CHECK(collectiveSums(earlier)[0].seconds == 0);
    CHECK_FALSE(earlier.equalStep);
  }
}
