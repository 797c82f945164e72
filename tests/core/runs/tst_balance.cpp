// SPDX-License-Identifier: Apache-2.0
// Warnings of devices that are out of balance.
#include <doctest/doctest.h>

#include "core/runs/balance.h"

using namespace strata;

namespace {

ReplicaFigures device(const char* name, double compute, double waiting, size_t bytes) {
  ReplicaFigures figures;
  figures.name = name;
  figures.computeSeconds = compute;
  figures.waitingSeconds = waiting;
  figures.bytes[0] = bytes;
  return figures;
}

std::vector<std::string> warningsOf(const ReplicaReport& report) {
  std::vector<std::string> warnings;
  for (const Phrase& phrase : imbalances(report))
    warnings.push_back(formatText(phrase.text, phrase.arguments));
  return warnings;
}

}  // namespace

TEST_SUITE("balance") {
  TEST_CASE("equal devices have no warning, and neither has a single one") {
    CHECK(warningsOf({10, {device("a", 1, 0.02, 100), device("b", 1.01, 0.01, 105)}, {}, {}})
              .empty());
    CHECK(warningsOf({10, {device("a", 1, 9, 100)}, {}, {}}).empty());
    CHECK(warningsOf({}).empty());
  }

  TEST_CASE("each difference has its sentence") {
    const auto warnings = warningsOf(
        {10,
         {device("a", 1, 0.5, 100), device("b", 1.09, 0.4, 100), device("c", 1.5, 0, 150)},
         {},
         {}});
    REQUIRE(warnings.size() == 3);
    CHECK(warnings[0] == "c is 44% slower than the others, which wait for it.");
    CHECK(warnings[1] == "c needs 50% more memory than a.");
    CHECK(warnings[2] == "The devices wait for each other during 20% of a step.");
  }
}
