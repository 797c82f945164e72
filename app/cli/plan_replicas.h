// SPDX-License-Identifier: GPL-3.0-or-later
// The part of `strata plan` for several devices that share each batch.
// Thread: only the main thread uses it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/train/plan.h"
#include "core/train/replica_plan.h"

namespace strata::cli {

class ReplicaArguments {
 public:
  /// Adds --replicas, --gigabits and --per-host.
  void addTo(Arguments& accepted);
  /// Predicts the step over each link; nothing without --replicas. Fails: InvalidArgument, and with
  /// the errors of planReplicas().
  std::vector<ReplicaPrediction> predict(const CheckedProject& project,
                                         const PlanOptions& plan) const;

 private:
  std::vector<int> replicas() const;
  double gigabits() const;
  std::string m_counts, m_speed;
  int64_t m_perHost = 1;
};

Json toJson(const std::vector<ReplicaPrediction>& all);
void print(const std::vector<ReplicaPrediction>& all);

}  // namespace strata::cli
