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
  // Calls of each device that takes part, and bytes of a call
  int64_t calls = 0;
  size_t bytes = 0;
  // Of a call, including the time of waiting for other devices
  double medianSeconds = 0;
  // Of all calls of a device, the mean over those that take part, and the part of it for which the
  // device waited for others; both 0 in a run of an earlier version
  double totalSeconds = 0, waitingSeconds = 0;
  // How many of all devices take part, from 0 to 1. Only the receiver of a tensor does, for
  // example.
  double share = 1;

  /// Returns the mean time of a call, and its part for which bytes moved.
  double meanSeconds() const { return totalSeconds / static_cast<double>(calls); }
  double transferSeconds() const {
    return (totalSeconds - waitingSeconds) / static_cast<double>(calls);
  }
  /// Returns how many bytes a device sends per second while bytes move, if each collective sends as
  /// few as `devices` devices need; 0 if the time is not known.
  /// Source: bus bandwidth in PERFORMANCE.md of NVIDIA's nccl-tests.
  double busBytesPerSecond(size_t devices) const;
};

/// Collectives of the same kind in a step.
struct CollectiveSum {
  std::string op;
  // The mean over all devices: calls in a step, and the bytes of all of them
  double calls = 0, bytes = 0;
  // Of a step: the whole time, and the part of it for which a device waited for others
  double seconds = 0, waitingSeconds = 0;
  // While bytes move; 0 if the time is not known
  double busBytesPerSecond = 0;
};

struct ReplicaReport {
  int64_t steps = 0;
  // One for each device; empty if there is only one
  std::vector<ReplicaFigures> replicas;
  std::vector<CollectiveFigures> collectives;
  // The last step after which the weights of all devices were compared and found equal; absent if
  // they were not compared, or need not be equal
  std::optional<int64_t> equalStep;
};

/// Returns the communication of a step by kind of collective, the longest first.
std::vector<CollectiveSum> collectiveSums(const ReplicaReport& report);

/// Returns the device that computes longest, and by which part it is slower than the mean of the
/// others; nullopt if that is less than 5%.
std::optional<std::pair<size_t, double>> slowestReplica(const ReplicaReport& report);

/// Says which device is slow, such as "cpu:2 is 9% slower than the others"; "" if none is.
std::string slowReplicaText(const ReplicaReport& report);

Json toJson(const ReplicaReport& report);
/// Throws Json::exception if the value is damaged.
ReplicaReport replicaReportFromJson(const Json& json);

}  // namespace strata
