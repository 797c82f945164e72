// SPDX-License-Identifier: Apache-2.0
// Short runs on several logical processors, for tests that compare their bits.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tests/support/small_run.h"

namespace strata {

/// JSON pointers and values of a project.
using Values = std::vector<std::pair<std::string, std::string>>;

// Convolution, batch normalization and dropout
inline constexpr const char* kReplicaLayers = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": [3, 3], "padding": "same"},
  {"type": "BatchNormalization", "name": "norm"},
  {"type": "Activation", "name": "relu", "activation": "relu"},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dropout", "name": "dropped", "rate": 0.3},
  {"type": "Dense", "name": "hidden", "units": 9, "activation": "tanh"},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])";

/// Returns kReplicaLayers for two epochs, with further values.
inline Values with(const Values& more) {
  Values values{{"/model/layers", kReplicaLayers},
                {"/training/epochs", "2"},
                {"/execution/kernel_choice", "\"rule\""}};
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

struct Trained {
  std::vector<double> losses;
  std::string weights, error;
  std::vector<StepMetrics> steps;
};

/// Trains the small project with one thread for each device.
inline Trained trainOn(const std::string& device, const Values& values) {
  SessionOptions options = optionsFor(smallProjectWith(values));
  options.device = device;
  options.threads = 1;
  Recorder recorder;
  Trained result;
  const RunOutcome outcome = trainAll(options, recorder);
  if (outcome.outcome == Outcome::Failed) result.error = messageOf(outcome);
  for (const StepMetrics& step : recorder.steps)
    result.losses.push_back(step.loss);
  for (const EpochMetrics& epoch : recorder.epochs)
    result.losses.push_back(epoch.validationLoss);
  result.weights = recorder.outcome.weightsHash;
  result.steps = recorder.steps;
  return result;
}

}  // namespace strata
