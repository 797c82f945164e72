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

class DeviceLanes {
 public:
  /// `process` is the device in the trace. Both references must outlive the object.
  DeviceLanes(TraceBuilder& builder, uint32_t process, const KernelProfile& kernels)
      : m_builder(builder), m_kernels(kernels), m_process(process) {}

  /// A kernel or copy in the trace.
  struct Added {
    uint32_t lane = 0;
    TraceEvent event;
  };
  /// Adds a step that begins `offset` after the begin of the trace. Returns its kernels and copies.
  std::vector<Added> addStep(const TracedStep& step, std::chrono::nanoseconds offset);

 private:
  uint32_t laneOf(const std::string& stream, size_t number);
  uint32_t recordOf(const KernelRecord& record);
  void addMemory(const std::vector<TracedStep::Entry>& entries, std::chrono::nanoseconds offset);

  TraceBuilder& m_builder;
  const KernelProfile& m_kernels;
  const uint32_t m_process;
  // By stream, and the number of the lane among those of the stream
  std::map<std::pair<std::string, size_t>, uint32_t> m_lanes;
};

}  // namespace strata
