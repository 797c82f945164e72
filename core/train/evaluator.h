// SPDX-License-Identifier: Apache-2.0
// A trained network for inference. It evaluates splits, and makes predictions for single inputs.
// Not here: training (training_run.h). Thread: only one thread at a time may use an object.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/inputs.h"
#include "core/evaluation/collected_output.h"
#include "core/evaluation/figure.h"
#include "core/project/project.h"
#include "core/train/class_reading.h"
#include "gpu/exec/device.h"

namespace strata {

class Network;

/// The predictions of one output for the samples of a split.
struct EvaluatedClasses {
  // Name of the output's layer
  std::string output;
  // Predicted classes, one for each sample; empty if the output does not classify
  std::vector<int32_t> predictedClasses;
  // Probabilities of the predicted classes
  std::vector<float> confidences;
  // The true classes, in the same order; -1 for a sample that the loss ignores (ignore_class)
  std::vector<int32_t> classes;
  std::vector<std::string> classNames;
};

struct EvaluationResult {
  std::string split;
  int64_t samples = 0;
  double loss = 0;
  std::vector<std::pair<std::string, double>> metrics;
  // One entry for each output with a loss
  std::vector<EvaluatedClasses> outputs;
  // With Collect::Outputs, one entry for each output with a loss: its predictions and true values,
  // or the reason why they are not collected (output_collector.h). Otherwise empty.
  std::vector<Figure<CollectedOutput>> collected = {};
};

/// What an evaluation keeps in addition to loss and metrics.
enum class Collect : uint8_t {
  // The predicted classes
  Classes,
  // Also the values of all outputs, with at most kMaxCollectedBytes
  Outputs,
};

class Evaluator {
 public:
  /// Opens a network with trained weights. `weights` is a .safetensors or .npz file, or a run
  /// directory. The names of the tensors must match as matchWeights() requires. Fails: InvalidFile
  /// with the name of the tensor (truncated, from another network, or not finite); IoFailure;
  /// InvalidProject.
  Evaluator(const Project& project, const std::string& weights, const std::string& device = "auto",
            int threads = 0);
  ~Evaluator();
  /// Evaluates a split. Loads the data of the project if `dataset` is null. Fails: Stopped after a
  /// stop request.
  EvaluationResult evaluate(const std::string& split = "test", const Dataset* dataset = nullptr,
                            Collect collect = Collect::Classes, const std::stop_token& stop = {});
  /// Predicts one sample. `inputs` contains an array of raw values for each Input layer, before the
  /// transforms (for images 0 to 255, or 0 to 65535). Returns the values of each output. Fails:
  /// ShapeMismatch; InvalidArgument if a layer cannot use a value (core/check/data_fit.h).
  std::vector<std::vector<float>> predict(std::span<const Tensor> inputs);
  /// Returns the arrays of a sample as the network receives them: after the transforms, with a
  /// batch dimension of 1. Fails: as predict().
  std::vector<Tensor> convert(std::span<const Tensor> inputs) const;
  /// Returns the class that an output of predict() selects, according to its loss: one of several
  /// classes for a categorical cross-entropy, 0 or 1 for a binary cross-entropy. Returns nullopt if
  /// the output does not classify the sample as a whole.
  std::optional<PredictedClass> classOf(size_t output, std::span<const float> values) const;
  /// Returns the network, with its weights. Do not change it.
  Network& network();
  /// Returns the project of the network. Its source reads images as the run of the weights did.
  const Project& project() const;
  /// Returns the Input layers in their order.
  std::vector<WantedInput> inputs() const;
  /// Returns the names of the outputs of predict(): first the outputs with a loss, then the others.
  std::vector<std::string> outputNames() const;
  /// Returns the conversion of raw values to inputs. The conversion comes from the run of the
  /// weights, or otherwise from the project and its data.
  const Preprocessing& preprocessing() const;
  /// Returns notes about tensors of the file that were renamed or ignored.
  const std::vector<std::string>& weightNotes() const;
  /// Returns the path of the weights file.
  const std::string& weightsPath() const;
  /// Returns the weights by their names in the network, without the state that recurrent layers
  /// carry between batches.
  std::map<std::string, Tensor> weights() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
