// SPDX-License-Identifier: Apache-2.0
// Adds the steps of a device to a trace: one lane for each stream, in which a step contains slices
// of layers, which contain slices of kernels, and the memory of the step as a counter.
// Not here: the records (kernel_profile.h), whole traces (trace_file.h, core/train/step_capture.h).
// Thread: only the thread of the builder.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/runs/kernel_profile.h"
#include "core/trace/trace_builder.h"

namespace strata {

/// Whether the times of a process are predicted, because it is a simulated card.
bool isPredicted(const TraceProcess& process);

class DeviceLanes {
 public:
  /// Adds the device as a process, whose name says whether its times are predicted. `builder` must
  /// outlive the object.
  DeviceLanes(TraceBuilder& builder, const std::string& device, bool isPredicted);

  /// A kernel or copy in the trace.
  struct Added {
    uint32_t lane = 0;
    TraceEvent event;
  };
  /// Adds a traced step of `kernels` that begins `offset` after the begin of the trace. `part` says
  /// which part of the step it is, such as "micro-batch 2 of 4"; "" for a whole one. Returns its
  /// kernels and copies.
  std::vector<Added> addStep(const KernelProfile& kernels, const TracedStep& step,
                             std::chrono::nanoseconds offset, const std::string& part = {});

 private:
  uint32_t laneOf(const std::string& stream, size_t number);
  uint32_t recordOf(const KernelRecord& record);
  void addMemory(const KernelProfile& kernels, const std::vector<TracedStep::Entry>& entries,
                 std::chrono::nanoseconds offset);

  TraceBuilder& m_builder;
  const uint32_t m_process;
  // By stream, and the number of the lane among those of the stream
  std::map<std::pair<std::string, size_t>, uint32_t> m_lanes;
};

}  // namespace strata
