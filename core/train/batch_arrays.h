// SPDX-License-Identifier: Apache-2.0
// The arrays of a batch: one for each Input layer, then one for each target. The arrays have the
// names of the programs' inputs. BatchArrays copies samples into them. Not here: the selection of
// samples (feeder.h).
// Thread: only the thread of the network may use an object. Copies run on the pool of the device.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "core/compile/compile.h"
#include "core/data/dataset.h"
#include "gpu/exec/program.h"

namespace strata {

class BatchArrays {
 public:
  explicit BatchArrays(Device& device) : m_device(device) {}

  /// Sets the arrays to the inputs and targets of a step.
  void describe(const StepGraph& step);
  /// Checks that the arrays of the data fit the network. Fails: ShapeMismatch.
  void requireThoseOf(const Dataset& dataset, const TrainingOptions& recipe) const;

  /// Returns all arrays, with the shapes of a batch of 1.
  const std::vector<StepPort>& all() const { return m_arrays; }
  size_t numInputs() const { return m_numInputs; }
  size_t bytes(size_t array, int64_t samples) const;
  /// outputs() returns the outputs with a loss, and untrained() returns the outputs whose loss is
  /// null.
  const std::vector<StepOutput>& outputs() const { return m_outputs; }
  const std::vector<StepOutput>& untrained() const { return m_untrained; }

  /// Copies the samples with these indices into the inputs of the program. Also copies their
  /// weights, if the data has any. Large batches are copied on the pool. If the device does not
  /// read host memory, the next step takes them from memory of this object, so that step must be
  /// done before the call after the next one.
  void gather(Program& program, const Samples& samples, const InputTransforms& transforms,
              const int32_t* indices, int64_t count);
  /// Copies samples to `places`, which contains an address for each array in all(). An array with a
  /// null address is skipped.
  void gatherInto(std::span<std::byte* const> places, const Samples& samples,
                  const InputTransforms& transforms, const int32_t* indices, int64_t count) const;
  /// Copies the weights of the samples, if the data has any.
  void placeWeights(Program& program, const Samples& samples, const int32_t* indices,
                    int64_t count);

 private:
  /// Returns where host code writes an input for the next step. Feeds the program from `staging`,
  /// which grows to `bytes`, if the device does not read host memory.
  static std::byte* placeFor(Program& program, const std::string& input, AlignedBytes& staging,
                             size_t bytes);

  Device& m_device;
  std::vector<StepPort> m_arrays;
  size_t m_numInputs = 0;
  std::vector<StepOutput> m_outputs, m_untrained;
  // One address for each array in all(). Reused, so that a step allocates no memory.
  std::vector<std::byte*> m_places;
  // Memory for two batches, which take turns, on devices that do not read host memory: one for each
  // array, then one for the weights of each output
  std::array<std::vector<AlignedBytes>, 2> m_staging;
  size_t m_turn = 0;
};

}  // namespace strata
