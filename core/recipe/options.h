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
  // Its own name, if it has one
  std::string name = {};
  // For a metric: samples are weighted
  bool isWeighted = false;
};

/// Loss, weight and metrics of one output of the network.
struct OutputOptions {
  // Name of the layer; "" if the network is not known
  std::string name;
  // Pointer of its loss: "/training/loss/age"
  std::string pointer;
  // Has no fields if the loss is missing or wrong
  TypedFields loss = {};
  // Weight of its loss in the sum
  double weight = 1;
  // False if its loss is null
  bool isTrained = true;
  // The data has sample weights for this output
  bool hasSampleWeights = false;
  // "accuracy" becomes dense, sparse or binary in buildStep, where loss and output are known
  std::vector<TypedFields> metrics = {};
  std::string lossName() const { return name + "_loss"; }
};

/// Larger batches are refused, and never searched for.
constexpr int64_t kMaxBatch = int64_t{1} << 24;

struct TrainingOptions {
  // Outputs with a loss, in the order of the network; usually one
  std::vector<OutputOptions> outputs{1};
  // Outputs whose loss is null; they are only predicted
  std::vector<std::string> untrained;
  TypedFields optimizer;
  // Empty: all classes have equal weight
  std::vector<double> classWeights;
  // Samples per update
  int64_t batchSize = 32;
  // Micro-batches per update
  int64_t accumulationSteps = 1;
  int64_t epochs = 1;
  uint64_t seed = 1;
  bool isShuffled = true;
  // Absent: one pass over the data
  std::optional<int64_t> stepsPerEpoch;
  // Epochs with validation, sorted; empty: every `validationFreq` epochs
  std::vector<int64_t> validationEpochs;
  // Epochs
  int64_t validationFreq = 1;
  // Steps between validations within epochs
  std::optional<int64_t> validationSteps;
  // In the order of the project
  std::vector<TypedFields> callbacks;
  // Empty: a single stage
  std::vector<TrainStage> stages;
  // Planned changes, sorted by step
  std::vector<LiveChange> changes;
  // Path or ""
  std::string initialWeights;
  // Learning rate of the first update
  double learningRate = 0.001;
  // Empty: the rate is constant
  RateSchedule schedule;

  bool isValidated(int64_t epoch) const {
    if (!validationEpochs.empty())
      return std::binary_search(validationEpochs.begin(), validationEpochs.end(), epoch);
    return epoch % validationFreq == 0;
  }
  /// What is measured in addition to the loss, under its displayed name: with several outputs the
  /// loss of each, then the metrics.
  std::vector<TypedFields> metrics() const;
  /// Learning rate of update `step` (from 1), unless it was changed by hand.
  double learningRateAt(int64_t step) const { return schedule ? schedule(step - 1) : learningRate; }
};

struct ExecutionOptions {
  std::string device = "auto";
  // 0: all cores
  int threads = 0;
  int niceness = 0;
  std::set<std::string, std::less<>> disabledPasses;
  // Absent: the memory available on the machine
  std::optional<size_t> memoryLimitBytes;
  // Limits by device, if the project names devices
  std::map<std::string, size_t, std::less<>> memoryLimits;
  // The limit of an opened device: its entry, or the common limit
  std::optional<size_t> limitOf(std::string_view name) const;
  Recompute recompute = Recompute::Auto;
  KernelChoice kernelChoice = KernelChoice::SameBits;
};

/// Schemas of the plain fields of `training` and `execution`, for forms and validation.
const Schema& trainingSchema();
const Schema& executionSchema();

/// The allowed values of a field of names in this project, by registry: "layer_name", "monitor" (of
/// callbacks), "setting" (that can change during training); none for other registries.
std::vector<std::string> projectNames(const Project& project, std::string_view registry);

/// "none", "auto", "all".
std::string recomputeName(Recompute how);
std::optional<Recompute> recomputeFromName(std::string_view name);

TrainingOptions parseTraining(const Project& project, Diagnostics& diagnostics);
/// The same, with the project's network already read.
TrainingOptions parseTraining(const Project& project, const Model& model, Diagnostics& diagnostics);
ExecutionOptions parseExecution(const Project& project, Diagnostics& diagnostics);

}  // namespace strata
