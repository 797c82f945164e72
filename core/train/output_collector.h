// SPDX-License-Identifier: Apache-2.0
// Collects the values of all outputs during an evaluation, in bounded memory. Not here: figures of
// the collected values (core/evaluation).
// Thread: only the thread of the network may use an object.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/evaluation/collected_output.h"
#include "core/evaluation/figure.h"
#include "core/train/class_reading.h"
#include "core/train/network.h"

namespace strata {

/// The largest memory of all collected outputs together. Outputs that exceed it are not collected.
constexpr int64_t kMaxCollectedBytes = int64_t{1} << 30;

class OutputCollector {
 public:
  /// Prepares to collect `count` samples. `readings` has an entry for each output with a loss. An
  /// output is not collected if it exceeds the limit, if it has a class for each position of a
  /// sample, if some of its positions may be masked, or if its loss compares no values. Requires:
  /// Network::prepare(); the network outlives the object.
  OutputCollector(Network& network, std::span<const ClassReading> readings, int64_t count,
                  int64_t maxBytes = kMaxCollectedBytes);
  /// Adds the samples of a batch after its program has run. Logits become probabilities.
  void add(const Program& program);
  /// Returns the outputs with the true values of the samples from `begin` on, and ends the
  /// collection. Requires: all samples were added.
  std::vector<Figure<CollectedOutput>> take(const Samples& samples, const Dataset& dataset,
                                            int64_t begin);

 private:
  Network& m_network;
  const std::span<const ClassReading> m_readings;
  const int64_t m_count;
  std::vector<Figure<CollectedOutput>> m_outputs;
};

}  // namespace strata
