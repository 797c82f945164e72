// SPDX-License-Identifier: Apache-2.0
// A network compiled for one device: the programs for a full batch, for the smaller last batch of
// an epoch and for evaluation. Training (training_run.h), evaluation (evaluator.h) and bench all
// use it, so they agree bit for bit.
// Not here: graphs of steps (step_builder.h), values (network_state.h), samples (batch_arrays.h,
// feeder.h), the training loop (training_run.h), threads (session.h).
// Thread: one thread at a time; batches are gathered on the pool of the device.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <stop_token>
#include <utility>
#include <vector>

#include "core/recipe/run_edits.h"
#include "core/train/batch_arrays.h"
#include "core/train/network_state.h"
#include "core/train/step_builder.h"
#include "core/train/step_scalars.h"

namespace strata {

class Network {
 public:
  /// Opens the device; compiles nothing yet. Fails: InvalidProject with the first problem; like
  /// openDevice.
  Network(const CheckedProject& project, const NetworkOptions& options);
  ~Network();
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;

  StepBuilder& steps() { return m_steps; }
  const StepBuilder& steps() const { return m_steps; }
  NetworkState& state() { return m_state; }
  const NetworkState& state() const { return m_state; }
  BatchArrays& arrays() { return m_arrays; }
  const BatchArrays& arrays() const { return m_arrays; }
  const StepSums& sums() const { return m_sums; }

  /// Compiles the programs for training steps on these numbers of samples and for evaluations of
  /// `evaluateCounts` samples, and fixes their addresses. May be called again for more. Batches of
  /// evaluations are chosen so that they take no more memory than the steps.
  /// Fails like buildStep and Program::build, with the name of the layer; ShapeMismatch where the
  /// data does not fit the network.
  void prepare(const std::vector<int64_t>& trainSamples, const std::vector<int64_t>& evaluateCounts,
               const Dataset* dataset = nullptr);
  Program& trainProgram(const MicroBatch& piece) {
    return *m_train.at({piece.samples, piece.step});
  }
  /// The program of the last micro-batch of an update on this many samples: the one that updates
  /// the weights.
  Program& trainProgram(int64_t samples) {
    return trainProgram(m_steps.microBatchesOf(samples).back());
  }
  Program& evaluateProgram(int64_t samples) { return *m_evaluate.at(samples); }

  /// Replaces the project, keeping the weights and optimizer state. Compiles all programs again for
  /// the same numbers of samples. Fails like the constructor and prepare().
  void adopt(const CheckedProject& changed, const Dataset* dataset);
  /// Plans the steps of later parts of the run, each with the state that the earlier parts leave,
  /// so that their kernels are chosen while kernels may still be timed. plannedPeakBytes() then
  /// includes them. Fails: OutOfMemory where a part exceeds a set limit; plannedPeakBytes() is then
  /// unchanged.
  void lookAhead(const std::vector<RunPart>& parts, int64_t samples);
  /// Resets the state of the optimizer, including that of layers that are frozen now.
  void resetOptimizer();

  /// Evaluates samples begin..begin+count-1 in order. Calls `onBatch` after each program with the
  /// first sample and the number of samples. Returns false if stopped.
  bool evaluate(const Samples& samples, const InputTransforms& transforms, int64_t begin,
                int64_t count, const std::stop_token& stop, BatchSums& sums,
                const std::function<void(const Program&, int64_t, int64_t)>& onBatch = {});

  /// Memory allocated for this network: variables, arena, inputs, constants. For a training network
  /// this equals the planned memory of its step.
  size_t allocatedBytes() const;
  /// The largest peak of the present steps and of those that lookAhead() planned, and the plan of
  /// that step.
  size_t plannedPeakBytes() const;
  MemoryPlan memoryPlan() const;

 private:
  std::unique_ptr<Program> build(StepMode mode, int64_t samples, const Dataset* dataset,
                                 MicroStep microStep = MicroStep::Whole);
  /// Fails: InvalidFile with file, row and value where a label or index in the data is too large
  /// for the network.
  void requireFit(const Dataset& dataset) const;
  /// True if evaluations cut batches into the same micro-batches as training, because a loss sums
  /// over whole batches.
  bool isSumInPieces() const;
  /// Requires: the largest micro-batch, which updates, is built before the others.
  void buildTraining(int64_t samples, MicroStep microStep, const Dataset* dataset);
  /// part: the part of the run that the error names; null: the present one.
  void requireLimit(size_t peakBytes, const RunPart* part = nullptr) const;
  void buildEvaluations(const Dataset* dataset);
  /// The different batch sizes needed to evaluate `count` samples; none is larger than a
  /// micro-batch.
  std::vector<int64_t> evaluateBatchesOf(int64_t count) const;
  /// The micro-batches of the next batch of an evaluation with `left` samples left.
  std::vector<MicroBatch> evaluatePiecesOf(int64_t left) const;
  Program& primary() const;
  size_t presentPeakBytes() const;

  StepBuilder m_steps;
  NetworkState m_state;
  BatchArrays m_arrays;
  StepSums m_sums;
  // The plan of the largest part that lookAhead() planned
  MemoryPlan m_laterMemory;
  int64_t m_evaluateBatch = 1;
  // Total numbers of samples that are evaluated
  std::set<int64_t> m_evaluateCounts;
  // By samples; the last one is the largest that updates
  std::map<std::pair<int64_t, MicroStep>, std::unique_ptr<Program>> m_train;
  std::map<int64_t, std::unique_ptr<Program>> m_evaluate;
  // Samples of a batch of an evaluation
  std::vector<int32_t> m_indices;
};

}  // namespace strata
