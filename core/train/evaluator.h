// SPDX-License-Identifier: Apache-2.0
// A trained network to ask: evaluation on a split and predictions for single inputs. Thread: one thread at a time.
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
  std::string output;                     // the layer
  std::vector<int32_t> predictedClasses;  // a sample each; empty: the output does not classify
  std::vector<float> confidences;         // probability of the predicted class
  std::vector<int32_t> classes;           // what each sample is, beside predictedClasses
  std::vector<std::string> classNames;
};

struct Evaluation {
  std::string split;
  int64_t samples = 0;
  double loss = 0;
  std::vector<std::pair<std::string, double>> metrics;
  std::vector<EvaluatedClasses> outputs;  // of each output that is trained
};

/// What an output says of the class.
struct PredictedClass {
  int32_t index = 0;
  float probability = 0;
};

class Evaluator {
 public:
  /// `weights`: a .safetensors or .npz file or a run directory; names of tensors as matchWeights() takes them. Fails: InvalidFile (truncated,
  /// of another network or not finite: names the tensor), IoFailure, InvalidProject.
  Evaluator(const Project& project, const std::string& weights, const std::string& device = "auto", int threads = 0);
  ~Evaluator();
  Evaluation evaluate(const std::string& split = "test", const Dataset* dataset = nullptr);
  /// One sample: for each Input layer an array of its shape as raw values before the project's transforms (images 0..255). Returns what each output says.
  std::vector<std::vector<float>> predict(std::span<const Tensor> inputs);
  /// The class that an output of predict() names, by the loss that it was trained with: a cross-entropy chooses one of several, or says yes (1) or
  /// no (0) with one number. Absent where it does not classify, or not the sample as a whole.
  std::optional<PredictedClass> classOf(size_t output, std::span<const float> values) const;
  const Project& project() const;
  std::vector<WantedInput> inputs() const;       // Input layers in their order
  std::vector<std::string> outputNames() const;  // of predict(): those that are trained, then the others
  /// How raw values become what enters the network: as kept in the run that the weights are of, else of the project and its data as they are now.
  const Preprocessing& preprocessing() const;
  const std::vector<std::string>& weightNotes() const;  // what the file called otherwise, what was passed over
  const std::string& weightsPath() const;               // the file they came from
  std::map<std::string, Tensor> weights() const;        // by the network's names, without what a batch leaves to the next one

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
