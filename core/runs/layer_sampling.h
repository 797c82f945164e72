// SPDX-License-Identifier: Apache-2.0
// How the statistics of the layers of a run are sampled. Not here: the statistics
// (core/layer_statistics).
// Thread: plain values, and functions that only access the file system.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "core/project/diagnostic.h"

namespace strata {

/// An observer learns it when sampling begins, and again when it changes.
struct LayerSampling {
  // Empty if layers are sampled, otherwise the reason why their statistics are unknown, as the rest
  // of a sentence: "they need 3.2 GiB, and the run leaves 1.1 GiB"
  Phrase problem;
  // Whether the user has switched sampling off. The samples before that stay.
  bool isOff = false;
  // The device, and with several replicas the one that is sampled: "cpu" and "replica 0"
  std::string device, replica;
  // How many samples of each batch are used, and the size of the batch
  int64_t samples = 0, batchSize = 0;
  // Memory of the program that samples, which is not part of the plan of the run
  size_t bytes = 0;
  bool isSampled() const { return problem.text.isEmpty() && !isOff; }
  /// Returns the reason in English.
  std::string problemText() const { return formatText(problem.text, problem.arguments); }
};

/// Returns the event as a line of JSON.
std::string printSampling(const LayerSampling& sampling);
/// Returns the last such event of a run, or nullopt if it sampled no layers.
std::optional<LayerSampling> readLayerSampling(const std::string& runDirectory);

}  // namespace strata
