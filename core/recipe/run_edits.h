// SPDX-License-Identifier: Apache-2.0
// What a run changes in its own copy of the project during training: stages decide which layers
// learn, settings change at a step. The step is then recompiled from the copy. Settings are the
// fields whose schema has isLive: "learning_rate", "clipnorm", ... of the optimizer, and
// "<layer>/<field>" of a layer ("drop/rate", "stage/rnn/recurrent_dropout", in a Bidirectional
// "both/layer/dropout").
// Thread: pure.
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

/// A phase of training in which some layers learn and the others do not.
struct TrainStage {
  std::string name;
  // Length; neither: to the end of training
  std::optional<int64_t> epochs, steps;
  // The only layers that learn; absent: as set in the layers
  std::optional<std::vector<std::string>> trainable;
  // Layers that do not learn
  std::vector<std::string> frozen;
  // Learning rate of the first update; absent: unchanged
  std::optional<double> learningRate;
  // Schedule, by updates since the start of the stage; empty: the rate is constant
  RateSchedule schedule;
  bool resetsOptimizer = false;
};

const Schema& stageSchema();
const Schema& changeSchema();
// The same schemas, for fields that contain stages or changes.
std::span<const Schema* const> stageSchemas();
std::span<const Schema* const> changeSchemas();
/// Reads /training/stages. `epochs`: epochs of the whole training, to report stages that never
/// start.
std::vector<TrainStage> readStages(const Json& given, const Project& project, int64_t epochs,
                                   Diagnostics& diagnostics);
/// Sets `trainable` of the layers of a document as the stage requires.
void applyStage(Json& document, const TrainStage& stage);
/// A setting that changes at update `step`.
struct LiveChange {
  int64_t step = 0;
  std::string name;
  // 0 of clipping and weight decay: off
  double value = 0;
  // It has been applied and reported
  bool isDone = false;
  // It comes from the project
  bool isPlanned = false;
};

/// Inserts by step. Of two changes of one setting at the same step the later one is kept, except
/// that a checkpoint does not replace the project's own.
void insertChange(std::vector<LiveChange>& changes, const LiveChange& change);

/// Reads /training/changes, sorted by step.
std::vector<LiveChange> readChanges(const Json& given, const Project& project,
                                    Diagnostics& diagnostics);
/// Whether `name` is a setting of this document and the value is in its range. `where`: pointer for
/// problems.
bool checkChange(const Json& document, const std::string& name, double value,
                 const std::string& where, Diagnostics& diagnostics);
/// Requires: checkChange(). Does nothing for the learning rate, which enters each step as a number.
void applyChange(Json& document, const std::string& name, double value);
/// The settings of a document that can change during training.
std::vector<std::string> changeableSettings(const Json& document);
/// Their values, 0 for what is off. A learning rate that is a schedule is left out.
std::map<std::string, double, std::less<>> liveSettings(const Json& document);
/// The level of a setting, which decides the memory of a step: 0 (off), 1 (a dropout of
/// everything), otherwise 0.5.
double levelOf(double setting);
/// The document with settings replaced by their levels, and without learning rate: equal documents
/// need the same memory.
Json levelled(Json document);

/// The project as each of its stages trains it, with the stage's initial learning rate; without
/// stages only the project itself.
std::vector<Project> stageProjects(const Project& project, const std::vector<TrainStage>& stages);

/// Length and position of a run, in updates.
struct RunSpan {
  // Set even if the data is not known
  int64_t stepsPerEpoch = 1;
  int64_t lastStep = INT64_MAX;
  // Updates already done
  int64_t step = 0;
  // The current stage, from 0
  int64_t stage = 0;
  // Steps left of the current stage; absent: all of it
  std::optional<int64_t> stageStepsLeft{};
};

/// A part of a run in which all steps compute the same.
struct RunPart {
  // The project as trained in this part
  Project project;
  // From 1; 0: the project has no stages
  int64_t stage = 0;
  // The first update, if the part begins with a change and not with its stage
  int64_t fromStep = 0;
};

/// The parts of a run from its position to its end, in order. Parts that need the same memory as an
/// earlier one, by levelled(), are left out.
std::vector<RunPart> runParts(const Project& project, const std::vector<TrainStage>& stages,
                              const std::vector<LiveChange>& changes, const RunSpan& span);

/// Changes as text, for checkpoints. changesOfText() fails with InvalidFile naming `file`.
std::string textOfChanges(const std::vector<LiveChange>& changes);
std::vector<LiveChange> changesOfText(const std::string& text, const std::string& file);

/// The layers of a document as "layer" and "block/layer".
std::vector<std::string> layerPaths(const Json& document);

}  // namespace strata
