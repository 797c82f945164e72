// SPDX-License-Identifier: Apache-2.0
// What the processes of a run tell each other, apart from gradients. The first process decides and
// writes files; the others follow it. All processes call the same functions in the same order.
// Not here: sums of gradients (gpu/exec/process_sums.h), and when the functions are called
// (training_run_processes.cpp).
// Thread: only the training thread may use an object.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/project/project.h"
#include "core/recipe/run_edits.h"
#include "core/train/checkpoint.h"
#include "core/train/network.h"
#include "core/train/step_scalars.h"
#include "gpu/exec/process_link.h"

namespace strata {

/// The orders of the first process for the next update.
struct StepOrder {
  bool goesOn = true;
  // Whether to save a checkpoint after the update
  bool saves = false;
  // Training time of the run so far
  double seconds = 0;
  // Changes that the user made since the last order
  std::vector<LiveChange> changes;
};

class RunProcesses {
 public:
  /// The link must outlive the object.
  explicit RunProcesses(ProcessLink& link);

  ProcessLink& link() const { return m_link; }
  bool isFirst() const { return m_link.isFirst(); }
  int rank() const { return m_link.rank(); }
  int size() const { return m_link.size(); }
  /// Returns such as "process 2 on node7".
  std::string nameOf(int rank) const;

  // These functions return the values that the first process passes.
  Json share(const Json& values) { return Json::parse(m_link.broadcast(values.dump())); }
  std::optional<Checkpoint> share(const std::optional<Checkpoint>& checkpoint);
  StepOrder share(const StepOrder& order);
  /// Gives all variables the values that they have in the first process.
  void share(State& state);

  /// Checks that each fact, such as the program's version, is the same in all processes.
  /// Fails: InvalidArgument with the host that differs and the fact.
  void requireEqual(const std::vector<std::pair<std::string, std::string>>& facts);
  /// Checks that all processes have the same values. Fails: Internal with the layer.
  void requireEqualValues(const State& state);
  /// Returns whether it is true in all processes.
  bool isTrueInAll(bool value);
  /// The times of a process in an update, in seconds: how long it has computed, communicated
  /// without and with computing meanwhile, and waited for others.
  struct Times {
    double computing = 0, exposed = 0, hidden = 0, waiting = 0;
  };
  /// Adds the sums of all micro-batches of an update, in the order of one process that computes all
  /// of them. `own`: those of this process, in rounds of `replicas`.
  void addSums(const std::vector<BatchSums>& own, size_t replicas, const Times& times,
               BatchSums& sums);
  /// Returns the times of each process in the last update.
  const std::vector<Times>& times() const { return m_times; }
  /// Returns the values of all processes, by rank.
  std::vector<Json> gather(const Json& values);

 private:
  ProcessLink& m_link;
  std::vector<std::string> m_hosts;
  // Reused, so that a step allocates no memory
  std::vector<double> m_ownNumbers, m_allNumbers;
  std::vector<Times> m_times;
};

/// Returns a hash of the samples. Samples that are decoded for each batch count with their origins,
/// and a few of them with their values.
std::string fingerprintOf(const Dataset& dataset);

}  // namespace strata
