// SPDX-License-Identifier: Apache-2.0
// A network compiled for one device: the programs for a full batch, the ragged last one and
// evaluation. Training (trainer.h), evaluation (evaluator.h), bench and plan all run through it, so
// they agree bit for bit.
// Not here: graphs of steps (step_builder.h), values (network_state.h), samples (batch_arrays.h,
// feeder.h), the loop, checkpoints, threads of a session.
// Thread: one thread at a time; batches are gathered on the device's pool.
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
  /// Opens the device; compiles nothing yet. Fails: InvalidProject with the first problem; as
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

  /// Compiles what steps on these numbers of samples and evaluations of so many in all need; then
  /// addresses are fixed. May be called again for more. Evaluations are cut so that they take no
  /// more memory than the steps.
  /// Fails: as buildStep and Program::build, naming the layer; ShapeMismatch where the data does
  /// not fit the network.
  void prepare(const std::vector<int64_t>& trainSamples, const std::vector<int64_t>& evaluateCounts,
               const Dataset* dataset = nullptr);
  Program& trainProgram(const MicroBatch& piece) {
    return *m_train.at({piece.samples, piece.step});
  }
  /// Of the last piece of an update on this many samples: the one that updates the weights.
  Program& trainProgram(int64_t samples) {
    return trainProgram(m_steps.microBatchesOf(samples).back());
  }
  Program& evaluateProgram(int64_t samples) { return *m_evaluate.at(samples); }

  /// Trains on as this copy of the project says, with the weights and optimizer state that are
  /// there. What was compiled is compiled anew for the same numbers of samples. Fails: as the
  /// constructor and prepare().
  void adopt(const CheckedProject& changed, const Dataset* dataset);
  /// What its training steps over `samples` will be, each part with the state that those before
  /// leave, is looked at now: kernels are chosen while they may still be timed, and
  /// plannedPeakBytes() counts it. Fails: OutOfMemory where a part is above a limit that is set;
  /// plannedPeakBytes() stays as it was then.
  void lookAhead(const std::vector<RunPart>& parts, int64_t samples);
  /// What the optimizer remembers begins anew, of layers that are frozen now, too.
  void resetOptimizer();

  /// Samples begin..begin+count-1 in order. `onBatch` sees each program after its run, with the
  /// first sample and their number. False where stopped.
  bool evaluate(const Samples& samples, const InputTransforms& transforms, int64_t begin,
                int64_t count, const std::stop_token& stop, BatchSums& sums,
                const std::function<void(const Program&, int64_t, int64_t)>& onBatch = {});

  /// Bytes that the engine holds for this network: variables, arena, inputs, constants. Of a
  /// training network: what its step's plan predicts.
  size_t allocatedBytes() const;
  /// Of its steps now and of those that were looked ahead to: what the most of them takes, and that
  /// one's plan.
  size_t plannedPeakBytes() const;
  MemoryPlan memoryPlan() const;

 private:
  std::unique_ptr<Program> build(StepMode mode, int64_t samples, const Dataset* dataset,
                                 MicroStep microStep = MicroStep::Whole);
  /// Fails: InvalidFile naming file, row and value where the data holds a label or index that the
  /// network has no place for.
  void requireFit(const Dataset& dataset) const;
  /// Does an evaluation cut its batches as training does, since what it tells is of whole ones?
  bool isSumInPieces() const;
  /// Requires: the largest piece, which updates, before the others.
  void buildTraining(int64_t samples, MicroStep microStep, const Dataset* dataset);
  /// part: that the error names; null: the present one.
  void requireLimit(size_t peakBytes, const RunPart* part = nullptr) const;
  void buildEvaluations(const Dataset* dataset);
  /// Numbers of samples in the batches that evaluating `count` samples takes; no larger than a
  /// piece of an update.
  std::vector<int64_t> evaluateBatchesOf(int64_t count) const;
  /// The next batch of an evaluation of which `left` samples are left, in pieces.
  std::vector<MicroBatch> evaluatePiecesOf(int64_t left) const;
  Program& primary() const;
  size_t presentPeakBytes() const;

  StepBuilder m_steps;
  NetworkState m_state;
  BatchArrays m_arrays;
  StepSums m_sums;
  // Of what was looked ahead to, the part that takes the most
  MemoryPlan m_laterMemory;
  int64_t m_evaluateBatch = 1;
  // Numbers of samples that are evaluated in one go
  std::set<int64_t> m_evaluateCounts;
  // By samples; the last is the largest of those that update.
  std::map<std::pair<int64_t, MicroStep>, std::unique_ptr<Program>> m_train;
  std::map<int64_t, std::unique_ptr<Program>> m_evaluate;
  // Of an evaluation's batch
  std::vector<int32_t> m_indices;
};

}  // namespace strata
