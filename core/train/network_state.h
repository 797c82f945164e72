// SPDX-License-Identifier: Apache-2.0
// The values of a network: weights, recurrent state that is carried between batches, and optimizer
// state. NetworkState initializes, loads and saves these values. Not here: the programs that change
// them (network.h). Thread: only the thread of the network may use an object.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/data/dataset.h"
#include "core/interchange/safetensors.h"
#include "core/interchange/tensor_reader.h"
#include "core/runs/events.h"
#include "core/train/kept_weights.h"
#include "core/train/network_values.h"
#include "gpu/exec/program.h"

namespace strata {

class NetworkState {
 public:
  explicit NetworkState(NetworkValues values) : m_values(std::move(values)) {}
  NetworkValues& values() { return m_values; }
  const NetworkValues& values() const { return m_values; }
  /// Returns the variables that the layers requested. They are known after the first step was
  /// built.
  const std::vector<VariableRequest>& variables() const { return m_variables; }
  /// Returns the total number of elements in all variables.
  int64_t parameters() const;

  /// Stores the variables that a step requests, unless variables are already known. `inputs` are
  /// the names of the Input layers.
  void describe(const StepGraph& step, const std::vector<std::string>& inputs);
  /// Forgets the known variables after the design has changed, so that the next step sets them
  /// again.
  void forgetRequests();
  /// Initializes variables that were added during a run. `before` contains the sorted names of the
  /// earlier variables.
  void addMissing(const std::vector<std::string>& before, uint64_t seed);

  /// Initializes all variables from the seed, and variables that depend on the training data from
  /// `dataset`. Requires: Network::prepare().
  void initialize(uint64_t seed, const Dataset* dataset = nullptr);
  /// Sets the weights by name with matchWeights(), and returns its notes. Fails: InvalidFile with
  /// file and tensor if a tensor is missing, unknown or has another shape.
  std::vector<std::string> setWeights(TensorReader& tensors, const std::string& file);
  std::vector<std::string> setWeights(const std::map<std::string, Tensor>& tensors,
                                      const std::string& file);
  /// Takes over the weights of layers whose variables all exist with the same shapes. Other layers
  /// keep their values. Requires: initialize().
  KeptLayers takeWeights(TensorReader& tensors, const std::string& file);
  /// Returns the state of a dynamic loss scale, or nullopt if the network has none.
  std::optional<LossScaleState> lossScale() const;
  /// Replaces the weights by their moving averages, if the optimizer has them. Requires: the
  /// optimizer has made an update.
  void useAverages();
  /// Exchanges the weights and their moving averages, if `isOn` and the optimizer has them, and
  /// exchanges them back when destroyed. Both keep all bits. Requires: the optimizer has made an
  /// update.
  class AveragedWeights {
   public:
    AveragedWeights(NetworkState& state, bool isOn);
    ~AveragedWeights();
    AveragedWeights(const AveragedWeights&) = delete;
    AveragedWeights& operator=(const AveragedWeights&) = delete;

   private:
    NetworkState& m_state;
    const bool m_isOn;
  };

  /// Returns the variables of the layers, which weights.safetensors contains.
  std::map<std::string, Tensor> weights() const;
  /// Returns the variables and the optimizer state, which a checkpoint contains.
  std::map<std::string, Tensor> all() const;
  /// Returns the values that weights() copies.
  NetworkSnapshot weightSnapshot() const;
  /// Sets everything that all() returns. Requires: StepBuilder::hold() for state that only an
  /// earlier stage used. Fails: InvalidFile with the tensor.
  void setAll(const std::map<std::string, Tensor>& tensors, const std::string& file);

  /// Sets carried state to zero, and restores its values when destroyed, so that an evaluation does
  /// not affect training.
  class FreshCarriedStates {
   public:
    explicit FreshCarriedStates(NetworkState& state);
    ~FreshCarriedStates();
    FreshCarriedStates(const FreshCarriedStates&) = delete;
    FreshCarriedStates& operator=(const FreshCarriedStates&) = delete;

   private:
    NetworkValues& m_state;
    std::map<std::string, Tensor> m_before;
  };

 private:
  void exchangeAverages();

  NetworkValues m_values;
  std::vector<std::string> m_inputs;
  std::vector<VariableRequest> m_variables, m_optimizerState;
};

}  // namespace strata
