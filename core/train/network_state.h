// SPDX-License-Identifier: Apache-2.0
// The values of a network: weights, what layers carry from batch to batch, the optimizer's state;
// how they begin, where they come from and what is saved of them. Not here: the programs that
// change them (network.h). Thread: the network's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/data/dataset.h"
#include "core/interchange/safetensors.h"
#include "core/interchange/tensor_reader.h"
#include "core/train/kept_weights.h"
#include "gpu/exec/program.h"

namespace strata {

class NetworkState {
 public:
  State& values() { return m_values; }
  const State& values() const { return m_values; }
  /// What the layers asked for, after the first step was built.
  const std::vector<VariableRequest>& variables() const { return m_variables; }
  // Elements of all of them
  int64_t parameters() const;

  /// Takes over what a step asks for, unless it is known. `inputs`: the network's Input layers.
  void describe(const StepGraph& step, const std::vector<std::string>& inputs);
  /// The design has changed: what the next step asks for counts.
  void forgetRequests();
  /// Variables that were not among `before` begin from the seed, as part of a run that goes on.
  void addMissing(const std::vector<std::string>& before, uint64_t seed);

  /// From the seed, and from the data where layers take numbers from it. Requires:
  /// Network::prepare().
  void initialize(uint64_t seed, const Dataset* dataset = nullptr);
  /// By name, as matchWeights(); returns its notes for people. Fails: InvalidFile naming file and
  /// tensor where one is missing, too much or of another shape.
  std::vector<std::string> setWeights(TensorReader& tensors, const std::string& file);
  std::vector<std::string> setWeights(const std::map<std::string, Tensor>& tensors,
                                      const std::string& file);
  /// Takes over the layers whose variables are all there and of the same shapes; the others keep
  /// their values. Requires: initialize().
  KeptLayers takeWeights(TensorReader& tensors, const std::string& file);
  /// The moving averages take the place of the weights, where the optimizer keeps them.
  void useAverages();

  // Of the layers: what weights.safetensors holds
  std::map<std::string, Tensor> weights() const;
  // Optimizer state, too: what a checkpoint holds
  std::map<std::string, Tensor> all() const;
  /// The same where it lies, until the next step or write.
  TensorViews weightViews() const;
  TensorViews allViews() const;
  /// Requires: hold() of what only an earlier stage used. Fails: InvalidFile naming the tensor.
  void setAll(const std::map<std::string, Tensor>& tensors, const std::string& file);

  /// What layers carry from batch to batch begins with zeros while this lives, and goes on after it
  /// as it was: an evaluation changes no training.
  class FreshCarriedStates {
   public:
    explicit FreshCarriedStates(NetworkState& state);
    ~FreshCarriedStates();
    FreshCarriedStates(const FreshCarriedStates&) = delete;
    FreshCarriedStates& operator=(const FreshCarriedStates&) = delete;

   private:
    State& m_state;
    std::map<std::string, Tensor> m_before;
  };

 private:
  State m_values;
  std::vector<std::string> m_inputs;
  std::vector<VariableRequest> m_variables, m_optimizerState;
};

}  // namespace strata
