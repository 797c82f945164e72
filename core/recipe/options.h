// SPDX-License-Identifier: Apache-2.0
// Options of training and execution, which are parsed from a project and copied into a run.
// Not here: checks against the model and the data (core/check).
// Thread: options are values. The parsers have no side effects, so any thread may call them.
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
#include "gpu/passes/pass.h"

namespace strata {

struct Model;

/// A checked object with "type" and all fields of its schema.
struct TypedFields {
  std::string type;
  std::shared_ptr<const Json> fields;
  // Name of the object in the project; "" if it has none
  std::string name = {};
  // For metrics: whether the sample weights apply (entries of weighted_metrics)
  bool isWeighted = false;
};

/// Loss, loss weight and metrics of one output of the network.
struct OutputOptions {
  // Name of the output's layer; "" if the network is not known
  std::string name;
  // JSON pointer of the loss, such as "/training/loss/age"
  std::string pointer;
  // The loss. It has no fields if it is missing or wrong.
  TypedFields loss = {};
  // Weight of the loss in the total loss
  double weight = 1;
  // Whether the output is trained; false if the loss is null
  bool isTrained = true;
  // Whether the data has sample weights for this output
  bool hasSampleWeights = false;
  // The metrics. buildStep() replaces "accuracy" by the binary, sparse or categorical accuracy.
  std::vector<TypedFields> metrics = {};
  std::string lossName() const { return name + "_loss"; }
};

/// Maximum batch size, which also limits the search for the largest batch that fits into memory.
constexpr int64_t kMaxBatch = int64_t{1} << 24;

struct TrainingOptions {
  // Outputs with a loss, in the order of the network
  std::vector<OutputOptions> outputs{1};
  // Names of the outputs whose loss is null; they are not trained
  std::vector<std::string> untrained;
  TypedFields optimizer;
  // Weight of each class by its number; empty if all weights are equal. If the weights depend on
  // the data (classWeightsDependOnData()), it has one element, and core/check computes the weights.
  std::vector<double> classWeights;
  // Weights by the name of the class, as the project writes them
  std::map<std::string, double, std::less<>> namedClassWeights;
  // Whether all classes have the same weight in total ("balanced")
  bool hasBalancedClasses = false;
  // Samples per update
  int64_t batchSize = 32;
  // Micro-batches per update
  int64_t accumulationSteps = 1;
  int64_t epochs = 1;
  uint64_t seed = 1;
  bool isShuffled = true;
  // Number of steps in an epoch; absent if an epoch is one pass over the data
  std::optional<int64_t> stepsPerEpoch;
  // Epochs with validation, sorted; if empty, validation runs every `validationFreq` epochs
  std::vector<int64_t> validationEpochs;
  // Number of epochs between validations
  int64_t validationFreq = 1;
  // Number of steps between validations within an epoch
  std::optional<int64_t> validationSteps;
  // The callbacks in the order of the project
  std::vector<TypedFields> callbacks;
  // The stages of training; empty if the project has none
  std::vector<TrainStage> stages;
  // Planned changes, sorted by step
  std::vector<LiveChange> changes;
  // Path of a weights file with the initial weights; "" to generate them from the seed
  std::string initialWeights;
  // Learning rate of the first update
  double learningRate = 0.001;
  // Learning rate of each update; empty if it is constant
  RateSchedule schedule;

  bool classWeightsDependOnData() const { return hasBalancedClasses || !namedClassWeights.empty(); }
  bool isValidated(int64_t epoch) const {
    if (!validationEpochs.empty())
      return std::binary_search(validationEpochs.begin(), validationEpochs.end(), epoch);
    return epoch % validationFreq == 0;
  }
  /// Returns everything that is measured in addition to the total loss, with the displayed names.
  /// With several outputs, the losses of the outputs precede the metrics.
  std::vector<TypedFields> metrics() const;
  /// Returns whether the optimizer keeps a moving average of the weights (use_ema). Validation,
  /// callbacks and saved weights then use the average.
  bool usesAverages() const;
  /// Returns the learning rate of update `step` (from 1), without changes by the user during the
  /// run.
  double learningRateAt(int64_t step) const { return schedule ? schedule(step - 1) : learningRate; }
};

/// The factor of the loss's gradient (core/compile/loss_scale.h).
struct LossScale {
  // Whether the step adapts the scale
  bool isDynamic = false;
  // The scale if it is not dynamic
  double value = 1;
};

/// How several devices train a network together.
enum class Strategy : uint8_t {
  // The project names none: one device, replicas, or the devices of the layers
  Any,
  OneDevice,
  // Each device has a replica, and computes a share of the batch
  Mirrored,
  // The same with the devices of several processes
  MultiWorker,
  // Replicas send gradients to a server, which updates the weights
  ParameterServer,
  // Each device computes some layers, and micro-batches follow each other from device to device
  Pipeline,
};

struct ExecutionOptions {
  std::string device = "auto";
  Strategy strategy = Strategy::Any;
  // Whether replicas divide the state of the optimizer
  bool isOptimizerSharded = false;
  // Whether cards of several processes may add in any order
  bool isAllReduceFast = false;
  // With a parameter server, how many updates may lie between the weights of a gradient and its
  // own update; 0 if workers share each batch
  int64_t staleness = 0;
  // Number of threads; 0 for all cores
  int threads = 0;
  // Number of threads that load batches; 0 for the usual number
  int loaderThreads = 0;
  int niceness = 0;
  std::set<std::string, std::less<>> disabledPasses;
  // Memory limit of the device that is used; absent to use the memory available on the machine
  std::optional<size_t> memoryLimitBytes;
  // Memory limits by device; empty if the project has a common limit
  std::map<std::string, size_t, std::less<>> memoryLimits;
  /// Returns the memory limit of a device. If the project has limits by device, a device without an
  /// entry has no limit.
  std::optional<size_t> limitOf(std::string_view name) const;
  Recompute recompute = Recompute::Auto;
  KernelChoice kernelChoice = KernelChoice::SameBits;
  // Algorithms that the user has chosen, by layer and op
  PinnedVariants algorithms;
  Precision precision = Precision::Float32;
  // Whether the gradient of attention has the same bits in each run, on cards
  bool isAttentionDeterministic = true;
  // The loss scale of float16; absent for a dynamic one
  std::optional<double> fixedLossScale;
  /// Returns the loss scale of a step. Only float16 has one.
  LossScale lossScale() const {
    if (precision != Precision::Float16) return {};
    return {!fixedLossScale, fixedLossScale.value_or(1)};
  }
};

/// These functions return the schemas of the simple fields of `training` and `execution`, for forms
/// and validation.
const Schema& trainingSchema();
const Schema& executionSchema();

/// Returns the names in this project that a field with this registry allows. The registries are
/// "layer_name", "monitor" (values that callbacks can monitor) and "setting" (settings that can
/// change during training). Returns an empty list for other registries.
std::vector<std::string> projectNames(const Project& project, std::string_view registry);

/// Returns the name of a Recompute option: "none", "auto" or "all".
std::string recomputeName(Recompute how);
std::optional<Recompute> recomputeFromName(std::string_view name);

/// Reads and checks /training. Problems are added to `diagnostics`.
TrainingOptions parseTraining(const Project& project, Diagnostics& diagnostics);
/// Does the same, but takes the network from the caller instead of reading it again.
TrainingOptions parseTraining(const Project& project, const Model& model, Diagnostics& diagnostics);
/// Reads and checks /execution. Problems are added to `diagnostics`.
ExecutionOptions parseExecution(const Project& project, Diagnostics& diagnostics);

}  // namespace strata
