// SPDX-License-Identifier: Apache-2.0
// What a run changes in its own copy of the project while it trains: stages set which layers learn,
// settings take other values at a step. The step is then compiled anew from the copy. Settings are
// the fields whose schema says isLive, by name: of the optimizer "learning_rate", "clipnorm", ...,
// of a layer "<layer>/<field>" ("drop/rate", "stage/rnn/recurrent_dropout", of a layer in a
// Bidirectional "both/layer/dropout"). Thread: pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/layers/schema.h"
#include "core/project/project.h"
#include "core/recipe/schedules.h"

namespace strata {

/// A part of training in which some layers learn and the others do not.
struct TrainStage {
  std::string name;
  // How long; neither: to the end of training
  std::optional<int64_t> epochs, steps;
  // These layers alone learn; absent: as the layers say
  std::optional<std::vector<std::string>> trainable;
  // And these do not
  std::vector<std::string> frozen;
  // Of its first update; absent: it goes on
  std::optional<double> learningRate;
  // By updates since the stage's start; empty: the rate is constant
  RateSchedule schedule;
  bool resetsOptimizer = false;
};

const Schema& stageSchema();
const Schema& changeSchema();
// The same for fields that hold them.
std::span<const Schema* const> stageSchemas();
std::span<const Schema* const> changeSchemas();
/// /training/stages. `epochs`: of all of training, for stages that would never begin.
std::vector<TrainStage> readStages(const Json& given, const Project& project, int64_t epochs,
                                   Diagnostics& diagnostics);
/// Sets `trainable` of the layers of a document as the stage wants them.
void applyStage(Json& document, const TrainStage& stage);
/// A setting that is another from update `step` on.
struct LiveChange {
  int64_t step = 0;
  std::string name;
  // 0 of clipping and weight decay: off
  double value = 0;
  // It has been applied and told
  bool isDone = false;
  // By the project
  bool isPlanned = false;
};

/// Into the order of their steps. Of two of one setting for the same step the later one counts, but
/// the project's own stay where a checkpoint tells of them again.
void insertChange(std::vector<LiveChange>& changes, const LiveChange& change);

/// /training/changes, in the order of their steps.
std::vector<LiveChange> readChanges(const Json& given, const Project& project,
                                    Diagnostics& diagnostics);
/// Is `name` a setting of this document, and the value in its range? `where`: what problems point
/// at.
bool checkChange(const Json& document, const std::string& name, double value,
                 const std::string& where, Diagnostics& diagnostics);
/// Requires: checkChange(). The learning rate is no part of it: it enters each step as a number.
void applyChange(Json& document, const std::string& name, double value);
/// The settings of a document that can change while it trains.
std::vector<std::string> changeableSettings(const Json& document);
/// Their numbers, 0 of what is off. A learning rate that is a schedule is left out.
std::map<std::string, double, std::less<>> liveSettings(const Json& document);
/// What decides which memory a setting takes: 0 (off), 1 (all of it, of a dropout), else 0.5.
double levelOf(double setting);
/// The document with its settings' levels in place of them, and no learning rate: equal documents
/// take the same memory.
Json levelled(Json document);

/// The project as each of its stages trains it, with the learning rate that it begins with; without
/// stages itself alone.
std::vector<Project> stageProjects(const Project& project, const std::vector<TrainStage>& stages);

/// How long a run is and where it stands, in updates.
struct RunSpan {
  // Also where the data is not known
  int64_t stepsPerEpoch = 1;
  int64_t lastStep = INT64_MAX;
  // That are done
  int64_t step = 0;
  // The present one, from 0
  int64_t stage = 0;
  // Of the present one, 0 or more; absent: all of it
  std::optional<int64_t> stageStepsLeft{};
};

/// A part of a run: what its steps compute is the same.
struct RunPart {
  // As it trains then
  Project project;
  // From 1; 0: the project has none
  int64_t stage = 0;
  // The first update, where it begins with a change and not with its stage
  int64_t fromStep = 0;
};

/// The parts of a run from where it stands to its end, in their order. One that takes the same
/// memory as another before it, by levelled(), is left out.
std::vector<RunPart> runParts(const Project& project, const std::vector<TrainStage>& stages,
                              const std::vector<LiveChange>& changes, const RunSpan& span);

/// For checkpoints. Fails: InvalidFile naming `file`.
std::string textOfChanges(const std::vector<LiveChange>& changes);
std::vector<LiveChange> changesOfText(const std::string& text, const std::string& file);

/// The layers of a document as "layer" and "block/layer".
std::vector<std::string> layerPaths(const Json& document);

}  // namespace strata
