// SPDX-License-Identifier: Apache-2.0
#include "core/runs/run_marks.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/runs/events.h"

namespace strata {

namespace {

// More changes of settings than a person can make
constexpr size_t kMaxMarks = 10'000;
constexpr int64_t kMaxCheckpoints = 1000;

bool isCheckpoint(const RunMark& mark) { return mark.kind == RunMark::Kind::Checkpoint; }

int64_t integerIn(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_number_integer() ? found->get<int64_t>() : -1;
}

std::string textIn(const Json& event, const char* key) {
  const auto found = event.find(key);
  return found != event.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

RunMark markOf(const SettingChanged& setting) {
  if (setting.name == "stage")
    return {RunMark::Kind::Stage, setting.step, setting.cause, setting.value, {}};
  return {RunMark::Kind::Setting, setting.step, setting.name, setting.value, setting.cause};
}

RunMark markOf(const CheckpointSaved& checkpoint) {
  if (checkpoint.isBest)
    return {RunMark::Kind::BestWeights, checkpoint.step, checkpoint.monitor, checkpoint.value, {}};
  return {RunMark::Kind::Checkpoint, checkpoint.step};
}

void addMark(std::vector<RunMark>& marks, RunMark mark) {
  const bool isNewCheckpoint = isCheckpoint(mark);
  if (!isNewCheckpoint && marks.size() >= kMaxMarks) return;
  marks.push_back(std::move(mark));
  if (!isNewCheckpoint || std::ranges::count_if(marks, isCheckpoint) <= kMaxCheckpoints) return;
  // Every second one goes
  bool isKept = false;
  std::erase_if(marks, [&](const RunMark& each) {
    if (!isCheckpoint(each)) return false;
    isKept = !isKept;
    return !isKept;
  });
}

void addMarkOfEvent(std::vector<RunMark>& marks, const Json& event) {
  const std::string kind = textIn(event, "event");
  const auto valueOf = [](const Json& from) {
    const auto found = from.find("value");
    return found != from.end() && found->is_number() ? found->get<double>() : 0.0;
  };
  if (kind == "setting") {
    addMark(marks, markOf(SettingChanged{integerIn(event, "step"), textIn(event, "name"),
                                         valueOf(event), textIn(event, "cause")}));
  }
  else if (kind == "checkpoint") {
    CheckpointSaved saved;
    saved.step = integerIn(event, "step");
    if (const auto best = event.find("best"); best != event.end() && best->is_object()) {
      saved.isBest = true;
      saved.monitor = textIn(*best, "monitor");
      saved.value = valueOf(*best);
    }
    addMark(marks, markOf(saved));
  }
  else if (kind == "start" && integerIn(event, "first_step") > 0) {
    addMark(marks, {RunMark::Kind::Continuation, integerIn(event, "first_step")});
  }
}

}  // namespace strata
