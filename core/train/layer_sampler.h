// SPDX-License-Identifier: Apache-2.0
// Samples the statistics of layers at some steps of a run. A program of its own computes the
// outputs and gradients of the step's batch, with copies of the weights and with the random numbers
// of the step, so that training is not affected: results keep all bits. It runs on the device of
// the first replica, on that replica's first micro-batch. Batch normalization uses the statistics
// of these samples, even if replicas synchronize theirs. If the program does not fit beside the
// run, it takes fewer samples of the batch; if none fits, the statistics are unknown.
// Not here: when to sample (core/layer_statistics/sampling_pace.h), files (layer_file.h).
// Thread: only the training thread may use an object.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/layer_statistics/layer_sample.h"
#include "core/layer_statistics/layer_verdict.h"
#include "core/runs/layer_sampling.h"
#include "core/train/layer_graph.h"
#include "core/train/network.h"

namespace strata {

class LayerSampler {
 public:
  /// The network must outlive the object.
  explicit LayerSampler(Network& network);
  ~LayerSampler();
  LayerSampler(const LayerSampler&) = delete;
  LayerSampler& operator=(const LayerSampler&) = delete;

  const std::shared_ptr<const WatchedLayers>& layers() const { return m_layers; }
  /// Compiles the program. `keptBytes` are those of the samples that the device keeps. A program
  /// that does not fit is no error: status() then says why.
  void build(size_t keptBytes);
  /// Frees the program and its memory, before the network is compiled again.
  void release();
  const LayerSampling& status() const { return m_status; }
  bool isReady() const { return m_program != nullptr; }

  /// The update that is sampled.
  struct Update {
    // Number of the update in the optimizer's count
    int64_t update = 0;
    double learningRate = 0;
    uint64_t seed = 0;
    // The batch: the indices of its samples, and the position of the first one in the epoch
    std::vector<int32_t> indices;
    int64_t firstSample = 0;
  };
  /// Computes the statistics with the weights before an update. Requires: isReady(), no update is
  /// pending, and the batch is full.
  void begin(const Update& update, const Dataset& dataset);
  /// Completes the statistics after the update, and returns them. `isOne` says whether the network
  /// made only this update since begin(); otherwise the update ratios are unknown. The caller sets
  /// step, epoch, seconds and cost.
  std::shared_ptr<LayerSample> finish(bool isOne);
  /// Forgets begin(), because the update was not made.
  void cancel() { m_sample.reset(); }
  bool isSampling() const { return m_sample != nullptr; }

 private:
  bool tryBuild(int64_t samples, size_t room);
  void copyWeights();
  double lossScale() const;
  void measureLayer(size_t index);
  void judgeUnits(size_t index, std::span<const float> values, LayerStatistics& result);
  void measureUpdates(size_t index, LayerStatistics& result) const;

  Network& m_network;
  std::shared_ptr<const WatchedLayers> m_layers;
  LayerSampling m_status;
  std::vector<LayerOutputs> m_outputs;
  std::unique_ptr<State> m_state;
  std::unique_ptr<Program> m_program;
  // The position of the first sample in the batch
  int64_t m_offset = 0;
  // The names of all watched weights, their values, and copies from before the update
  std::vector<std::string> m_names;
  std::optional<NetworkSnapshot> m_weights;
  std::map<std::string, std::vector<float>> m_before;
  // Per layer, the constant units of the latest samplings, oldest first
  std::vector<std::vector<std::vector<char>>> m_constant;
  std::shared_ptr<LayerSample> m_sample;
};

}  // namespace strata
