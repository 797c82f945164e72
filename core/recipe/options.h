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
  std::string name = {};    // of its own, where it has one
  bool isWeighted = false;  // of a metric: samples count by their weights
};

/// What is learned at an output of the network.
struct OutputOptions {
  std::string name;                       // of the layer; "" where the network is not known
  std::string pointer;                    // of its loss: "/training/loss/age"
  TypedFields loss = {};                  // without fields: missing or wrong
  double weight = 1;                      // of its loss in the sum
  bool isTrained = true;                  // false: its loss is null
  bool hasSampleWeights = false;          // the data says how much each sample counts here
  std::vector<TypedFields> metrics = {};  // "accuracy" becomes dense, sparse or binary in buildStep, where loss and output are known
  std::string lossName() const { return name + "_loss"; }
};

/// Larger batches are neither taken nor looked for.
constexpr int64_t kMostBatch = int64_t{1} << 24;

struct TrainingOptions {
  std::vector<OutputOptions> outputs{1};  // those that have a loss, in the order of the network; mostly one
  std::vector<std::string> untrained;     // outputs whose loss is null: they are only predicted
  TypedFields optimizer;
  std::vector<double> classWeights;  // empty: all count the same
  int64_t batchSize = 32;            // global batch of one update
  int64_t accumulationSteps = 1;     // micro-batches that one update is cut into
  int64_t epochs = 1;
  uint64_t seed = 1;
  bool isShuffled = true;
  std::optional<int64_t> stepsPerEpoch;    // absent: as many as go through the data once
  std::vector<int64_t> validationEpochs;   // validated after these alone, sorted; empty: after every `validationFreq`
  int64_t validationFreq = 1;              // epochs
  std::optional<int64_t> validationSteps;  // steps between validations inside of epochs
  std::vector<TypedFields> callbacks;      // in their order
  std::vector<TrainStage> stages;          // empty: one for all of training
  std::vector<LiveChange> changes;         // planned ones, by step
  std::string initialWeights;              // path or ""
  double learningRate = 0.001;             // of the first update
  RateSchedule schedule;                   // empty: the rate is constant

  bool isValidated(int64_t epoch) const {
    if (!validationEpochs.empty()) return std::binary_search(validationEpochs.begin(), validationEpochs.end(), epoch);
    return epoch % validationFreq == 0;
  }
  /// What is measured beside the loss, as it is called: of several outputs the loss of each, then the metrics.
  std::vector<TypedFields> figures() const;
  /// Of update `step` (from 1), where no person has set it.
  double learningRateAt(int64_t step) const { return schedule ? schedule(step - 1) : learningRate; }
};

struct ExecutionOptions {
  std::string device = "auto";
  int threads = 0;  // 0: all cores
  int niceness = 0;
  std::set<std::string, std::less<>> disabledPasses;
  std::optional<size_t> memoryLimitBytes;                      // absent: what the machine has available
  std::map<std::string, size_t, std::less<>> memoryLimits;     // where the project limits each device by name
  std::optional<size_t> limitOf(std::string_view name) const;  // of an opened device: its entry, or the one limit of all
  Recompute recompute = Recompute::Auto;
  KernelChoice kernelChoice = KernelChoice::SameBits;
};

/// The plain fields of `training` and `execution`, for forms and validation.
const Schema& trainingSchema();
const Schema& executionSchema();

/// What a field of names may hold in this project: "layer_name", "monitor" (of callbacks), "setting" (that can change while it trains); else none.
std::vector<std::string> projectNames(const Project& project, std::string_view registry);

/// "none", "auto", "all".
std::string recomputeName(Recompute how);
std::optional<Recompute> recomputeFromName(std::string_view name);

TrainingOptions parseTraining(const Project& project, Diagnostics& diagnostics);
/// The same where the project's network was read before.
TrainingOptions parseTraining(const Project& project, const Model& model, Diagnostics& diagnostics);
ExecutionOptions parseExecution(const Project& project, Diagnostics& diagnostics);

}  // namespace strata
