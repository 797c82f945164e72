// SPDX-License-Identifier: Apache-2.0
// A replica of a network: one device with its own values, batches and programs. A network has one,
// or several that train side by side (replication): each computes a share of every batch, and
// gradients are summed over all of them (gpu/ops/all_reduce.cpp). Or each device computes some
// layers of every batch, and sends values to the others (core/compile/cut_step.h).
// Not here: graphs of steps (step_builder.h), and what replicas have in common (network.h).
// Thread: only the thread of the network may use a replica, and not while a step runs.
#pragma once

#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include "core/train/batch_arrays.h"
#include "gpu/base/awaited_number.h"
#include "gpu/base/error.h"
#include "gpu/exec/program.h"
#include "gpu/exec/replica_group.h"

namespace strata {

struct Replica {
  explicit Replica(Device& ownDevice) : device(ownDevice), values(ownDevice), arrays(ownDevice) {}

  Device& device;
  State values;
  BatchArrays arrays;
  /// Training programs by number of samples and position of the micro-batch. The last program in
  /// this order is the largest one that updates the weights.
  std::map<std::pair<int64_t, MicroStep>, std::unique_ptr<Program>> train;
  /// Programs for evaluation by number of samples. Only the first replica evaluates, or all devices
  /// that compute the network together.
  std::map<int64_t, std::unique_ptr<Program>> evaluate;
};

/// Runs a step on all replicas at the same time. Rank 0 runs on the caller's thread, and each other
/// rank on a separate thread.
class ReplicaThreads {
 public:
  /// The group must outlive the object.
  explicit ReplicaThreads(ReplicaGroup& group);
  ~ReplicaThreads();
  ReplicaThreads(const ReplicaThreads&) = delete;
  ReplicaThreads& operator=(const ReplicaThreads&) = delete;

  /// Submits one program for each rank, and returns when all of them are done. A rank whose program
  /// is null does nothing, and its ticket is that of no step. If one was stopped,
  /// also in another process, none has changed a variable, and the first ticket has the outcome
  /// Stopped.
  /// Fails: with the error of the replica that failed first by rank, which the error names.
  std::vector<Ticket> submit(std::span<Program* const> programs, const std::stop_token& stop);

 private:
  void work(int rank);
  void runOne(int rank);
  Error withNumber(const Error& error, size_t rank) const;
  void leaveProcesses(ProcessState state, const std::string& why);
  int64_t step() const { return static_cast<int64_t>(m_begun.get()); }

  ReplicaGroup& m_group;
  const bool m_maySpin;
  // The number of the step that runs, and of the last one that all threads have done. Each thread
  // runs each step once.
  AwaitedNumber m_begun, m_done;
  std::atomic<int> m_running{0};
  std::atomic<bool> m_ends{false};
  std::span<Program* const> m_programs;
  std::stop_token m_stop;
  std::vector<Ticket> m_tickets;
  std::vector<std::exception_ptr> m_failures;
  std::vector<std::jthread> m_threads;
};

}  // namespace strata
