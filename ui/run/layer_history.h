// SPDX-License-Identifier: GPL-3.0-or-later
// The statistics of the layers of a run over its time, in bounded memory. Not here: sampling them
// (core/train/layer_sampler.h), their file (core/layer_statistics/layer_file.h). It does not use
// Qt. Thread: a value without locks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/layer_statistics/layer_sample.h"
#include "core/layer_statistics/layer_verdict.h"
#include "core/runs/layer_sampling.h"

namespace strata::ui {

class LayerHistory {
 public:
  /// What all samples together may take, about.
  static constexpr size_t kMaxBytes = size_t{16} << 20;

  void setSampling(LayerSampling sampling) { m_sampling = std::move(sampling); }
  /// Returns how layers are sampled; nullopt if nobody asked for it.
  const std::optional<LayerSampling>& sampling() const { return m_sampling; }
  /// Adds a sample. When there are too many, every second one is dropped, and from then on only
  /// every second, fourth, ... one is kept. The samples of another network replace all.
  void add(std::shared_ptr<const LayerSample> sample);
  bool isEmpty() const { return m_latest.empty(); }
  /// Returns the kept samples, oldest first.
  std::span<const std::shared_ptr<const LayerSample>> samples() const { return m_samples; }
  /// Returns the newest sample. Requires: !isEmpty().
  const LayerSample& last() const { return m_latest.back(); }
  /// Returns which part of the time the newest samplings took; nullopt if there are fewer than two.
  std::optional<double> costShare() const;
  /// Returns the verdicts on the layers by the newest samples.
  std::vector<LayerVerdict> verdicts() const;

 private:
  std::optional<LayerSampling> m_sampling;
  std::vector<std::shared_ptr<const LayerSample>> m_samples;
  size_t m_most = 0;
  int64_t m_stride = 1, m_added = 0;
  // The last kVerdictSamples ones
  std::vector<LayerSample> m_latest;
};

/// Reads the statistics of a run up to `lastStep` from its files. `problem` says what could not be
/// read; it is "" if all is well or the run has none. Fails: Stopped.
LayerHistory readLayerHistory(const std::string& runDirectory, int64_t lastStep,
                              std::string& problem, const std::stop_token& stop);

}  // namespace strata::ui
