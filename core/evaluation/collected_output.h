// SPDX-License-Identifier: Apache-2.0
// The predictions of an output for the samples of a split, with the true values. Not here: how they
// are collected (core/train/output_collector.h).
// Thread: value types without shared state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace strata {

enum class OutputKind : uint8_t {
  // One of several classes: a probability for each class
  Classes,
  // Class 0 or 1: the probability of class 1
  Binary,
  // Several labels that a sample may have together: a probability for each label
  Labels,
  // Values, such as those of a regression
  Values,
};

struct CollectedOutput {
  // Name of the output's layer
  std::string output;
  OutputKind kind = OutputKind::Values;
  int64_t samples = 0, columns = 0;
  // Probabilities or values by [sample, column]
  std::vector<float> predicted;
  // Classes and Binary: the predicted class of each sample, and the true one, which is -1 for a
  // sample that the loss ignores. Empty for other kinds.
  std::vector<int32_t> predictedClasses, classes;
  // Labels and Values: the true values by [sample, column]; a label is true above 0.5. Empty for
  // other kinds.
  std::vector<float> truth;
  // Names of the classes or labels, as many as there are. Empty for Values.
  std::vector<std::string> classNames;
};

}  // namespace strata
