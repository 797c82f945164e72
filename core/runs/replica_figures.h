// SPDX-License-Identifier: Apache-2.0
// What the devices of a run did: memory, computing, communication and waiting of each, and their
// collectives. Events, `profile.json`, the command line and the window show these figures.
// Thread: plain values.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/json.h"
#include "gpu/graph/node.h"

namespace strata {

/// The figures of one device, or of one process if there are several. Times are those of all steps.
struct ReplicaFigures {
  // Such as "cpu:1", or "process 1 on node7"
  std::string name;
  // At the peak of a step
  std::array<size_t, kNumCategories> bytes{};
  // Computing, communication that computing does not hide, communication that it hides, and waiting
  // for other devices
  double computeSeconds = 0, exposedSeconds = 0, hiddenSeconds = 0, waitingSeconds = 0;
  size_t totalBytes() const;
};

/// A collective in all steps.
struct CollectiveFigures {
  // Such as "all_reduce"
  std::string op;
  int64_t number = 0;
  // Calls of each device, and bytes of a call
  int64_t calls = 0;
  size_t bytes = 0;
  // Including the time of waiting for other devices
  double medianSeconds = 0;
};

struct ReplicaReport {
  int64_t steps = 0;
  // One for each device; empty if there is only one
  std::vector<ReplicaFigures> replicas;
  std::vector<CollectiveFigures> collectives;
};

/// Returns the device that computes longest, and by which part it is slower than the mean of the
/// others; nullopt if that is less than 5%.
std::optional<std::pair<size_t, double>> slowestReplica(const ReplicaReport& report);

/// Says which device is slow, such as "cpu:2 is 9% slower than the others"; "" if none is.
std::string slowReplicaText(const ReplicaReport& report);

Json toJson(const ReplicaReport& report);
/// Throws Json::exception if the value is damaged.
ReplicaReport replicaReportFromJson(const Json& json);

}  // namespace strata
