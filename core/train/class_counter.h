// SPDX-License-Identifier: Apache-2.0
// Counts what a validation predicts for each class, from the outputs that it computes anyway. The
// figures are those of `strata evaluate` for the same weights and samples. Not here: the figures
// themselves (core/evaluation/confusion.h).
// Thread: only the thread of the network may use an object.
#pragma once

#include <memory>
#include <vector>

#include "core/data/dataset.h"
#include "core/evaluation/class_validation.h"
#include "core/train/class_reading.h"
#include "core/train/network.h"

namespace strata {

class ClassCounter {
 public:
  /// Both must outlive the object.
  ClassCounter(Network& network, const Dataset& dataset) : m_network(network), m_dataset(dataset) {}

  /// Whether an output may classify its samples as a whole, as far as its loss says.
  bool mayClassify() const;
  /// Begins a validation.
  void begin();
  /// Adds the samples of a batch of the validation after its program has run.
  void add(const Program& program, int64_t samples);
  /// Returns the classes of the validation; null if no output classifies, or if an output has more
  /// than kMaxConfusionClasses classes for all outputs. Requires: all samples were added.
  std::shared_ptr<const ClassValidation> take(int64_t step, int64_t epoch) const;

 private:
  struct Output {
    size_t index = 0;
    int64_t classes = 0;
    ClassReading reading;
    std::vector<std::string> classNames;
    // The true and the predicted classes of the validation samples
    std::vector<int32_t> truth, predicted;
  };
  void findOutputs(const Program& program, int64_t samples);

  Network& m_network;
  const Dataset& m_dataset;
  bool m_isReady = false;
  std::vector<Output> m_outputs;
};

}  // namespace strata
