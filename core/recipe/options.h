// SPDX-License-Identifier: Apache-2.0
// Options of training and execution, parsed from a project and copied into a run. Thread: values.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/layers/schema.h"
#include "core/project/project.h"
#include "core/recipe/run_edits.h"
#include "core/recipe/schedules.h"
#include "gpu/exec/kernel_choices.h"
#include "gpu/memory/recompute.h"

namespace strata {

struct Model;

/// A checked object with "type" and all fields of its schema.
struct TypedFields {
  std::string type;
  std::shared_ptr<const Json> fields;
  // Of its own, where it has one
  std::string name = {};
  // Of a metric: samples count by their weights
  bool isWeighted = false;
};

/// What is learned at an output of the network.
struct OutputOptions {
  // Of the layer; "" where the network is not known
  std::string name;
  // Of its loss: "/training/loss/age"
  std::string pointer;
  // Without fields: missing or wrong
  TypedFields loss = {};
  // Of its loss in the sum
  double weight = 1;
  // false: its loss is null
  bool isTrained = true;
  // The data says how much each sample counts here
  bool hasSampleWeights = false;
  // "accuracy" becomes dense, sparse or binary in buildStep, where loss and output are known
  std::vector<TypedFields> metrics = {};
  std::string lossName() const { return name + "_loss"; }
};

/// Larger batches are neither taken nor looked for.
constexpr int64_t kMostBatch = int64_t{1} << 24;

struct TrainingOptions {
  // Those that have a loss, in the order of the network; mostly one
  std::vector<OutputOptions> outputs{1};
  // Outputs whose loss is null: they are only predicted
  std::vector<std::string> untrained;
  TypedFields optimizer;
  // empty: all count the same
  std::vector<double> classWeights;
  // Global batch of one update
  int64_t batchSize = 32;
  // micro-batches that one update is cut into
  int64_t accumulationSteps = 1;
  int64_t epochs = 1;
  uint64_t seed = 1;
  bool isShuffled = true;
  // absent: as many as go through the data once
  std::optional<int64_t> stepsPerEpoch;
  // Validated after these alone, sorted; empty: after every `validationFreq`
  std::vector<int64_t> validationEpochs;
  // Epochs
  int64_t validationFreq = 1;
  // Steps between validations inside of epochs
  std::optional<int64_t> validationSteps;
  // In their order
  std::vector<TypedFields> callbacks;
  // empty: one for all of training
  std::vector<TrainStage> stages;
  // Planned ones, by step
  std::vector<LiveChange> changes;
  // Path or ""
  std::string initialWeights;
  // Of the first update
  double learningRate = 0.001;
  // empty: the rate is constant
  RateSchedule schedule;

  bool isValidated(int64_t epoch) const {
    if (!validationEpochs.empty())
      return std::binary_search(validationEpochs.begin(), validationEpochs.end(), epoch);
    return epoch % validationFreq == 0;
  }
  /// What is measured beside the loss, as it is called: of several outputs the loss of each, then
  /// the metrics.
  std::vector<TypedFields> figures() const;
  /// Of update `step` (from 1), where no person has set it.
  double learningRateAt(int64_t step) const { return schedule ? schedule(step - 1) : learningRate; }
};

struct ExecutionOptions {
  std::string device = "auto";
  // 0: all cores
  int threads = 0;
  int niceness = 0;
  std::set<std::string, std::less<>> disabledPasses;
  // absent: what the machine has available
  std::optional<size_t> memoryLimitBytes;
  // Where the project limits each device by name
  std::map<std::string, size_t, std::less<>> memoryLimits;
  // Of an opened device: its entry, or the one limit of all
  std::optional<size_t> limitOf(std::string_view name) const;
  Recompute recompute = Recompute::Auto;
  KernelChoice kernelChoice = KernelChoice::SameBits;
};

/// The plain fields of `training` and `execution`, for forms and validation.
const Schema& trainingSchema();
const Schema& executionSchema();

/// What a field of names may hold in this project: "layer_name", "monitor" (of callbacks),
/// "setting" (that can change while it trains); else none.
std::vector<std::string> projectNames(const Project& project, std::string_view registry);

/// "none", "auto", "all".
std::string recomputeName(Recompute how);
std::optional<Recompute> recomputeFromName(std::string_view name);

TrainingOptions parseTraining(const Project& project, Diagnostics& diagnostics);
/// The same where the project's network was read before.
TrainingOptions parseTraining(const Project& project, const Model& model, Diagnostics& diagnostics);
ExecutionOptions parseExecution(const Project& project, Diagnostics& diagnostics);

}  // namespace strata
