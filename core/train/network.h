// SPDX-License-Identifier: Apache-2.0
// A network compiled for one device, with its state: the programs for a full batch, the ragged last one and evaluation, and the way of samples into them.
// Training (trainer.h), evaluation (evaluator.h), bench and plan all run through it, so they agree bit for bit.
// Not here: the loop, checkpoints, threads of a session.
// Thread: one thread at a time; batches are gathered on the device's pool.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/compile/compile.h"
#include "core/data/dataset.h"
#include "core/interchange/safetensors.h"
#include "core/train/kept_weights.h"
#include "gpu/exec/program.h"

namespace strata {

struct NetworkOptions {
  std::string device;  // "" : the project's
  int threads = 0;
  int niceness = 0;
  std::optional<int64_t> batchSize;        // else the project's; at most `mostBatch`
  int64_t mostBatch = INT64_MAX;           // samples there are
  size_t dataBytes = 0;                    // what samples that are not in memory yet will take of what is available
  std::optional<size_t> memoryLimitBytes;  // these two: else the project's
  std::optional<Recompute> recompute;
  std::optional<int64_t> accumulationSteps;
  bool measuresKernels = false;    // those that nothing is known of on this machine yet, for a fraction of a second
  std::stop_token stop;            // of compiling: looked at until prepare() is done. Fails: Stopped
  std::optional<KernelWays> ways;  // of a run that is continued: no other
};

/// Subject of the error where a step does not fit.
constexpr const char* kMemoryLimit = "memory_limit";

/// A piece of an update: where it lies in the batch.
struct MicroBatch {
  int64_t offset = 0, samples = 0;
  MicroStep step = MicroStep::Whole;
};

/// An update on `samples` samples in so many pieces, smaller ones first; in fewer where there are not as many samples.
std::vector<MicroBatch> microBatches(int64_t samples, int64_t pieces);

/// What is told while a step's graph is made; what they throw ends the making. A step may be made a second time, from its first stage on, where it
/// turns out to be large.
struct StepHooks {
  std::function<void(Stage, const Graph&)> onStage;
  std::function<void(const Graph&, const PassReport&)> onPass;
  NodeSeconds seconds = {};  // in the reports of passes; empty: each op's cost rule
};

/// Sums over samples: the loss is to be divided by `samples`, the metrics' values come from Network::metricValues().
struct BatchSums {
  int64_t samples = 0;
  double loss = 0;
  std::vector<double> metrics;  // all sums of the first metric, then of the next
};

class Network {
 public:
  /// Opens the device; compiles nothing yet. Fails: InvalidProject with the first problem; as openDevice.
  Network(const CheckedProject& project, const NetworkOptions& options);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  const Project& project() const { return m_project; }
  const Model& model() const { return m_model; }
  const TrainingOptions& training() const { return m_training; }
  Backend& backend() { return *m_backend; }
  State& state() { return m_state; }
  int64_t batchSize() const { return m_batchSize; }
  const std::vector<std::string>& metricNames() const { return m_metricNames; }
  const std::vector<VariableRequest>& variables() const { return m_variables; }
  int64_t parameters() const;  // elements of all variables of the layers

  /// Compiles what steps on these numbers of samples and evaluations of so many in all need; then addresses are fixed. May be called again for more.
  /// Evaluations are cut so that they take no more memory than the steps.
  /// Fails: as buildStep and Program::build, naming the layer; ShapeMismatch where the data does not fit the network.
  void prepare(const std::vector<int64_t>& trainSamples, const std::vector<int64_t>& evaluateCounts, const Dataset* dataset = nullptr);
  /// Numbers of samples in the batches that `count` samples make.
  std::vector<int64_t> batchesOf(int64_t count) const;
  std::vector<MicroBatch> microBatchesOf(int64_t samples) const { return microBatches(samples, m_training.accumulationSteps); }
  Program& trainProgram(const MicroBatch& piece) { return *m_train.at({piece.samples, piece.step}); }
  /// Of the last piece of an update on this many samples: the one that updates the weights.
  Program& trainProgram(int64_t samples) { return trainProgram(microBatchesOf(samples).back()); }
  Program& evaluateProgram(int64_t samples) { return *m_evaluate.at(samples); }

  /// Trains on as this copy of the project says, with the weights and optimizer state that are there: other layers frozen, other settings of the
  /// optimizer or of layers. What was compiled is compiled anew for the same numbers of samples. Fails: as the constructor and prepare().
  void adopt(const CheckedProject& changed, const Dataset* dataset);
  /// State that layers of an earlier stage left, by name: steps that do not use it plan for it, as it stays.
  void hold(std::map<std::string, TensorType> state) { m_held = std::move(state); }
  const std::map<std::string, TensorType>& held() const { return m_held; }
  /// The others of the pieces of an update hold the state of the one that updates.
  void holdVariablesOf(const Graph& graph);
  /// What its training steps over `samples` will be, each part with the state that those before leave, is looked at now: kernels are chosen while they may
  /// still be timed, and plannedPeakBytes() counts it. Fails: OutOfMemory where a part is above a limit that is set; plannedPeakBytes() stays as it was then.
  void lookAhead(const std::vector<RunPart>& parts, int64_t samples);
  /// Is the limit one that a person set?
  bool hasMemoryLimit() const { return m_execution.memoryLimitBytes.has_value(); }
  /// From now on kernels are those known now, so that what a continued run compiles later is the same.
  void fixKernels();
  /// What the optimizer remembers begins anew, of layers that are frozen now, too.
  void resetOptimizer();
  /// From the seed, and from the data where layers take numbers from it. Requires: prepare().
  void initialize(uint64_t seed, const Dataset* dataset = nullptr);
  /// By name, as matchWeights(); returns its notes for people. Fails: InvalidFile naming file and tensor where one is missing, too much or of another shape.
  std::vector<std::string> setWeights(TensorReader& tensors, const std::string& file);
  std::vector<std::string> setWeights(const std::map<std::string, Tensor>& tensors, const std::string& file);
  /// Takes over the layers whose variables are all there and of the same shapes; the others keep their values. Requires: initialize().
  KeptLayers takeWeights(TensorReader& tensors, const std::string& file);
  /// The moving averages take the place of the weights, where the optimizer keeps them.
  void useAverages();
  std::map<std::string, Tensor> weights() const;     // of the layers: what weights.safetensors holds
  std::map<std::string, Tensor> wholeState() const;  // optimizer state, too: what a checkpoint holds
  /// The same where it lies, until the next step or write.
  TensorViews weightViews() const;
  TensorViews stateViews() const;
  /// Requires: hold() of what only an earlier stage used. Fails: InvalidFile naming the tensor.
  void setWholeState(const std::map<std::string, Tensor>& tensors, const std::string& file);

  /// Copies samples by index into `program`'s own inputs, on the pool where it is worth it.
  /// Weights of the samples, where the data has some.
  void placeWeights(Program& program, const Samples& samples, const int32_t* indices, int64_t count) const;
  void gather(Program& program, const Samples& samples, const InputTransforms& transforms, const int32_t* indices, int64_t count);
  /// places: where each of arrays() goes; null: it is left out.
  void gatherInto(std::span<std::byte* const> places, const Samples& samples, const InputTransforms& transforms, const int32_t* indices,
                  int64_t count);
  /// Stateful layers begin with zeros while this lives, and go on after it as they were: an evaluation changes no training.
  class KeptStates {
   public:
    explicit KeptStates(Network& network);
    ~KeptStates();
    KeptStates(const KeptStates&) = delete;
    KeptStates& operator=(const KeptStates&) = delete;

   private:
    State& m_state;
    std::map<std::string, Tensor> m_values;
  };
  /// What a batch is made of: an array for each Input layer, then for each target, by the names of the program's inputs. The batch is 1.
  const std::vector<StepEnd>& arrays() const { return m_arrays; }
  size_t arrayBytes(size_t array, int64_t samples) const;
  size_t numInputs() const { return m_model.inputs.size(); }
  /// Those that are trained.
  const std::vector<StepOutput>& outputs() const { return m_outputs; }
  /// Those whose loss is null.
  const std::vector<StepOutput>& untrained() const { return m_untrained; }
  /// Scalars of a training step, where the program takes them. share: of a piece in its update.
  void setStep(Program& program, int64_t step, double learningRate, uint64_t seed, int64_t firstSample, double share = 1);
  /// Values of the metrics, as metricNames().
  void metricValues(std::span<const double> sums, int64_t samples, std::vector<double>& values) const;
  size_t numMetricSums() const;
  /// Adds the sums of the program's last run on `samples` samples.
  void addSums(const Program& program, int64_t samples, BatchSums& sums) const;

  /// Samples begin..begin+count-1 in order. `onBatch` sees each program after its run, with the first sample and their number. False where stopped.
  bool evaluate(const Samples& samples, const InputTransforms& transforms, int64_t begin, int64_t count, const std::stop_token& stop,
                BatchSums& sums, const std::function<void(const Program&, int64_t, int64_t)>& onBatch = {});

  /// Bytes that the engine holds for this network: variables, arena, inputs, constants. Of a training network: what its step's plan predicts.
  size_t allocatedBytes() const;
  /// Of its steps now and of those that were looked ahead to: what the most of them takes, and that one's plan.
  size_t plannedPeakBytes() const;
  MemoryPlan memoryPlan() const;
  /// The limit that steps are planned for: the project's, else what was available when the network was made.
  size_t memoryLimitBytes() const { return m_limitBytes; }
  std::string deviceName() const { return m_backend->name(); }

  /// The graph of a step of this network, after the passes.
  StepGraph stepGraph(StepMode mode, int64_t samples, MicroStep microStep = MicroStep::Whole, const StepHooks& hooks = {}) const;
  /// The same with another way to recompute than the network's.
  StepGraph stepGraph(StepMode mode, int64_t samples, const RecomputeOptions& recompute, MicroStep microStep = MicroStep::Whole,
                      const StepHooks& hooks = {}) const;
  /// How the network recomputes, with the workspaces of its device's kernels.
  RecomputeOptions recomputeOptions() const;
  /// Kernels that do not go by their backend's rule, after prepare().
  const KernelWays& kernelWays() const { return m_chooser->ways(); }
  bool isRecomputeDisabled() const { return m_execution.disabledPasses.contains("recompute"); }
  bool isInPlace() const { return !m_execution.disabledPasses.contains("in_place"); }

 private:
  std::unique_ptr<Program> build(StepMode mode, int64_t samples, const Dataset* dataset, MicroStep microStep = MicroStep::Whole);
  /// Fails: ShapeMismatch where the data's arrays are not those of the network.
  void requireArrays(const Dataset& dataset) const;
  /// Fails: InvalidFile naming file, row and value where the data holds a label or index that the network has no place for.
  void requireFit(const Dataset& dataset) const;
  /// Does an evaluation cut its batches as training does, since what it tells is of whole ones?
  bool isSumInPieces() const;
  /// Model and optimizer of a copy of the project take the place of those before.
  void readChanged(const CheckedProject& changed);
  /// Requires: the largest piece, which updates, before the others.
  void buildTraining(int64_t samples, MicroStep microStep, const Dataset* dataset);
  /// part: that the error names; null: the present one.
  void requireLimit(size_t peakBytes, const RunPart* part = nullptr) const;
  void buildEvaluations(const Dataset* dataset);
  /// Numbers of samples in the batches that evaluating `count` samples takes; no larger than a piece of an update.
  std::vector<int64_t> evaluateBatchesOf(int64_t count) const;
  /// The next batch of an evaluation of which `left` samples are left, in pieces.
  std::vector<MicroBatch> evaluatePiecesOf(int64_t left) const;
  Program& primary() const;
  size_t presentPeakBytes() const;

  Project m_project;
  Model m_model;
  TrainingOptions m_training;
  ExecutionOptions m_execution;
  size_t m_limitBytes = 0;
  std::unique_ptr<Backend> m_backend;
  std::unique_ptr<KernelChooser> m_chooser;
  State m_state;
  std::map<std::string, TensorType> m_held;
  MemoryPlan m_laterMemory;  // of what was looked ahead to, the part that takes the most
  std::stop_token m_stop;
  int64_t m_batchSize = 1, m_evaluateBatch = 1;
  std::set<int64_t> m_evaluateCounts;  // numbers of samples that are evaluated in one go
  std::vector<VariableRequest> m_variables, m_optimizerState;
  std::vector<LoweredMetric> m_metrics;
  std::vector<std::string> m_metricNames;
  std::vector<StepEnd> m_arrays;
  std::vector<std::byte*> m_places;  // of arrays(), reused: no allocation a step
  std::vector<StepOutput> m_outputs, m_untrained;
  std::map<std::pair<int64_t, MicroStep>, std::unique_ptr<Program>> m_train;  // by samples; the last is the largest of those that update
  std::map<int64_t, std::unique_ptr<Program>> m_evaluate;
  std::vector<int32_t> m_indices;  // of an evaluation's batch
};

}  // namespace strata
