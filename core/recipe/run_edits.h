// SPDX-License-Identifier: Apache-2.0
// Changes that a run makes to its copy of the project during training. Stages decide which layers
// learn; settings can change at any step. The step is then recompiled from the changed copy.
// Settings are the fields with FieldSchema::isLive: "learning_rate", "clipnorm" and others of the
// optimizer, and "<layer>/<field>" of a layer, such as "drop/rate" or, in a Bidirectional,
// "both/layer/dropout".
// Not here: applying the changes to a run (core/train).
// Thread: the functions have no side effects, so any thread may call them.
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
  // Length of the stage; if both are absent, the stage lasts to the end of training
  std::optional<int64_t> epochs, steps;
  // The only layers that learn; absent if the field `trainable` of each layer decides
  std::optional<std::vector<std::string>> trainable;
  // Layers that do not learn
  std::vector<std::string> frozen;
  // Learning rate of the first update in the stage; absent if the stage does not change it
  std::optional<double> learningRate;
  // Learning rate by updates since the start of the stage; empty if the rate is constant
  RateSchedule schedule;
  bool resetsOptimizer = false;
};

const Schema& stageSchema();
const Schema& changeSchema();
/// These functions return lists with these schemas, for fields that contain stages or changes.
std::span<const Schema* const> stageSchemas();
std::span<const Schema* const> changeSchemas();
/// Reads /training/stages. Reports stages that never start because training lasts only `epochs`
/// epochs.
std::vector<TrainStage> readStages(const Json& given, const Project& project, int64_t epochs,
                                   Diagnostics& diagnostics);
/// Sets the field `trainable` of a document's layers as the stage requires.
void applyStage(Json& document, const TrainStage& stage);
/// A setting that changes at update `step`.
struct LiveChange {
  int64_t step = 0;
  std::string name;
  // The new value; 0 turns clipping or weight decay off
  double value = 0;
  // Whether the change has been applied and reported
  bool isDone = false;
  // Whether the change comes from the project
  bool isPlanned = false;
};

/// Inserts a change in the order of steps. If an unplanned change of the same setting at the same
/// step exists, the new change replaces it. However, a new change that is not done is discarded if
/// the existing change is done.
void insertChange(std::vector<LiveChange>& changes, const LiveChange& change);

/// Reads /training/changes. The result is sorted by step.
std::vector<LiveChange> readChanges(const Json& given, const Project& project,
                                    Diagnostics& diagnostics);
/// Returns whether `name` is a setting of this document and `value` is in its range. Reports
/// problems at the JSON pointer `where`.
bool checkChange(const Json& document, const std::string& name, double value,
                 const std::string& where, Diagnostics& diagnostics);
/// Sets the value of a setting in the document. Does nothing for the learning rate, which is an
/// input of each step. Requires: checkChange() returned true.
void applyChange(Json& document, const std::string& name, double value);
/// Returns the names of the settings of a document that can change during training.
std::vector<std::string> changeableSettings(const Json& document);
/// Returns the schema of a setting's field, or null if the field cannot change during training.
const FieldSchema* settingField(const Json& document, const std::string& name);
/// Returns the values of the settings that can change; 0 means off. Omits a learning rate that is a
/// schedule.
std::map<std::string, double, std::less<>> liveSettings(const Json& document);
/// Returns the level of a setting. Settings with equal levels need the same memory in a step. The
/// level is 0 for 0 (off), 1 for 1 (a dropout of all values), and otherwise 0.5.
double levelOf(double setting);
/// Replaces the settings of a document by their levels and removes the learning rate. If two
/// results are equal, their steps need the same memory.
Json withLevels(Json document);

/// Returns the project as each stage trains it, with the stage's initial learning rate. Returns
/// only the project itself if there are no stages.
std::vector<Project> stageProjects(const Project& project, const std::vector<TrainStage>& stages);

/// Length and position of a run, in updates.
struct RunSpan {
  // Number of steps in an epoch; at least 1, even if the data is not known
  int64_t stepsPerEpoch = 1;
  int64_t lastStep = INT64_MAX;
  // Number of updates already done
  int64_t step = 0;
  // Index of the current stage
  int64_t stage = 0;
  // Number of steps that remain in the current stage; absent for the whole stage
  std::optional<int64_t> stageStepsLeft{};
};

/// A part of a run in which all steps use the same stage and settings.
struct RunPart {
  // The project as trained in this part
  Project project;
  // Number of the stage, which starts at 1; 0 if the project has no stages
  int64_t stage = 0;
  // Number of the first update if the part begins with a change; 0 if it begins with its stage
  int64_t fromStep = 0;
};

/// Returns the parts of a run from its position to its end, in order. Omits parts that need the
/// same memory as an earlier part, as withLevels() decides.
std::vector<RunPart> runParts(const Project& project, const std::vector<TrainStage>& stages,
                              const std::vector<LiveChange>& changes, const RunSpan& span);

/// textOfChanges() writes changes as text for checkpoints, and changesOfText() reads this text.
/// changesOfText() fails with InvalidFile for a wrong text, and names `file` in the error.
std::string textOfChanges(const std::vector<LiveChange>& changes);
std::vector<LiveChange> changesOfText(const std::string& text, const std::string& file);

/// Returns the paths of a document's layers, such as "layer" and "block/layer".
std::vector<std::string> layerPaths(const Json& document);

}  // namespace strata
