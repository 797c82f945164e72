// SPDX-License-Identifier: Apache-2.0
// The reference files of the shared folder through layers, losses, optimizers, metrics and trainings, on every device.
#include <doctest/doctest.h>

#include <map>
#include <set>

#include "core/verify/verify.h"
#include "tests/support/paths.h"

using namespace strata;

TEST_SUITE("golden") {
  TEST_CASE("every case whose types this build has passes") {
    if (sharedDir().empty()) {
      MESSAGE("skipped: the shared folder with the reference cases is absent");
      return;
    }
    // Passed at least: a case must not become skipped unnoticed.
    const std::map<std::string, int> passed{{"layers", 62}, {"losses", 16},   {"optimizers", 14},
                                            {"metrics", 5}, {"trainings", 5}, {"schedules", 0}};
    for (const std::string device : {"reference", "cpu"}) {
      for (const auto& [name, least] : passed) {
        CAPTURE(device);
        CAPTURE(name);
        const VerifyReport report = verifyManifest((sharedDir() / "golden" / (name + ".json")).string(), device);
        int count = 0;
        for (const VerifyRow& row : report.rows) {
          count += row.state == VerifyRow::State::Passed;
          CHECK_MESSAGE(row.state != VerifyRow::State::Failed, row.id, " is off by ", row.largestError, " (at most ", row.tolerance,
                        "): ", row.message);
        }
        CHECK(count >= least);
      }
    }
  }

  TEST_CASE("a wrong expectation fails and a missing type is skipped by name") {
    if (sharedDir().empty()) return;
    const VerifyReport schedules = verifyManifest((sharedDir() / "golden/schedules.json").string(), "reference");
    REQUIRE_FALSE(schedules.rows.empty());
    CHECK(schedules.rows[0].state == VerifyRow::State::Skipped);
    CHECK(schedules.rows[0].message == "ExponentialDecay");
  }
}
