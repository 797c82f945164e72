// SPDX-License-Identifier: Apache-2.0
// A parameter server (Li et al. 2014): it has the weights and the state of the optimizer. Workers
// compute gradients with copies of the weights; the server adds the gradients of an update in the
// order of the workers, and updates the weights. The server is in the process of the workers.
// Not here: the steps of workers (network.h) and their order (training_run.cpp).
// Thread: only the thread of the network may use an object, and not while a worker computes.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <stop_token>
#include <vector>

#include "core/train/replica.h"
#include "core/train/step_builder.h"

namespace strata {

/// The numbers of an update.
struct UpdateNumbers {
  int64_t step = 0;
  double learningRate = 0;
  uint64_t seed = 0;
};

class ParameterServer {
 public:
  /// All arguments must outlive the object.
  ParameterServer(const StepBuilder& steps, Device& device,
                  const std::vector<std::unique_ptr<Replica>>& workers);
  ParameterServer(const ParameterServer&) = delete;
  ParameterServer& operator=(const ParameterServer&) = delete;

  /// Returns the replica that has the weights, and evaluates.
  Replica& replica() { return m_replica; }
  const Replica& replica() const { return m_replica; }
  /// Compiles the update for the steps of the workers.
  void prepare(const StepGraph& worker);
  bool isPrepared() const { return m_update != nullptr; }
  /// Returns the program that updates the weights, or null before prepare().
  Program* update() const { return m_update.get(); }
  /// Allocates the weights and the memory of the update, before evaluations are bound.
  void reserve();
  /// Fixes the addresses of the update. Requires: the programs of workers and evaluations are
  /// bound.
  void bind();
  /// Forgets the update, which may change.
  void forget();
  /// Returns the step of the server without its graph.
  const StepGraph& step() const { return m_step; }

  /// Gives a worker the present weights, if it does not have them.
  void refresh(size_t worker);
  /// Updates the weights with the gradients of these workers, in this order.
  /// Requires: prepare(), bind().
  Ticket apply(std::span<const size_t> workers, const UpdateNumbers& numbers);
  /// Returns how many updates the server has made since a worker got its weights.
  int64_t ageOf(size_t worker) const { return m_version - m_versions[worker]; }

 private:
  void sum(const std::string& name, std::span<const size_t> workers);
  const StepBuilder& m_steps;
  const std::vector<std::unique_ptr<Replica>>& m_workers;
  Replica m_replica;
  StepGraph m_step;
  std::unique_ptr<Program> m_update;
  // The names of the sums that workers send, and where each worker has them
  std::vector<std::string> m_sums;
  std::vector<Snapshot> m_sent;
  // A sum on its way to a device whose memory the host cannot write
  Tensor m_staged;
  // The number of updates, and the one whose weights each worker has
  int64_t m_version = 0;
  std::vector<int64_t> m_versions;
  // State::changes() of the server when a worker got its weights
  std::vector<int64_t> m_changes;
};

}  // namespace strata
