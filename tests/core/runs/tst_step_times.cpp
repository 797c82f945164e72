// SPDX-License-Identifier: Apache-2.0
// Where the time of a step goes: the breakdown and its history, tables by kernel, op and layer, the
// comparison of two profiles, and advice.
#include <doctest/doctest.h>

#include "core/runs/events.h"
#include "core/runs/profile_file.h"
#include "core/runs/step_advice.h"
#include "core/runs/time_table.h"
#include "tests/support/paths.h"

using namespace strata;
using namespace std::chrono_literals;

namespace {

/// A kernel of a node; all executions take equally long.
KernelRow kernel(int instruction, const char* layer, const char* op, const char* name,
                 std::chrono::nanoseconds duration, int64_t calls) {
  KernelRow row;
  row.record.instruction = instruction;
  row.record.name = name;
  row.record.layer = layer;
  row.record.op = op;
  row.record.duration = duration;
  row.calls = calls;
  row.total = duration * calls;
  row.shortest = duration / 2;
  row.longest = duration * 2;
  row.record.flops = 4000;
  row.record.bytes = 1000;
  return row;
}

/// Two steps of 100 us: 20 us wait for data, 30, 30 and 10 us compute.
ProfileSnapshot snapshot() {
  ProfileSnapshot profile;
  profile.steps = 2;
  profile.step = 40;
  profile.stepMicroseconds = 100;
  profile.dataWaitFraction = 0.2;
  profile.forwardFraction = 0.3;
  profile.backwardFraction = 0.3;
  profile.updateFraction = 0.1;
  auto kernels = std::make_shared<KernelProfile>();
  kernels->device = "simulated:card";
  kernels->source = StepRecords::Source::Predicted;
  kernels->steps = 2;
  kernels->rows = {
      kernel(0, "a", "matmul", "gemm", 20us, 2), kernel(0, "a", "matmul", "split sum", 5us, 2),
      kernel(1, "b", "matmul", "gemm", 10us, 2), kernel(2, "b", "relu", "relu", 1us, 2),
      kernel(-1, "", "", "copy to the card", 4us, 2)};
  profile.kernels = kernels;
  return profile;
}

double sumOf(const StepBreakdown& breakdown) {
  double sum = 0;
  for (const double part : breakdown.parts)
    sum += part;
  return sum;
}

std::string textOf(const StepAdvice& advice) {
  return formatText(advice.sentence.text, advice.sentence.arguments);
}

}  // namespace

TEST_SUITE("step times") {
  TEST_CASE("the parts of a step add up") {
    const StepBreakdown breakdown = breakdownOf(snapshot());
    CHECK(breakdown.lastStep == 40);
    CHECK(breakdown.of(StepPart::Waiting) == doctest::Approx(20));
    CHECK(breakdown.of(StepPart::Forward) == doctest::Approx(30));
    CHECK(breakdown.of(StepPart::Copies) == doctest::Approx(4));
    CHECK(breakdown.of(StepPart::Host) == doctest::Approx(6));
    CHECK(sumOf(breakdown) == doctest::Approx(100));
    CHECK(breakdown.shareOf(StepPart::Update) == doctest::Approx(0.1));
  }

  TEST_CASE("communication is taken out of the phases that it is in") {
    ProfileSnapshot profile = snapshot();
    profile.communicationFraction = 0.15;
    CHECK(breakdownOf(profile).of(StepPart::Backward) == doctest::Approx(15));
    CHECK(breakdownOf(profile).of(StepPart::Communication) == doctest::Approx(15));
    CHECK(sumOf(breakdownOf(profile)) == doctest::Approx(100));
    ProfileRow row;
    row.op = "all_reduce";
    row.phase = Phase::Update;
    row.total = 3us;
    profile.rows = {row};
    // Not more than the phase has; the phase before it has the rest
    CHECK(breakdownOf(profile).of(StepPart::Update) == doctest::Approx(0));
    CHECK(breakdownOf(profile).of(StepPart::Backward) == doctest::Approx(25));
    CHECK(breakdownOf(profile).of(StepPart::Communication) == doctest::Approx(15));
  }

  TEST_CASE("a long history is thinned and keeps its order") {
    BreakdownHistory history;
    for (int64_t step = 1; step <= 100'000; ++step) {
      StepBreakdown breakdown;
      breakdown.lastStep = step;
      history.add(breakdown);
    }
    const std::vector<StepBreakdown>& all = history.all();
    CHECK(all.size() <= BreakdownHistory::kMost);
    CHECK(all.size() > BreakdownHistory::kMost / 4);
    CHECK(all.front().lastStep == 1);
    CHECK(all.back().lastStep > 99'000);
    const int64_t stride = all[1].lastStep - all[0].lastStep;
    for (size_t i = 1; i < all.size(); ++i)
      CHECK(all[i].lastStep - all[i - 1].lastStep == stride);
  }

  TEST_CASE("rows of kernels, ops and layers have the same total") {
    for (const TimeGrouping grouping :
         {TimeGrouping::Kernel, TimeGrouping::Op, TimeGrouping::Layer}) {
      double total = 0, share = 0;
      for (const TimeRow& row : timeRows(snapshot(), grouping)) {
        total += row.total;
        share += row.share;
      }
      CHECK(total == doctest::Approx(40));
      // Shares are of the step, of which 60 us are other work
      CHECK(share == doctest::Approx(0.4));
    }
    const std::vector<TimeRow> kernels = timeRows(snapshot(), TimeGrouping::Kernel);
    REQUIRE(kernels.size() == 5);
    CHECK(kernels[0].total == doctest::Approx(20));
    CHECK(kernels[0].mean == doctest::Approx(20));
    CHECK(kernels[0].shortest == doctest::Approx(10));
    CHECK(kernels[0].longest == doctest::Approx(40));
    CHECK(kernels[0].flopsPerSecond == doctest::Approx(4000 / 20e-6));
    CHECK(kernels[0].intensity() == doctest::Approx(4));
    // The second kernel of a node has no rates of its own
    CHECK(kernels[2].name == "split sum");
    CHECK(kernels[2].flopsPerSecond == 0);
    const std::vector<TimeRow> ops = timeRows(snapshot(), TimeGrouping::Op);
    REQUIRE(ops.size() == 3);
    CHECK(ops[0].name == "matmul");
    CHECK(ops[0].calls == 6);
    CHECK(ops[0].total == doctest::Approx(35));
    CHECK(ops[0].shortest == doctest::Approx(2.5));
    CHECK(ops[0].longest == doctest::Approx(40));
    // The work of both layers over their time, copies of a kernel's share included
    CHECK(ops[0].flopsPerSecond == doctest::Approx(3 * 4000 / 35e-6));
    CHECK(ops[1].isCopy);
    const std::vector<TimeRow> layers = timeRows(snapshot(), TimeGrouping::Layer);
    REQUIRE(layers.size() == 3);
    CHECK(layers[0].name == "a");
    CHECK(layers[1].name == "b");
  }

  TEST_CASE("nodes without kernels are rows, too") {
    ProfileSnapshot profile = snapshot();
    profile.kernels = nullptr;
    ProfileRow row;
    row.layer = "a";
    row.op = "matmul";
    row.implementation = "direct";
    row.calls = 2;
    row.total = 30us;
    profile.rows = {row};
    const std::vector<TimeRow> rows = timeRows(profile, TimeGrouping::Kernel);
    REQUIRE(rows.size() == 1);
    CHECK(rows[0].name == "direct");
    CHECK(rows[0].total == doctest::Approx(15));
    CHECK(rows[0].longest == 0);
    CHECK(rows[0].flopsPerSecond == 0);
  }

  TEST_CASE("two profiles are compared row by row") {
    ProfileSnapshot after = snapshot();
    auto kernels = std::make_shared<KernelProfile>(*after.kernels);
    kernels->rows[0].total = 10us * 2;
    kernels->rows.push_back(kernel(3, "c", "relu", "relu", 3us, 2));
    after.kernels = kernels;
    const std::vector<TimeDifference> rows = compareTimes(snapshot(), after, TimeGrouping::Layer);
    REQUIRE(rows.size() == 4);
    CHECK(rows[0].name == "a");
    CHECK(rows[0].change() == doctest::Approx(-10));
    CHECK(rows[1].name == "c");
    CHECK(rows[1].before == 0);
    CHECK(rows[1].after == doctest::Approx(3));
    CHECK(rows[2].change() == 0);
  }

  TEST_CASE("advice on loading names how many threads are missing") {
    ProfileSnapshot profile = snapshot();
    profile.dataWaitFraction = 0.31;
    profile.forwardFraction = 0.2;
    profile.loaderThreads = 4;
    std::vector<StepAdvice> advice = adviceOn(profile, 32, 16);
    REQUIRE(!advice.empty());
    // 4 / (1 - 0.31) = 5.8
    CHECK(textOf(advice[0]) ==
          "Waiting for data is 31% of a step, with 4 loader threads. Use 2 more.");
    REQUIRE(advice[0].fix);
    CHECK(advice[0].share == doctest::Approx(0.31));
    advice = adviceOn(profile, 32, 4);
    REQUIRE(!advice.empty());
    CHECK(textOf(advice[0]).find("although 4 threads load it on 4 cores") != std::string::npos);
    CHECK(!advice[0].fix);
    profile.loaderThreads = 0;
    for (const StepAdvice& each : adviceOn(profile, 32, 16))
      CHECK(textOf(each).find("data") == std::string::npos);
  }

  TEST_CASE("advice on kernels needs a card") {
    ProfileSnapshot profile = snapshot();
    auto kernels = std::make_shared<KernelProfile>(*profile.kernels);
    for (KernelRow& row : kernels->rows)
      row.total = row.calls * 2us;
    profile.kernels = kernels;
    profile.dataWaitFraction = 0;
    std::vector<StepAdvice> advice = adviceOn(profile, 32, 8);
    const auto isOnShort = [](const StepAdvice& each) {
      return textOf(each).find("short kernels") != std::string::npos;
    };
    CHECK(std::ranges::any_of(advice, isOnShort));
    kernels->source = StepRecords::Source::HostClock;
    CHECK(std::ranges::none_of(adviceOn(profile, 32, 8), isOnShort));
    CHECK(adviceOn(ProfileSnapshot(), 32, 8).empty());
  }

  TEST_CASE("the file keeps breakdowns, limits and extremes") {
    ProfileSnapshot profile = snapshot();
    auto kernels = std::make_shared<KernelProfile>(*profile.kernels);
    kernels->precision = "tf32";
    kernels->limits = {{{"float32", 1e12}, {"tf32", 4e12}}, 1e11, "data sheet of a card"};
    profile.kernels = kernels;
    profile.communicationFraction = 0.05;
    profile.loaderThreads = 3;
    profile.overTime = {breakdownOf(profile), breakdownOf(snapshot())};
    const TemporaryFolder folder;
    const std::string directory = (folder / "run").string();
    std::filesystem::create_directories(directory);
    writeProfile(directory, profile);
    const auto read = readProfile(directory);
    REQUIRE(read);
    CHECK(read->loaderThreads == 3);
    REQUIRE(read->overTime.size() == 2);
    CHECK(read->overTime[0].parts == profile.overTime[0].parts);
    CHECK(read->overTime[1].step == 100);
    CHECK(breakdownOf(*read).parts == breakdownOf(profile).parts);
    CHECK(read->kernels->limits.flopsOf("tf32") == 4e12);
    CHECK(read->kernels->limits.flopsOf("bfloat16") == 1e12);
    CHECK(read->kernels->limits.source == "data sheet of a card");
    const auto words = translatableSource(read->kernels->limits.source);
    REQUIRE(words);
    CHECK(formatText(words->first, words->second) == read->kernels->limits.source);
    CHECK(words->second == Arguments{"a card"});
    CHECK(!translatableSource("another text"));
    CHECK(read->kernels->rows[0].shortest == 10us);
    CHECK(read->kernels->rows[0].longest == 40us);
  }
}
