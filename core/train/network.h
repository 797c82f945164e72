// SPDX-License-Identifier: Apache-2.0
// A network that is compiled for one device, for several replicas that train side by side, or for
// several devices that compute its layers together. It has programs for full batches, for the
// smaller last batch of an epoch and for evaluation. Training (training_run.h), evaluation
// (evaluator.h) and benchmarks use the same programs, so that their results are bit-identical. The
// first replica has the values that are saved, and evaluates.
// Not here: graphs of steps (step_builder.h), what a replica owns (replica.h), values
// (network_state.h), samples (batch_arrays.h, feeder.h), the training loop (training_run.h),
// threads of runs (session.h).
// Thread: only one thread at a time may use an object. Batches are gathered on the pool of the
// device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

#include "core/recipe/run_edits.h"
#include "core/runs/step_memory.h"
#include "core/train/network_state.h"
#include "core/train/parameter_server.h"
#include "core/train/replica.h"
#include "core/train/step_builder.h"
#include "core/train/step_scalars.h"

namespace strata {

class Network {
 public:
  /// Opens the device, and does not compile yet. Fails with InvalidProject and the first problem,
  /// or with the errors of openDevice.
  Network(const CheckedProject& project, const NetworkOptions& options);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  StepBuilder& steps() { return m_steps; }
  const StepBuilder& steps() const { return m_steps; }
  NetworkState& state() { return *m_state; }
  const NetworkState& state() const { return *m_state; }
  BatchArrays& arrays() { return first().arrays; }
  const BatchArrays& arrays() const { return first().arrays; }
  const StepSums& sums() const { return m_sums; }

  /// Compiles the programs for training steps on these numbers of samples and for evaluations of
  /// `evaluateCounts` samples. Also fixes the addresses of their values. Another call adds more
  /// programs. Batches of evaluations are made small enough to need no more memory than the steps,
  /// if they can be divided. Fails with the errors of buildStep and Program::build, which name the
  /// layer, or with ShapeMismatch if the data does not fit the network.
  void prepare(const std::vector<int64_t>& trainSamples, const std::vector<int64_t>& evaluateCounts,
               const Dataset* dataset = nullptr);
  Program& trainProgram(const MicroBatch& piece) {
    return *m_replicas[static_cast<size_t>(piece.rank)]->train.at({piece.samples, piece.step});
  }
  /// Returns the program of the last micro-batch in an update on this many samples. This
  /// micro-batch updates the weights.
  Program& trainProgram(int64_t samples) {
    return trainProgram(m_steps.microBatchesOf(samples).back());
  }
  Program& evaluateProgram(int64_t samples) { return *evaluator().evaluate.at(samples); }
  /// Submits the micro-batches of an update and adds their tickets in this order. `place` provides
  /// the samples and scalars of a micro-batch and returns its program. Several replicas have run
  /// when it returns. If one of them was stopped or is not finite, its ticket says so, no replica
  /// has changed a weight, and later micro-batches are not submitted.
  /// Fails: with the error of a replica.
  template <class Place>
  void submit(const std::vector<MicroBatch>& pieces, Place&& place, const std::stop_token& stop,
              std::vector<Ticket>& tickets) {
    m_round.clear();
    const size_t atOnce = m_steps.isStale() ? 1 : m_replicas.size();
    for (const MicroBatch& piece : pieces) {
      m_round.push_back(&place(piece));
      if (m_round.size() < atOnce) continue;
      const bool isDone = submitRound(stop, tickets);
      m_round.clear();
      if (!isDone) return;
    }
    if (m_server) tickets.push_back(applySums(m_steps.isStale() ? 1 : m_replicas.size()));
  }
  /// Sets the numbers of the updates that are submitted from now on, for the parameter server.
  void setUpdate(const UpdateNumbers& numbers) { m_numbers = numbers; }

  /// An update whose gradient a worker of a parameter server computes while others compute those of
  /// other updates. `place` is that of submit().
  struct StaleUpdate {
    std::vector<MicroBatch> pieces;
    std::function<Program&(const MicroBatch&)> place;
    std::vector<Ticket>* tickets = nullptr;
  };
  /// Computes gradients with the present weights, one update for each worker. Requires: at most
  /// StepBuilder::updatesAtOnce() updates.
  void computeStale(const std::vector<StaleUpdate>& updates, const std::stop_token& stop);
  /// Applies the gradient of a worker. Returns the ticket, and how old the gradient is: the number
  /// of updates since the worker got its weights.
  std::pair<Ticket, int64_t> applyStale(size_t worker, const UpdateNumbers& numbers);
  /// Returns the program with which the parameter server updates the weights; null without one.
  Program* serverUpdate() const { return m_server ? m_server->update() : nullptr; }
  /// Returns how long each replica has waited for others in the last submitted micro-batches, by
  /// rank; nothing with one replica.
  std::span<const std::chrono::nanoseconds> waits() const;
  /// Returns the memory of a replica at the peak of a step, by category.
  std::array<size_t, kNumCategories> categoriesOf(size_t replica) const;
  /// Returns the times of communication with other processes in the last update, or null if there
  /// is one process.
  std::optional<ProcessSums::Times> communication() const;
  /// Returns the number of bytes allocated for each replica.
  std::vector<size_t> replicaBytes() const;
  /// Checks that all replicas have the same values since the last step. Returns whether there are
  /// some to compare.
  /// Fails: Internal with the layer, if one has drifted away.
  bool requireEqualReplicas() const;

  /// Replaces the project and keeps the weights and optimizer state. Compiles all programs again
  /// for the same numbers of samples. Fails with the errors of the constructor and of prepare().
  void adopt(const CheckedProject& changed, const Dataset* dataset);
  /// Plans the steps of later parts of the run, so that their kernels are chosen while kernels may
  /// still be timed. Each plan includes the state that earlier parts leave. plannedPeakBytes() then
  /// includes these steps. Fails: OutOfMemory if a part exceeds the memory limit.
  /// plannedPeakBytes() then stays unchanged.
  void lookAhead(const std::vector<RunPart>& parts, int64_t samples);
  /// Resets the state of the optimizer, including the state of layers that are frozen now.
  void resetOptimizer();

  /// Evaluates `count` samples in order, starting at `begin`. After each run of a program, calls
  /// `onBatch` with the program, the index of its first sample and its number of samples. Returns
  /// false if the evaluation was stopped.
  bool evaluate(const Samples& samples, const InputTransforms& transforms, int64_t begin,
                int64_t count, const std::stop_token& stop, BatchSums& sums,
                const std::function<void(const Program&, int64_t, int64_t)>& onBatch = {});

  /// Returns the number of bytes allocated for this network: variables, arena, inputs and
  /// constants. For a training network, it equals the planned memory of the training step.
  size_t allocatedBytes() const;
  /// plannedPeakBytes() returns the largest peak of the current steps and of the steps that
  /// lookAhead() planned. memoryPlan() returns the plan of the step with this peak.
  size_t plannedPeakBytes() const;
  MemoryPlan memoryPlan() const;
  /// Returns the memory of the present step that needs the most, block by block.
  StepMemory stepMemory() const;

 private:
  std::unique_ptr<Program> build(Replica& replica, StepMode mode, int64_t samples,
                                 const Dataset* dataset, MicroStep microStep = MicroStep::Whole);
  /// Checks that targets and inputs of the data fit the network and its losses. Fails: InvalidFile
  /// with file, row and value.
  void requireFit(const Dataset& dataset) const;
  /// Whether evaluations divide batches into the same micro-batches as training, because a loss
  /// sums over whole batches.
  bool isSummedOverMicroBatches() const;
  /// Builds the program of a micro-batch for training. Requires: the largest micro-batch, which
  /// updates the weights, is built before the others.
  void buildTraining(const MicroBatch& piece, const Dataset* dataset);
  /// Checks that a step does not exceed the memory limit. An error names `part`, or the current
  /// part of the run if `part` is null.
  void requireLimit(const MemoryPlan& plan, const RunPart* part = nullptr) const;
  void buildEvaluations(const Dataset* dataset);
  /// Returns the different batch sizes that an evaluation of `count` samples needs. None is larger
  /// than a micro-batch.
  std::vector<int64_t> evaluateBatchesOf(int64_t count) const;
  /// Returns the micro-batches of the next batch if `left` samples remain to be evaluated.
  std::vector<MicroBatch> evaluationMicroBatches(int64_t left) const;
  Program& primary(const Replica& replica) const;
  size_t presentPeakBytes(const Replica& replica) const;
  /// Returns the replica whose step needs the most memory.
  const Replica& largestReplica() const;
  const Program& largestProgram() const;
  Ticket applySums(size_t workers);
  /// Returns the replicas that evaluate: the first one, all devices that compute the network
  /// together, or the parameter server.
  std::vector<Replica*> evaluators();
  Replica& evaluator() { return m_server ? m_server->replica() : first(); }
  int rankOf(const Replica& replica) const;
  /// Returns the part of a step that a replica computes, which is the whole step unless the layers
  /// are on several devices.
  StepGraph stepOf(const Replica& replica, StepMode mode, int64_t samples, MicroStep microStep);
  /// Runs an evaluation on all devices that compute the network together.
  Ticket submitEvaluation(int64_t samples, const std::stop_token& stop);

  void flipWeight(int number);
  bool submitRound(const std::stop_token& stop, std::vector<Ticket>& tickets);
  void requireNoCarriedState() const;
  void bindPrograms(Replica& replica);
  Replica& first() { return *m_replicas.front(); }
  const Replica& first() const { return *m_replicas.front(); }
  /// Copies the values of the first replica to the others, if somebody has changed them.
  void mirror();

  StepBuilder m_steps;
  // In the order of their ranks
  std::vector<std::unique_ptr<Replica>> m_replicas;
  // Null without one
  std::unique_ptr<ParameterServer> m_server;
  UpdateNumbers m_numbers;
  std::unique_ptr<NetworkState> m_state;
  // Null with one replica
  std::unique_ptr<ReplicaThreads> m_threads;
  // The programs of replicas that run next
  std::vector<Program*> m_round;
  int64_t m_rounds = 0;
  // State::changes() of the first replica when the others got its values
  int64_t m_mirrored = -1;
  StepSums m_sums;
  // Steps that are divided among devices, while programs are built
  struct DividedStep {
    StepGraph step;
    CutStep parts;
  };
  std::map<std::tuple<StepMode, int64_t, MicroStep>, DividedStep> m_divided;
  // The plan of the largest part that lookAhead() planned
  MemoryPlan m_laterMemory;
  int64_t m_evaluateBatch = 1;
  // Total numbers of samples that are evaluated
  std::set<int64_t> m_evaluateCounts;
  // Indices of the samples in a batch of an evaluation
  std::vector<int32_t> m_indices;
};

}  // namespace strata
