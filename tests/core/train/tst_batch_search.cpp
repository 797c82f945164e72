// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <functional>

#include "core/train/batch_search.h"

using namespace strata;

namespace {

struct Found {
  std::optional<int64_t> batch;
  int64_t largestAsked = 0;
  int asked = 0;
};

Found search(const std::function<double(int64_t)>& peakOf, size_t limit, int64_t from) {
  Found found;
  found.batch = BatchSearch(
                    [&](int64_t batch) {
                      ++found.asked;
                      found.largestAsked = std::max(found.largestAsked, batch);
                      return peakOf(batch);
                    },
                    limit)
                    .from(from);
  return found;
}

}  // namespace

TEST_SUITE("batch search") {
  TEST_CASE("the largest batch is found within 0.1%, from smaller and larger starts") {
    const auto line = [](int64_t batch) {
      return 5000.0 + 100 * static_cast<double>(batch);
    };
    for (const int64_t from : {1, 16, 64, 5000, 9950, 9951, 400'000}) {
      CAPTURE(from);
      const Found found = search(line, 1'000'000, from);
      REQUIRE(found.batch);
      CHECK(*found.batch <= 9950);
      CHECK(*found.batch >= 9940);
      CHECK(found.asked < 40);
    }
    CHECK(search(line, 5100, 64).batch == 1);
    CHECK_FALSE(search(line, 5099, 64).batch);
    CHECK(search([](int64_t) { return 1.0; }, 10, 64).batch == kMaxBatch);
  }

  TEST_CASE("if another kernel needs fewer bytes, nothing far beyond the limit is tried") {
    const auto falls = [](int64_t batch) {
      return (batch < 20 ? 10'000.0 : 100.0) * static_cast<double>(batch);
    };
    const Found found = search(falls, 1'000'000, 16);
    REQUIRE(found.batch);
    CHECK(*found.batch <= 10'000);
    CHECK(*found.batch >= 9990);
    CHECK(found.largestAsked <= 160'000);
  }
}
