// SPDX-License-Identifier: Apache-2.0
// The events of a run that curves mark: changed settings, stages, checkpoints and continuations.
// Not here: writing the events (event_log.h), drawing the marks (ui/plots).
// Thread: plain values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/project/json.h"

namespace strata {

struct CheckpointSaved;
struct SettingChanged;

struct RunMark {
  enum class Kind : uint8_t { Setting, Stage, Checkpoint, BestWeights, Continuation };
  Kind kind = Kind::Setting;
  // A setting has its new value from this update on. A checkpoint or a continuation contains the
  // updates up to this one.
  int64_t step = 0;
  // The setting, the stage, or the metric that selected the best weights
  std::string name = {};
  // The value of the setting or of the metric, or the number of the stage
  double value = 0;
  // What changed the setting: "" for the user, otherwise as SettingChanged::cause
  std::string cause = {};
  bool operator==(const RunMark&) const = default;
};

RunMark markOf(const SettingChanged& setting);
RunMark markOf(const CheckpointSaved& checkpoint);

/// Adds a mark. Of many checkpoints, only some are kept: at most about 1000, spread over the run.
void addMark(std::vector<RunMark>& marks, RunMark mark);
/// Adds the mark of a line of events.jsonl, if it has one. Values of the wrong type are skipped.
void addMarkOfEvent(std::vector<RunMark>& marks, const Json& event);

}  // namespace strata
