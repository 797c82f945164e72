// SPDX-License-Identifier: Apache-2.0
// Predicts a training on several devices, which are connected by links of a given speed: when each
// gradient of the step is there, how long its sums take, and which part of them the backward pass
// hides.
// Thread: the functions block the calling thread, so do not call them on the GUI thread.
#pragma once

#include <cstdint>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"

namespace strata {

/// A link of each device to the others.
struct LinkSpeed {
  std::string name;
  // In each direction, of the data alone, and the delay of a message
  double bytesPerSecond = 0, latencySeconds = 0;
};

/// Returns the links between cards: NVLink, PCIe, and Ethernet of 25, 100 and 400 Gb/s.
std::vector<LinkSpeed> standardLinks();
/// Returns a network of this speed between processes on processors.
LinkSpeed networkOf(double gigabitsPerSecond);

/// A sum in a step: when its operands are there, and when the step needs it.
struct TimedSum {
  size_t bytes = 0;
  double readySeconds = 0;
};

/// What a step does: the times of computing before and after the sums are awaited, and the sums in
/// their order.
struct TimedStep {
  std::vector<TimedSum> sums;
  // When the first sum is awaited, and what the step computes afterwards
  double awaitSeconds = 0, restSeconds = 0;
  // What a byte that is sent costs the step because no processor is free for communication
  double secondsPerSentByte = 0;
  double computeSeconds() const { return awaitSeconds + restSeconds; }
};

struct ReplicaPrediction {
  int replicas = 1;
  std::string link;
  // "ring" or "tree" between cards, "shares" between processors
  std::string algorithm;
  double stepSeconds = 0, computeSeconds = 0, communicationSeconds = 0, exposedSeconds = 0;
  // Whether other programs were busy while the step was measured
  bool isBusy = false;
  /// Returns how much of the speed of replicas without communication they reach.
  double efficiency() const { return stepSeconds > 0 ? computeSeconds / stepSeconds : 0; }
};

/// Predicts the step over a link. Source of the volumes: NCCL's documentation of its algorithms.
ReplicaPrediction predictOver(const TimedStep& step, int replicas, const LinkSpeed& link,
                              bool areCards);

struct ReplicaPlanOptions {
  // Name of one device; "" for the project's
  std::string device;
  int threads = 0;
  // Global batch size; 0 for the project's
  int64_t batchSize = 0;
  // How many processes share the processors of a machine
  int perHost = 1;
  std::stop_token stop;
};

/// Measures the step of a replica on this device, or predicts it on a simulated card, and predicts
/// it over each link. Fails: InvalidProject if a batch has fewer samples than replicas; with the
/// errors of a training.
std::vector<ReplicaPrediction> planReplicas(const CheckedProject& project, int replicas,
                                            std::span<const LinkSpeed> links,
                                            const ReplicaPlanOptions& options);

}  // namespace strata
