// SPDX-License-Identifier: Apache-2.0
// How the values of an output become probabilities and a class. Evaluations, predictions and
// figures use this one reading, so that they agree. Not here: the reading of a metric, which is
// part of the graph (OutputReading in core/recipe/losses.h).
// Thread: value types and pure functions, so any thread may use them.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/tensor/tensor.h"

namespace strata {

class Graph;
class Network;
struct TrainingOptions;

/// The class that an output predicts for a sample.
struct PredictedClass {
  int32_t index = 0;
  float probability = 0;
};

struct ClassReading {
  // Whether the output classifies a sample as a whole
  bool isClassifier = false;
  // Whether each value is a separate answer: class 0 or 1, or one of several labels
  bool isBinary = false;
  bool isLogits = false;
  // The class that the loss ignores
  std::optional<int32_t> ignored = {};

  /// Returns the class of a sample; nullopt if the output selects no class.
  std::optional<PredictedClass> classOf(std::span<const float> output) const;
  /// Returns the index of classOf() in less time.
  std::optional<int32_t> indexOf(std::span<const float> output) const;
  /// Replaces the values of a sample by probabilities. That of the predicted class is the
  /// probability of classOf(), or 1 minus it for class 0 of a binary output. Does nothing if the
  /// output does not classify.
  void makeProbabilities(std::span<float> output) const;
};

/// Returns whether an output may classify, as far as the losses say.
bool mayClassify(const TrainingOptions& training);
/// Returns how the values of an output with a loss are read. `evaluation` is the graph of an
/// evaluation of `samples` samples, and `output` the position of the output.
ClassReading classReading(const Network& network, const Graph& evaluation, int64_t samples,
                          size_t output);

/// Returns the names of `count` classes: those of the data, and numbers for others.
std::vector<std::string> namesOfClasses(std::vector<std::string> names, int64_t count);

/// Returns the true classes of `count` samples, starting at `begin`, from labels, probabilities or
/// binary targets. The result is empty for other targets.
std::vector<int32_t> classesOf(const Tensor& y, int64_t begin, int64_t count, bool isBinary);

}  // namespace strata
