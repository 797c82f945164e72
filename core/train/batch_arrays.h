// SPDX-License-Identifier: Apache-2.0
// The arrays of a batch, and copying samples into them: an array for each Input layer, then one for
// each target, named like the inputs of the programs. Not here: which samples (feeder.h).
// Thread: the thread of the network; copies run on the pool of the device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/compile/compile.h"
#include "core/data/dataset.h"
#include "gpu/exec/program.h"

namespace strata {

class BatchArrays {
 public:
  explicit BatchArrays(Backend& backend) : m_backend(backend) {}

  /// Takes over the inputs and targets that a step reads.
  void describe(const StepGraph& step);
  /// Fails: ShapeMismatch where the arrays of the data do not fit the network.
  void requireThoseOf(const Dataset& dataset, const TrainingOptions& recipe) const;

  /// All arrays, with a batch of 1.
  const std::vector<StepEnd>& all() const { return m_arrays; }
  size_t numInputs() const { return m_numInputs; }
  size_t bytes(size_t array, int64_t samples) const;
  /// Outputs with a loss, and outputs whose loss is null.
  const std::vector<StepOutput>& outputs() const { return m_outputs; }
  const std::vector<StepOutput>& untrained() const { return m_untrained; }

  /// Copies samples by index into the inputs of the program, with their weights if the data has
  /// any. Large batches are copied on the pool.
  void gather(Program& program, const Samples& samples, const InputTransforms& transforms,
              const int32_t* indices, int64_t count);
  /// places: the destination of each of all(); null: the array is skipped.
  void gatherInto(std::span<std::byte* const> places, const Samples& samples,
                  const InputTransforms& transforms, const int32_t* indices, int64_t count) const;
  /// Copies the weights of the samples, if the data has any.
  void placeWeights(Program& program, const Samples& samples, const int32_t* indices,
                    int64_t count) const;

 private:
  Backend& m_backend;
  std::vector<StepEnd> m_arrays;
  size_t m_numInputs = 0;
  std::vector<StepOutput> m_outputs, m_untrained;
  // One for each of all(); reused, so that a step allocates nothing
  std::vector<std::byte*> m_places;
};

}  // namespace strata
