// SPDX-License-Identifier: Apache-2.0
// What a batch is made of, and how samples get into it: an array for each Input layer, then one for
// each target, by the names of the programs' inputs. Not here: which samples (feeder.h).
// Thread: the network's; copying is done on the device's pool.
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

  /// Takes over what a step reads.
  void describe(const StepGraph& step);
  /// Fails: ShapeMismatch where the data's arrays are not those of the network.
  void requireThoseOf(const Dataset& dataset, const TrainingOptions& recipe) const;

  /// The batch is 1.
  const std::vector<StepEnd>& all() const { return m_arrays; }
  size_t numInputs() const { return m_numInputs; }
  size_t bytes(size_t array, int64_t samples) const;
  /// Outputs that are trained; then those whose loss is null.
  const std::vector<StepOutput>& outputs() const { return m_outputs; }
  const std::vector<StepOutput>& untrained() const { return m_untrained; }

  /// Copies samples by index into the program's own inputs, with their weights where the data has
  /// some; on the pool where it is worth it.
  void gather(Program& program, const Samples& samples, const InputTransforms& transforms,
              const int32_t* indices, int64_t count);
  /// places: where each of all() goes; null: it is left out.
  void gatherInto(std::span<std::byte* const> places, const Samples& samples,
                  const InputTransforms& transforms, const int32_t* indices, int64_t count) const;
  /// Weights of the samples, where the data has some.
  void placeWeights(Program& program, const Samples& samples, const int32_t* indices,
                    int64_t count) const;

 private:
  Backend& m_backend;
  std::vector<StepEnd> m_arrays;
  size_t m_numInputs = 0;
  std::vector<StepOutput> m_outputs, m_untrained;
  // Of all(), reused: no allocation a step
  std::vector<std::byte*> m_places;
};

}  // namespace strata
