// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory/plan.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <chrono>

#include "gpu/base/error.h"
#include "gpu/base/rng.h"

using namespace strata;

namespace {

enum class Kind { Scattered, Nested, Dense };

/// Returns random ranges. Most ranges of the kind Nested end in the reverse order of their
/// beginnings, as in a training step.
std::vector<LiveRange> randomRanges(uint64_t seed, int count, Kind kind) {
  RandomStream random(seed, streamOf("ranges"));
  std::vector<LiveRange> ranges;
  for (int i = 0; i < count; ++i) {
    LiveRange range;
    range.bytes = 1 + random.below(random.below(4) == 0 ? 100000 : 3000);
    if (kind == Kind::Nested && random.below(3) != 0) {
      range.begin = i;
      range.end = 2 * count - i;
    }
    else {
      range.begin = static_cast<int>(random.below(static_cast<uint32_t>(2 * count)));
      range.end =
          range.begin +
          static_cast<int>(random.below(kind == Kind::Dense ? static_cast<uint32_t>(count) : 6));
    }
    ranges.push_back(range);
  }
  return ranges;
}

/// Simulates a plan. Each range of `truth` writes its mark when it begins. After each instant a
/// canary fills the bytes that are not live according to `believed`. Returns whether each range of
/// `truth` still contains its mark at its last instant.
bool survives(const std::vector<LiveRange>& truth, const std::vector<LiveRange>& believed,
              const ArenaPlan& plan) {
  int last = 0;
  size_t size = plan.peakBytes;
  for (size_t i = 0; i < truth.size(); ++i) {
    last = std::max(last, truth[i].end);
    size = std::max(size, plan.offsets[i] + truth[i].bytes);
  }
  constexpr int kCanary = -1;
  std::vector<int> arena(size, kCanary);
  for (int instant = 0; instant <= last; ++instant) {
    for (size_t i = 0; i < truth.size(); ++i)
      if (truth[i].begin == instant)
        std::fill_n(arena.begin() + static_cast<ptrdiff_t>(plan.offsets[i]), truth[i].bytes,
                    static_cast<int>(i));
    for (size_t i = 0; i < truth.size(); ++i) {
      if (truth[i].end != instant) continue;
      const auto first = arena.begin() + static_cast<ptrdiff_t>(plan.offsets[i]);
      if (!std::all_of(first, first + static_cast<ptrdiff_t>(truth[i].bytes),
                       [&](int mark) { return mark == static_cast<int>(i); }))
        return false;
    }
    std::vector<char> isLive(size, 0);
    for (size_t i = 0; i < believed.size(); ++i)
      if (believed[i].begin <= instant && believed[i].end > instant)
        std::fill_n(isLive.begin() + static_cast<ptrdiff_t>(plan.offsets[i]), believed[i].bytes,
                    char{1});
    for (size_t at = 0; at < size; ++at)
      if (!isLive[at]) arena[at] = kCanary;
  }
  return true;
}

double ratio(const ArenaPlan& plan) {
  return static_cast<double>(plan.peakBytes) / static_cast<double>(plan.lowerBoundBytes);
}

}  // namespace

TEST_SUITE_BEGIN("arena_plan");

TEST_CASE("plans of no range, one range, and two ranges at different times") {
  CHECK(planArena({}).peakBytes == 0);
  const std::vector<LiveRange> one{{100, 3, 5}};
  CHECK(planArena(one).peakBytes == 128);
  CHECK(planArena(one).peakInstant == 3);
  const std::vector<LiveRange> apart{{100, 0, 1}, {128, 2, 3}};
  CHECK(planArena(apart).peakBytes == 128);
  const std::vector<LiveRange> touching{{100, 0, 2}, {128, 2, 3}};
  CHECK(planArena(touching).peakBytes == 256);
  CHECK(planArena(touching).peakInstant == 2);
  const std::vector<LiveRange> empty{{0, 0, 2}, {64, 0, 3}};
  CHECK(planArena(empty).peakBytes == 64);
  CHECK_THROWS_AS(planArena(std::vector<LiveRange>{{64, 2, 1}}), Error);
}

TEST_CASE("offsets have the alignment of the device") {
  constexpr size_t kCards = 256;
  for (const auto& ranges : {std::vector<LiveRange>{{100, 0, 3}, {64, 1, 2}, {300, 1, 3}},
                             std::vector<LiveRange>{{1, 0, 9}, {1, 1, 8}, {1, 2, 7}, {0, 3, 4}}}) {
    const ArenaPlan plan = planArena(ranges, {}, kCards);
    CHECK_NOTHROW(checkArenaPlan(ranges, plan));
    for (const size_t offset : plan.offsets)
      CHECK(offset % kCards == 0);
    CHECK(plan.peakBytes >= plan.lowerBoundBytes);
    // A plan for processors does not suit cards
    ArenaPlan dense = planArena(ranges);
    dense.alignment = kCards;
    CHECK_THROWS_AS(checkArenaPlan(ranges, dense), Error);
  }
}

TEST_CASE("plans of random ranges are valid and close to the lower bound") {
  for (const Kind kind : {Kind::Scattered, Kind::Nested, Kind::Dense})
    for (uint64_t seed = 0; seed < 60; ++seed) {
      const auto ranges = randomRanges(seed, 1 + static_cast<int>(seed) * 5, kind);
      const ArenaPlan plan = planArena(ranges);
      REQUIRE_NOTHROW(checkArenaPlan(ranges, plan));
      REQUIRE(plan.peakBytes >= plan.lowerBoundBytes);
      REQUIRE(ratio(plan) < 1.35);
    }
}

TEST_CASE("nested lifetimes of a training step are packed within 1% of the lower bound") {
  for (int layers : {5, 50, 300}) {
    RandomStream random(static_cast<uint64_t>(layers), streamOf("nest"));
    std::vector<LiveRange> ranges;
    for (int i = 0; i < layers; ++i) {
      // This range is an activation that the backward pass reads.
      ranges.push_back({4096 + 64 * size_t{random.below(5000)}, i, 2 * layers - i});
      // This range is the gradient of the activation.
      ranges.push_back(
          {4096 + 64 * size_t{random.below(5000)}, 2 * layers - i, 2 * layers - i + 1});
    }
    const ArenaPlan plan = planArena(ranges);
    checkArenaPlan(ranges, plan);
    CHECK(ratio(plan) <= 1.01);
  }
}

TEST_CASE("the same ranges give the same plan") {
  const auto ranges = randomRanges(9, 200, Kind::Dense);
  CHECK(planArena(ranges).offsets == planArena(ranges).offsets);
}

TEST_CASE("canaries do not affect a correct plan") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto ranges = randomRanges(seed, 20, seed % 2 ? Kind::Nested : Kind::Dense);
    CHECK(survives(ranges, ranges, planArena(ranges)));
  }
}

TEST_CASE("a plan in which a range is 64 bytes too short or ends one op too early fails") {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const auto truth = randomRanges(seed, 20, seed % 2 ? Kind::Nested : Kind::Dense);
    RandomStream random(seed, streamOf("broken"));
    const size_t victim = random.below(20);
    auto shorter = truth;
    shorter[victim].bytes = shorter[victim].bytes > 64 ? shorter[victim].bytes - 64 : 0;
    if (truth[victim].end > truth[victim].begin)
      CHECK_FALSE(survives(truth, shorter, planArena(shorter)));
    auto earlier = truth;
    if (earlier[victim].end == earlier[victim].begin) continue;
    --earlier[victim].end;
    CHECK_FALSE(survives(truth, earlier, planArena(earlier)));
  }
}

TEST_CASE("the checker names overlapping, misplaced, misaligned and outside ranges") {
  const std::vector<LiveRange> ranges{{128, 0, 4}, {128, 2, 6}, {64, 5, 7}};
  const ArenaPlan good = planArena(ranges);
  CHECK_NOTHROW(checkArenaPlan(ranges, good));
  const auto message = [&](ArenaPlan plan) -> std::string {
    try {
      checkArenaPlan(ranges, plan);
    }
    catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  ArenaPlan plan = good;
  plan.offsets[1] = plan.offsets[0];
  CHECK(message(plan).find("range 0") != std::string::npos);
  CHECK(message(plan).find("range 1") != std::string::npos);
  plan = good;
  plan.offsets[0] += 64;
  CHECK(message(plan) != "");
  plan = good;
  plan.offsets[2] += 8;
  CHECK(message(plan).find("aligned") != std::string::npos);
  plan = good;
  plan.peakBytes -= 64;
  CHECK(message(plan).find("end") != std::string::npos);
  plan = good;
  plan.lowerBoundBytes -= 64;
  CHECK(message(plan).find("bound") != std::string::npos);
  plan = good;
  plan.offsets.pop_back();
  CHECK(message(plan).find("offsets") != std::string::npos);
}

TEST_CASE("ten thousand ranges take well under a second") {
  const auto ranges = randomRanges(3, 10000, Kind::Nested);
  const auto start = std::chrono::steady_clock::now();
  const ArenaPlan plan = planArena(ranges);
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  MESSAGE("10,000 ranges: ", seconds.count(), " s, ", ratio(plan), " times the bound");
  checkArenaPlan(ranges, plan);
#if defined(NDEBUG) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  // The limit is larger than needed because the machine may be busy.
  CHECK(seconds.count() < 3.0);
#endif
}

TEST_SUITE_END();
