// SPDX-License-Identifier: Apache-2.0
// A trained network to ask: evaluation on a split and predictions for single inputs. Thread: one
// thread at a time.
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

/// What an output that classifies says of the samples.
struct EvaluatedClasses {
  // The layer
  std::string output;
  // A sample each; empty: the output does not classify
  std::vector<int32_t> predictedClasses;
  // Probability of the predicted class
  std::vector<float> confidences;
  // What each sample is, beside predictedClasses
  std::vector<int32_t> classes;
  std::vector<std::string> classNames;
};

struct Evaluation {
  std::string split;
  int64_t samples = 0;
  double loss = 0;
  std::vector<std::pair<std::string, double>> metrics;
  // Of each output that is trained
  std::vector<EvaluatedClasses> outputs;
};

/// What an output says of the class.
struct PredictedClass {
  int32_t index = 0;
  float probability = 0;
};

class Evaluator {
 public:
  /// `weights`: a .safetensors or .npz file or a run directory; names of tensors as matchWeights()
  /// takes them. Fails: InvalidFile (truncated, of another network or not finite: names the
  /// tensor), IoFailure, InvalidProject.
  Evaluator(const Project& project, const std::string& weights, const std::string& device = "auto",
            int threads = 0);
  ~Evaluator();
  Evaluation evaluate(const std::string& split = "test", const Dataset* dataset = nullptr);
  /// One sample: for each Input layer an array of its shape as raw values before the project's
  /// transforms (images 0..255). Returns what each output says.
  std::vector<std::vector<float>> predict(std::span<const Tensor> inputs);
  /// The class that an output of predict() names, by the loss that it was trained with: a
  /// cross-entropy chooses one of several, or says yes (1) or no (0) with one number. Absent where
  /// it does not classify, or not the sample as a whole.
  std::optional<PredictedClass> classOf(size_t output, std::span<const float> values) const;
  const Project& project() const;
  // Input layers in their order
  std::vector<WantedInput> inputs() const;
  // Of predict(): those that are trained, then the others
  std::vector<std::string> outputNames() const;
  /// How raw values become what enters the network: as kept in the run that the weights are of,
  /// else of the project and its data as they are now.
  const Preprocessing& preprocessing() const;
  // What the file called otherwise, what was passed over
  const std::vector<std::string>& weightNotes() const;
  // The file they came from
  const std::string& weightsPath() const;
  // By the network's names, without what a batch leaves to the next one
  std::map<std::string, Tensor> weights() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
