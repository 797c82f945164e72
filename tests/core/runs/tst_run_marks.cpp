// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/runs/events.h"
#include "core/runs/run_marks.h"

using namespace strata;

TEST_SUITE("run marks") {
  TEST_CASE("events of settings, stages, checkpoints and continuations are marks") {
    std::vector<RunMark> marks;
    for (const char* line :
         {R"({"event":"start","first_step":0})", R"({"event":"epoch","step":3})",
          R"({"event":"setting","step":5,"name":"learning_rate","value":0.5})",
          R"({"event":"setting","step":7,"name":"learning_rate","value":0.1,"cause":"plateau"})",
          R"({"event":"setting","step":9,"name":"stage","value":2,"cause":"fine"})",
          R"({"event":"checkpoint","step":10})",
          R"({"event":"checkpoint","step":12,"best":{"monitor":"val_loss","value":0.25}})",
          R"({"event":"start","first_step":12})", R"({"event":"setting","step":"x","value":[]})"})
      addMarkOfEvent(marks, Json::parse(line));
    using Kind = RunMark::Kind;
    REQUIRE(marks.size() == 7);
    CHECK(marks[0] == RunMark{Kind::Setting, 5, "learning_rate", 0.5, ""});
    CHECK(marks[1] == RunMark{Kind::Setting, 7, "learning_rate", 0.1, "plateau"});
    CHECK(marks[2] == RunMark{Kind::Stage, 9, "fine", 2, ""});
    CHECK(marks[3] == RunMark{Kind::Checkpoint, 10});
    CHECK(marks[4] == RunMark{Kind::BestWeights, 12, "val_loss", 0.25, ""});
    CHECK(marks[5] == RunMark{Kind::Continuation, 12});
  }

  TEST_CASE("a run with very many checkpoints keeps some of all parts, and every setting") {
    std::vector<RunMark> marks;
    for (int64_t step = 1; step <= 50'000; ++step) {
      CheckpointSaved saved;
      saved.step = step;
      addMark(marks, markOf(saved));
      if (step % 1000 == 0) addMark(marks, markOf(SettingChanged{step, "learning_rate", 0.1}));
    }
    const auto numSettings = std::ranges::count(marks, RunMark::Kind::Setting, &RunMark::kind);
    CHECK(numSettings == 50);
    CHECK(marks.size() <= 1050);
    CHECK(marks.size() >= 500);
    const auto inFirstHalf =
        std::ranges::count_if(marks, [](const RunMark& mark) { return mark.step < 25'000; });
    CHECK(inFirstHalf > 10);
  }
}
