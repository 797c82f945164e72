// SPDX-License-Identifier: Apache-2.0
// A trained network for inference: evaluation on a split, and predictions for single inputs. Not
// here: training (training_run.h). Thread: one thread at a time.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/inputs.h"
#include "core/project/project.h"
#include "gpu/exec/backend.h"

namespace strata {

/// The predictions of one output for the samples of a split.
struct EvaluatedClasses {
  // The layer
  std::string output;
  // One per sample; empty: the output does not classify
  std::vector<int32_t> predictedClasses;
  // Probability of the predicted class
  std::vector<float> confidences;
  // The true classes, in the same order
  std::vector<int32_t> classes;
  std::vector<std::string> classNames;
};

struct EvaluationResult {
  std::string split;
  int64_t samples = 0;
  double loss = 0;
  std::vector<std::pair<std::string, double>> metrics;
  // One for each output with a loss
  std::vector<EvaluatedClasses> outputs;
};

/// The class that an output predicts for a sample.
struct PredictedClass {
  int32_t index = 0;
  float probability = 0;
};

class Evaluator {
 public:
  /// `weights`: a .safetensors or .npz file or a run directory, with tensor names that
  /// matchWeights() understands. Fails: InvalidFile with the name of the tensor (truncated, of
  /// another network, or not finite), IoFailure, InvalidProject.
  Evaluator(const Project& project, const std::string& weights, const std::string& device = "auto",
            int threads = 0);
  ~Evaluator();
  EvaluationResult evaluate(const std::string& split = "test", const Dataset* dataset = nullptr);
  /// Takes one sample: for each Input layer an array of its shape, with raw values before the
  /// transforms (images 0..255). Returns the values of each output.
  std::vector<std::vector<float>> predict(std::span<const Tensor> inputs);
  /// The class predicted by an output of predict(), according to the loss it was trained with: one
  /// of several for a categorical cross-entropy, 0 or 1 for a binary one. Absent where the output
  /// does not classify the sample as a whole.
  std::optional<PredictedClass> classOf(size_t output, std::span<const float> values) const;
  const Project& project() const;
  /// The Input layers in their order.
  std::vector<WantedInput> inputs() const;
  /// The outputs of predict(): first those with a loss, then the others.
  std::vector<std::string> outputNames() const;
  /// The conversion of raw values to inputs of the network: the one kept in the run of the weights,
  /// otherwise that of the project and its data.
  const Preprocessing& preprocessing() const;
  /// Notes about tensors of the file that were renamed or ignored.
  const std::vector<std::string>& weightNotes() const;
  /// The weights file.
  const std::string& weightsPath() const;
  /// The weights by the names of the network, without state carried from batch to batch.
  std::map<std::string, Tensor> weights() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
